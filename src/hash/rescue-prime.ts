/** The permutations of RPO and RPX: Rescue-Prime over the Goldilocks field, twelve elements wide. */
import { gl, pow7, root7 } from '../field/goldilocks.js';
import { circulantProduct } from './circulant.js';
import { shake256 } from './keccak.js';
import { lazy } from './lazy.js';

const WIDTH = 12;
const ROUNDS = 7;

/** First row of the circulant matrix of both permutations. */
export const rescueMatrix: readonly number[] = [7, 23, 8, 26, 13, 10, 9, 7, 6, 22, 21, 8];

/**
 * The constants, twelve to a half round: rows `2r` and `2r + 1` belong to round r.
 *
 * SHAKE256 of the parameters' text (modulus, width, capacity, bits of security), nine bytes little-endian each.
 */
export const rescueConstants: () => readonly (readonly bigint[])[] = /* @__PURE__ */ lazy(() => {
  const text = new TextEncoder().encode(`RPO(${gl.modulus},12,4,128)`);
  const bytes = shake256(text, 9 * WIDTH * 2 * ROUNDS);
  const draw = (i: number): bigint =>
    gl.reduce(bytes.slice(9 * i, 9 * i + 9).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n));
  return Array.from({ length: 2 * ROUNDS }, (_, half) =>
    Array.from({ length: WIDTH }, (_, lane) => draw(half * WIDTH + lane)),
  );
});

type State = readonly bigint[];

/** The matrix of the linear layer times the state. */
export function rescueMultiply(state: State): bigint[] {
  return circulantProduct(rescueMatrix, state);
}

const addConstants = (state: State, half: number): bigint[] =>
  state.map((x, i) => gl.add(x, rescueConstants()[half]![i]!));

/** Half a round: matrix, constants, power map. */
const halfRound = (state: State, half: number): bigint[] =>
  addConstants(rescueMultiply(state), half).map(half % 2 ? root7 : pow7);

/** The product of two elements of `F_p[u] / (u^3 - u - 1)`. */
function cubicProduct([a0, a1, a2]: State, [b0, b1, b2]: State): bigint[] {
  const c0 = a0! * b0!;
  const c1 = a0! * b1! + a1! * b0!;
  const c2 = a0! * b2! + a1! * b1! + a2! * b0!;
  const c3 = a1! * b2! + a2! * b1!;
  const c4 = a2! * b2!;
  // u^3 = u + 1, u^4 = u^2 + u
  return [c0 + c3, c1 + c3 + c4, c2 + c4].map(gl.reduce);
}

/** The power map of RPX's middle rounds: `x^7` of four elements of the cubic extension. */
function cubicPow7(state: State): bigint[] {
  return [0, 3, 6, 9].flatMap((at) => {
    const x = state.slice(at, at + 3);
    const x2 = cubicProduct(x, x);
    const x3 = cubicProduct(x2, x);
    return cubicProduct(cubicProduct(x2, x2), x3);
  });
}

/** States of RPO after each of its 14 half rounds; the last is the permutation's result. */
export function rpoStates(state: State): bigint[][] {
  const states: bigint[][] = [];
  for (let half = 0; half < 2 * ROUNDS; half++)
    states.push(halfRound(states.at(-1) ?? state.map(gl.reduce), half));
  return states;
}

/** States of RPX after each of its seven rounds: three of RPO's alternate with three in the extension, a linear one ends. */
export function rpxStates(state: State): bigint[][] {
  const states: bigint[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = states.at(-1) ?? state.map(gl.reduce);
    if (round === ROUNDS - 1) states.push(addConstants(rescueMultiply(before), 2 * round));
    else if (round % 2) states.push(cubicPow7(addConstants(before, 2 * round)));
    else states.push(halfRound(halfRound(before, 2 * round), 2 * round + 1));
  }
  return states;
}

/** The permutation of RPO: twelve elements to twelve, any integers in, canonical out. */
export function rpoPermutation(state: State): bigint[] {
  return rpoStates(state).at(-1)!;
}

/** The permutation of RPX: twelve elements to twelve, any integers in, canonical out. */
export function rpxPermutation(state: State): bigint[] {
  return rpxStates(state).at(-1)!;
}
