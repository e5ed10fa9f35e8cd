/**
 * Poseidon2 over the scalar field of BN254, width 4, as Aztec and Noir use it: permutation, sponge and node hashes.
 */
import { canonicalElement, ELEMENT_BYTES, elementFromBytes, elementToBytes, fr } from '../field/bn254.js';
import { checkConstants } from './checked-constants.js';
import { Grain } from './grain.js';
import { lazy } from './lazy.js';
import type { CpuKernels, Digest, GpuKernels, HashModule, HashSpec, KernelLoader } from './types.js';

/** Elements of the state; the last is the capacity. */
export const WIDTH = 4;
/** Elements that one permutation absorbs. */
export const RATE = 3;
/** Full rounds before and behind the partial ones. */
export const HALF_FULL_ROUNDS = 4;
/** Rounds with one S-box, on element 0. */
export const PARTIAL_ROUNDS = 56;
/** All rounds. */
export const ROUNDS: number = 2 * HALF_FULL_ROUNDS + PARTIAL_ROUNDS;

/** The external matrix, row by row. */
export const externalMatrix: readonly (readonly bigint[])[] = [
  [5n, 7n, 1n, 3n],
  [4n, 6n, 1n, 1n],
  [1n, 3n, 5n, 7n],
  [1n, 1n, 4n, 6n],
];

/** The internal matrix is all ones plus this diagonal. No derivation of these four is published. */
export const internalDiagonal: readonly bigint[] = [
  0x10dc6e9c006ea38b04b1e03b4bd9490c0d03f98929ca1d7fb56821fd19d3b6e7n,
  0x0c28145b6a44df3e0149b3d0a30b3bb599df9756d4dd9b84a86b38cfb45a740bn,
  0x00544b8338791518b2c7645a50392798b21f75bb60e3596170067d00141cac15n,
  0x222c01175718386f2e2e82eb122789e352e105a3b8fa852613bc534433ee428bn,
];

const CONSTANTS_DIGEST = '0xa113481f5f579ad1e1d61f70257ad90c271993130aadb7318b53147336b1db36';

/** Whether round `r` has an S-box on every element. */
export function isFullRound(r: number): boolean {
  return r < HALF_FULL_ROUNDS || r >= HALF_FULL_ROUNDS + PARTIAL_ROUNDS;
}

/** Constants of each round; partial rounds have zeros behind element 0. */
export const roundConstants: () => readonly (readonly bigint[])[] = /* @__PURE__ */ lazy(() => {
  const grain = new Grain({ fieldBits: 254, width: WIDTH, fullRounds: 8, partialRounds: PARTIAL_ROUNDS });
  const rounds = Array.from({ length: ROUNDS }, (_, r) =>
    Array.from({ length: WIDTH }, (_, i) => (isFullRound(r) || i === 0 ? grain.drawBelow(fr.modulus) : 0n)),
  );
  checkConstants('poseidon2-bn254', rounds.flat(), CONSTANTS_DIGEST);
  return rounds;
});

const externalLayer = (state: readonly bigint[]): bigint[] =>
  externalMatrix.map((row) => fr.reduce(row.reduce((sum, m, i) => sum + m * state[i]!, 0n)));

function internalLayer(state: readonly bigint[]): bigint[] {
  const sum = state.reduce((a, b) => a + b, 0n);
  return state.map((x, i) => fr.reduce(internalDiagonal[i]! * x + sum));
}

const sbox = (x: bigint): bigint => fr.pow(x, 5n);

/**
 * The permutation of four canonical elements.
 *
 * @example
 * ```ts
 * permute([0n, 0n, 0n, 0n])[0]; // 0x18dfb8dc…
 * ```
 */
export function permute(state: readonly bigint[]): bigint[] {
  let s = externalLayer(state);
  for (const [r, constants] of roundConstants().entries()) {
    s = s.map((x, i) => fr.add(x, constants[i]!));
    s = isFullRound(r) ? externalLayer(s.map(sbox)) : internalLayer([sbox(s[0]!), ...s.slice(1)]);
  }
  return s;
}

/**
 * The sponge over any number of canonical elements, none included: one element out. The number of inputs stands in
 * the capacity, so that no input is a prefix of another.
 *
 * @throws {CambiumError} `NOT_CANONICAL` with the index of an element at or above the modulus.
 */
export function poseidon2(elements: readonly bigint[]): bigint {
  elements.forEach(canonicalElement);
  let state = [0n, 0n, 0n, BigInt(elements.length) << 64n];
  // The empty input is permuted once, too.
  for (let at = 0; at < Math.max(elements.length, 1); at += RATE) {
    state = permute(state.map((x, i) => fr.add(x, (i < RATE && elements[at + i]) || 0n)));
  }
  return state[0]!;
}

/** Reference code of the node hash whose nodes carry these elements in front of their two children. */
function moduleWithPrefix(id: string, prefix: readonly bigint[]): HashModule {
  return {
    id,
    rate: RATE,
    hashElements: (elements): Digest => elementToBytes(poseidon2(elements)),
    hashPair: (left, right) =>
      elementToBytes(poseidon2([...prefix, elementFromBytes(left, 0), elementFromBytes(right, 1)])),
  };
}

export const reference: HashModule = /* @__PURE__ */ moduleWithPrefix('poseidon2-bn254', []);

const tables = /* @__PURE__ */ lazy(async () =>
  (await import('./poseidon2-bn254-tables.js')).poseidon2Tables(),
);

/** The same kernels at every call: what runs on a device is known by them. */
export const gpu: KernelLoader<GpuKernels> = /* @__PURE__ */ lazy(async () => ({
  ...(await import('../generated/gpu/poseidon2-bn254.js')),
  tables: await tables(),
}));

/** CPU kernels whose pairs carry these elements in front. */
const cpuWithPrefix = (prefix: readonly bigint[]): KernelLoader<CpuKernels> =>
  lazy(async () => {
    const [{ builds }, { poseidon2Constants }] = await Promise.all([
      import('../generated/cpu/poseidon2-bn254.js'),
      import('./poseidon2-bn254-tables.js'),
    ]);
    return { builds, constants: lazy(() => poseidon2Constants(prefix)) };
  });

export const cpu: KernelLoader<CpuKernels> = /* @__PURE__ */ cpuWithPrefix([]);

/** Reference code and kernels of the node hash with a separator; elements are hashed without it. */
export interface SeparatedPoseidon2 {
  readonly reference: HashModule;
  readonly cpu: KernelLoader<CpuKernels>;
  readonly gpu: KernelLoader<GpuKernels>;
}

/**
 * Node hashes that carry a separator: Poseidon2 of (separator, left, right).
 *
 * @throws {CambiumError} `NOT_CANONICAL` when the separator is no element.
 */
export function separated(separator: bigint): SeparatedPoseidon2 {
  canonicalElement(separator, 0);
  return {
    reference: moduleWithPrefix(`poseidon2-bn254-sep-${separator}`, [separator]),
    cpu: cpuWithPrefix([separator]),
    gpu: lazy(async () => ({
      ...(await import('../generated/gpu/poseidon2-bn254-separated.js')),
      tables: [...(await tables()), elementToBytes(separator)],
    })),
  };
}

/**
 * The row of a hash that the registry does not list: Poseidon2 nodes with a separator of the user's.
 *
 * @param separator an integer below the modulus.
 * @throws {CambiumError} `NOT_CANONICAL` when it is none.
 * @example
 * ```ts
 * const hasher = await createHasher(poseidon2Separated(7n));
 * ```
 */
export function poseidon2Separated(separator: bigint): HashSpec {
  const { reference, cpu, gpu } = separated(separator);
  return {
    id: reference.id,
    digestBytes: 32,
    input: { elementBytes: ELEMENT_BYTES, modulus: fr.modulus, order: 'be' },
    zero: new Uint8Array(ELEMENT_BYTES),
    load: async () => reference,
    cpu,
    gpu,
  };
}
