/** The Poseidon2 permutations of the Goldilocks field: Plonky3's three widths, and Miden's own of its v0.16 to v0.23. */
import { gl, pow7 } from '../field/goldilocks.js';
import { Grain } from './grain.js';
import { lazy } from './lazy.js';

const FULL_ROUNDS = 8;
const PARTIAL_ROUNDS = 22;
const BLOCK = 4;

/** Widths that have an instance. */
export type Poseidon2Width = 8 | 12 | 16;

/** An entry `numerator / 2^shift` of a diagonal: kernels multiply by it with shifts and additions. */
export type SmallFraction = readonly [numerator: number, shift: number];

/** What an instance multiplies and adds. */
interface Poseidon2 {
  /** Rows of the block that the external matrix is made of. */
  readonly block: readonly (readonly bigint[])[];
  /** The internal matrix is this diagonal plus one in every place. */
  readonly diagonal: readonly bigint[];
  readonly constants: readonly (readonly bigint[])[];
}

type State = readonly bigint[];

/** Diagonals of Plonky3's internal matrices, without the one in every place. */
export const poseidon2Diagonals: Readonly<Record<Poseidon2Width, readonly SmallFraction[]>> = {
  8: [
    [-2, 0],
    [1, 0],
    [2, 0],
    [1, 1],
    [3, 0],
    [-1, 1],
    [-3, 0],
    [-4, 0],
  ],
  12: [
    [-2, 0],
    [1, 0],
    [2, 0],
    [1, 1],
    [3, 0],
    [4, 0],
    [-1, 1],
    [-3, 0],
    [-4, 0],
    [1, 2],
    [-1, 2],
    [1, 3],
  ],
  16: [
    [-2, 0],
    [1, 0],
    [2, 0],
    [1, 1],
    [3, 0],
    [4, 0],
    [-1, 1],
    [-3, 0],
    [-4, 0],
    [1, 3],
    [1, 4],
    [1, 5],
    [-1, 3],
    [-1, 4],
    [-1, 5],
    [1, 32],
  ],
};

const fraction = ([numerator, shift]: SmallFraction): bigint =>
  gl.mul(gl.reduce(BigInt(numerator)), gl.inverse(2n ** BigInt(shift)));

/** Rows of small integers, as Plonky3 and Miden write their blocks. */
const block = (...rows: readonly (readonly number[])[]): bigint[][] => rows.map((row) => row.map(BigInt));

function isFull(round: number): boolean {
  return round < FULL_ROUNDS / 2 || round >= FULL_ROUNDS / 2 + PARTIAL_ROUNDS;
}

/** Constants of the 30 rounds from the Grain LFSR: one for each lane in the four first and the four last, else one. */
function deriveConstants(width: Poseidon2Width): bigint[][] {
  const grain = new Grain({ fieldBits: 64, width, fullRounds: FULL_ROUNDS, partialRounds: PARTIAL_ROUNDS });
  return Array.from({ length: FULL_ROUNDS + PARTIAL_ROUNDS }, (_, round) =>
    Array.from({ length: isFull(round) ? width : 1 }, () => grain.drawBelow(gl.modulus)),
  );
}

const constants: Readonly<Record<Poseidon2Width, () => bigint[][]>> = {
  8: /* @__PURE__ */ lazy(() => deriveConstants(8)),
  12: /* @__PURE__ */ lazy(() => deriveConstants(12)),
  16: /* @__PURE__ */ lazy(() => deriveConstants(16)),
};

/** Round constants of a width: 4 rows of `width`, 22 rows of one, 4 rows of `width`. */
export function poseidon2Constants(width: Poseidon2Width): readonly (readonly bigint[])[] {
  return constants[width]();
}

const plonky3 = /* @__PURE__ */ lazy(() => {
  const instance = (width: Poseidon2Width): Poseidon2 => ({
    block: block([2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]),
    diagonal: poseidon2Diagonals[width].map(fraction),
    constants: poseidon2Constants(width),
  });
  return { 8: instance(8), 12: instance(12), 16: instance(16) };
});

const legacyMiden = /* @__PURE__ */ lazy(
  (): Poseidon2 => ({
    block: block([5, 7, 1, 3], [4, 6, 1, 1], [1, 3, 5, 7], [1, 1, 4, 6]),
    diagonal: [
      0xc3b6c08e23ba9300n,
      0xd84b5de94a324fb6n,
      0x0d0c371c5b35b84fn,
      0x7964f570e7188037n,
      0x5daf18bbd996604bn,
      0x6743bc47b9595257n,
      0x5528b9362c59bb70n,
      0xac45e25b7127b68bn,
      0xa2077d7dfbb606b5n,
      0xf3faac6faee378aen,
      0x0c6388b51545e883n,
      0xd27dbb6944917b60n,
    ],
    constants: poseidon2Constants(12),
  }),
);

const sum = (values: State): bigint => values.reduce((a, b) => a + b, 0n);

/** The external matrix: the block on each four lanes, then to each lane the sum of those that are equal modulo four. */
function external({ block }: Poseidon2, state: State): bigint[] {
  const y = state.map((_, i) => {
    const first = i - (i % BLOCK);
    return sum(block[i % BLOCK]!.map((factor, j) => factor * state[first + j]!));
  });
  return y.map((value, i) => gl.reduce(value + sum(y.filter((_, j) => j % BLOCK === i % BLOCK))));
}

function internal({ diagonal }: Poseidon2, state: State): bigint[] {
  const all = sum(state);
  return state.map((x, i) => gl.reduce(diagonal[i]! * x + all));
}

/** States after the first external matrix and after each of the 30 rounds. */
function states(instance: Poseidon2, input: State): bigint[][] {
  const all = [external(instance, input)];
  for (const [round, row] of instance.constants.entries()) {
    const boxed = all.at(-1)!.map((x, i) => (i < row.length ? pow7(gl.add(x, row[i]!)) : x));
    all.push(isFull(round) ? external(instance, boxed) : internal(instance, boxed));
  }
  return all;
}

/** States of Plonky3's permutation of `state.length` lanes: after the first external matrix and after each of 30 rounds. */
export function poseidon2States(state: State): bigint[][] {
  return states(plonky3()[state.length as Poseidon2Width], state);
}

/** Plonky3's permutation, 8, 12 or 16 elements wide: any integers in, canonical elements out. */
export function poseidon2Permutation(state: State): bigint[] {
  const { length } = state;
  if (length !== 8 && length !== 12 && length !== 16) {
    throw new RangeError(`state: expected 8, 12 or 16 elements, got ${length}`);
  }
  return poseidon2States(state).at(-1)!;
}

/** The permutation of miden-crypto v0.16 to v0.23: twelve elements, Plonky3's round constants, other matrices. */
export function legacyMidenPermutation(state: State): bigint[] {
  return states(legacyMiden(), state).at(-1)!;
}
