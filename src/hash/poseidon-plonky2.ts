/** Poseidon as Plonky2 and Hermez use it: twelve Goldilocks elements, rate 8. */
import type { Digest } from '../bytes.js';
import { canonicalElement, elementsToBytes, gl, pow7 } from '../field/goldilocks.js';
import { chacha8Below } from './chacha.js';
import { circulantProduct } from './circulant.js';
import { lazy } from './lazy.js';
import { overwriteSponge } from './overwrite-sponge.js';
import type { CpuKernels, GpuKernels, HashModule } from './types.js';
import { pairElements, WORD } from './word.js';

const WIDTH = 12;
const RATE = 8;
const FULL_ROUNDS = 8;
const PARTIAL_ROUNDS = 22;

type State = readonly bigint[];

/** First row of the circulant part of the matrix; 8 is added in its first place. */
export const poseidonMatrix: readonly number[] = [17, 15, 41, 16, 2, 28, 13, 13, 39, 18, 34, 20];

/** Constants of the 30 rounds, twelve each: ChaCha8 with seed 0. */
export const poseidonConstants: () => readonly (readonly bigint[])[] = /* @__PURE__ */ lazy(() => {
  const draws = chacha8Below(gl.modulus, 0n);
  return Array.from({ length: FULL_ROUNDS + PARTIAL_ROUNDS }, () =>
    Array.from({ length: WIDTH }, () => draws.next().value),
  );
});

/** The matrix of the linear layer times the state. */
export function poseidonMultiply(state: State): bigint[] {
  const [first, ...others] = circulantProduct(poseidonMatrix, state);
  return [gl.reduce(first! + 8n * state[0]!), ...others];
}

/** States after each of the 30 rounds; the last is the permutation's result. */
export function poseidonStates(state: State): bigint[][] {
  const states: bigint[][] = [];
  for (const [round, constants] of poseidonConstants().entries()) {
    const full = round < FULL_ROUNDS / 2 || round >= FULL_ROUNDS / 2 + PARTIAL_ROUNDS;
    const summed = (states.at(-1) ?? state).map((x, i) => gl.reduce(x + constants[i]!));
    states.push(poseidonMultiply(summed.map((x, i) => (full || i === 0 ? pow7(x) : x))));
  }
  return states;
}

/** The permutation: twelve elements to twelve, any integers in, canonical out. */
export function poseidonPermutation(state: State): bigint[] {
  return poseidonStates(state).at(-1)!;
}

/**
 * `outputs` elements from any number of them, without padding. Inputs of different lengths collide: fit for lengths
 * that are known beforehand. No elements: zeros.
 *
 * @throws {CambiumError} `NOT_CANONICAL` with the index of an element out of range.
 */
export function squeeze(elements: State, outputs: number): bigint[] {
  return overwriteSponge({ permute: poseidonPermutation, width: WIDTH, rate: RATE }, elements, outputs);
}

/** Plonky2's `hash_no_pad`, the id's `hashElements`: the first four elements of {@link squeeze}. */
export function hashNoPad(elements: State): Digest {
  return elementsToBytes(squeeze(elements, WORD));
}

/** Plonky2's `hash_pad`: a one, zeros, and a one as the last element of a block behind the input. */
export function hashPad(elements: State): Digest {
  const padded = [...elements, 1n];
  while ((padded.length + 1) % RATE) padded.push(0n);
  return hashNoPad([...padded, 1n]);
}

/** Plonky2's `hash_or_noop`: up to four elements are their own digest, with zeros behind them. */
export function hashOrNoop(elements: State): Digest {
  if (elements.length > WORD) return hashNoPad(elements);
  const word = elements.map(canonicalElement);
  return elementsToBytes([...word, ...Array<bigint>(WORD - word.length).fill(0n)]);
}

/** Hermez' linear hash: up to four elements are copied; else each block, filled up with zeros, has the digest before it as capacity. */
export function linearHash(elements: State): Digest {
  if (elements.length <= WORD) return hashOrNoop(elements);
  const input = elements.map(canonicalElement);
  let digest = Array<bigint>(WORD).fill(0n);
  for (let at = 0; at < input.length; at += RATE) {
    const block = Array.from({ length: RATE }, (_, i) => input[at + i] ?? 0n);
    digest = poseidonPermutation([...block, ...digest]).slice(0, WORD);
  }
  return elementsToBytes(digest);
}

export const reference: HashModule = {
  id: 'poseidon-plonky2',
  rate: RATE,
  hashElements: hashNoPad,
  // Plonky2's `two_to_one`: both digests fill the rate.
  hashPair: (left, right) => hashNoPad(pairElements(left, right)),
};

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/poseidon-plonky2.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/poseidon-plonky2.js');
