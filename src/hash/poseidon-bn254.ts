/**
 * Poseidon over the scalar field of BN254 as circomlib has it: 1 to 16 inputs, width one more, no padding.
 */
import { canonicalElement, elementFromBytes, elementToBytes, fr } from '../field/bn254.js';
import { checkConstants } from './checked-constants.js';
import { Grain } from './grain.js';
import { lazy } from './lazy.js';
import type { CpuKernels, Digest, GpuKernels, HashModule, KernelLoader } from './types.js';

/** Most elements that one hash takes. */
export const MAX_INPUTS = 16;
/** Full rounds before and behind the partial ones. */
export const HALF_FULL_ROUNDS = 4;

/** Constants of the permutation of one width. */
export interface PoseidonParameters {
  readonly width: number;
  readonly partialRounds: number;
  /** One constant per round and element. */
  readonly roundConstants: readonly (readonly bigint[])[];
  /** `y[i] = sum over j of matrix[i][j] * x[j]`. */
  readonly matrix: readonly (readonly bigint[])[];
}

/** Partial rounds, and the digest of the round constants with the matrix behind them; from width 2 on. */
const WIDTHS: readonly (readonly [partialRounds: number, digest: string])[] = [
  [56, '0x3e9ac7a21b079388665a19f61c96f0fd615e3827a280c092c29fda11fa56612e'],
  [57, '0xd580f0ebf5aec8825a0212c9db8fd20135155e1352e68809e2d7f2bc5440b86f'],
  [56, '0xd952ffa224da14b3b4371989f1eb102935b4ab0462225ab84143c90d74b78872'],
  [60, '0x7b6c63d84ef4f2aa7766fe56bdd5874dfc34fd26ada5427de75bcb89af8cd09e'],
  [60, '0xae7315565817fecf26c90ea3e5c69d8a5dedd9c37d2ac0e157e5c700ef20f1d3'],
  [63, '0xb7a09ec5091aca8cdcfb76f7daefe15fe7bf2c9e5fc4f66ab6b0e06b79aa17a9'],
  [64, '0x456edbb1cd45856b3639fd72d3cba7fd67bf186464670910aacd92623efc25ed'],
  [63, '0x2339e81bec30df5e41c5bfad22d36d4dd123c2c5e885a915eccf9d597e4766e5'],
  [60, '0x9d71419103b73977bdde121699901685e90d174ad6229ae1c5328357ed5cbc48'],
  [66, '0x987240e650b503e3f23e9fbd24a8aebb06cc9488efe03ce60aa3f78341310ced'],
  [60, '0xe5198fc9e9d009cd24ac1861d665234b5832fb95913ae830c8a2f75166c55b18'],
  [65, '0x2b391537b4e7c8965568d362bcd63863c1b287a69b3a48fddf719c7485c689f2'],
  [70, '0x75df997c46f382699a218d3a6edff012aa22c1a67b0e9d7c7e5a3b01b5646a26'],
  [60, '0xf5c3cb5b90bdf747c6977449856d0965ee3e70db7df42a8b6b6586914617cfd9'],
  [64, '0x3a2b50c38811186645a5f44519fb683b99c44ea6478b4c98b563c060b5e9cef4'],
  [68, '0x3a4345ef7579ca6fe2c94bd670680e1b0789914ef612cf75c98a15f4dc62a422'],
];

function derive(width: number): PoseidonParameters {
  const [partialRounds, digest] = WIDTHS[width - 2]!;
  const grain = new Grain({ fieldBits: 254, width, fullRounds: 2 * HALF_FULL_ROUNDS, partialRounds });
  const row = (make: () => bigint): bigint[] => Array.from({ length: width }, make);
  const roundConstants = Array.from({ length: 2 * HALF_FULL_ROUNDS + partialRounds }, () =>
    row(() => grain.drawBelow(fr.modulus)),
  );
  // A Cauchy matrix; its seeds are not rejected but reduced.
  const a = row(() => fr.reduce(grain.draw()));
  const b = row(() => fr.reduce(grain.draw()));
  const matrix = a.map((ai) => fr.batchInverse(b.map((bj) => fr.add(ai, bj))));
  checkConstants(`poseidon-bn254, width ${width}`, [...roundConstants.flat(), ...matrix.flat()], digest);
  return { width, partialRounds, roundConstants, matrix };
}

const byWidth = /* @__PURE__ */ WIDTHS.map((_, i) => lazy(() => derive(i + 2)));

/**
 * Parameters of the permutation of `width` elements, derived at first use.
 *
 * @throws {RangeError} when `width` is not 2 to 17.
 */
export function parameters(width: number): PoseidonParameters {
  const make = byWidth[width - 2];
  if (!make) throw new RangeError(`width: expected 2 to ${MAX_INPUTS + 1}, got ${width}`);
  return make();
}

const sbox = (x: bigint): bigint => fr.pow(x, 5n);

/**
 * The permutation of 2 to 17 canonical elements.
 *
 * @throws {RangeError} for any other number of them.
 */
export function permute(state: readonly bigint[]): bigint[] {
  const { partialRounds, roundConstants, matrix } = parameters(state.length);
  let s: readonly bigint[] = state;
  for (const [r, constants] of roundConstants.entries()) {
    const full = r < HALF_FULL_ROUNDS || r >= HALF_FULL_ROUNDS + partialRounds;
    const boxed = s.map((x, i) => {
      const sum = fr.add(x, constants[i]!);
      return full || i === 0 ? sbox(sum) : sum;
    });
    s = matrix.map((row) => fr.reduce(row.reduce((sum, m, j) => sum + m * boxed[j]!, 0n)));
  }
  return [...s];
}

/**
 * circomlib's `Poseidon(n)` of 1 to 16 canonical elements.
 *
 * @throws {RangeError} for any other number of them.
 * @throws {CambiumError} `NOT_CANONICAL` with the index of an element at or above the modulus.
 * @example
 * ```ts
 * poseidon([1n, 2n]); // 7853200120776062878684798364095072458815029376092732009249414926327459813530n
 * ```
 */
export function poseidon(elements: readonly bigint[]): bigint {
  if (elements.length < 1 || elements.length > MAX_INPUTS) {
    throw new RangeError(`elements: expected 1 to ${MAX_INPUTS}, got ${elements.length}`);
  }
  elements.forEach(canonicalElement);
  return permute([0n, ...elements])[0]!;
}

export const reference: HashModule = {
  id: 'poseidon-bn254',
  maxElements: MAX_INPUTS,
  hashElements: (elements): Digest => elementToBytes(poseidon(elements)),
  hashPair: (left, right) =>
    elementToBytes(poseidon([elementFromBytes(left, 0), elementFromBytes(right, 1)])),
};

/** The same kernels at every call: what runs on a device is known by them. */
export const gpu: KernelLoader<GpuKernels> = /* @__PURE__ */ lazy(async () => {
  const { poseidonRowTable, poseidonTables } = await import('./poseidon-bn254-tables.js');
  return {
    ...(await import('../generated/gpu/poseidon-bn254.js')),
    tables: poseidonTables(),
    rowTables: (elements: number) => [poseidonRowTable(elements)],
  };
});

/** Constants of each row length are derived when the first row of that length comes. */
export const cpu: KernelLoader<CpuKernels> = /* @__PURE__ */ lazy(async () => {
  const [{ builds }, { poseidonElements }] = await Promise.all([
    import('../generated/cpu/poseidon-bn254.js'),
    import('./poseidon-bn254-elements.js'),
  ]);
  const known = new Map<number, Digest>();
  const constants = (rowElements: number): Digest => {
    const made = known.get(rowElements) ?? poseidonElements(rowElements);
    known.set(rowElements, made);
    return made;
  };
  return { builds, constants };
});
