/** What the kernels of Goldilocks hashes ask of a way to hold elements of the field of 2^64 - 2^32 + 1. */
import type { FunctionBuilder } from '../lib/function.ts';
import type { Place } from '../lib/words.ts';

/** A number with a range: linear layers work on the two halves of elements, `low + 2^32 high`, without carries. */
export interface Ranged {
  readonly least: number;
  readonly most: number;
}

/** The two halves of an element, signed and of any size that stays exact. */
export type Halves<N> = readonly [low: N, high: N];

/** A summand and the small integer that it is multiplied by. */
export type Term<N> = readonly [N, number];

/**
 * Elements `E` and their halves `N`, `lanes` states side by side. Every operation follows the ranges of its operands,
 * carries where the next step needs it, and throws where a sum could lose a bit: while the module is generated, not
 * while it runs.
 */
export interface GoldilocksForm<E, N extends Ranged> {
  readonly lanes: number;
  /** Bytes of an element in memory, all lanes together. Zeros are 0. */
  readonly bytes: number;
  /** Bytes of a constant, which is the same in all lanes. */
  readonly constantBytes: number;
  /** Constants as they lie in memory. */
  constants(values: readonly bigint[]): ArrayBufferView;
  /** Halves of the constant at a place. */
  constant(f: FunctionBuilder, place: Place): Halves<N>;
  /** An element that was stored with the same `most`. */
  load(f: FunctionBuilder, place: Place, most?: number): E;
  /** One half of such an element. */
  loadHalf(f: FunctionBuilder, place: Place, half: 0 | 1, most?: number): N;
  /** Keeps an element, carried first where its halves could be greater than `most`. */
  store(f: FunctionBuilder, place: Place, a: E, most?: number): void;
  mul(f: FunctionBuilder, a: E, b: E): E;
  square(f: FunctionBuilder, a: E): E;
  halves(f: FunctionBuilder, a: E): Halves<N>;
  element(f: FunctionBuilder, halves: Halves<N>): E;
  /** The sum of all terms. */
  sum(f: FunctionBuilder, terms: readonly Term<N>[]): N;
  /** The element over 2^bits. */
  divide(f: FunctionBuilder, halves: Halves<N>, bits: number): Halves<N>;
  /** An element from eight bytes at one place per lane, canonical or not. */
  read(f: FunctionBuilder, places: readonly Place[]): E;
  /** The canonical element as eight bytes per lane. */
  write(f: FunctionBuilder, a: E, places: readonly Place[]): void;
}

/** Ranges of stored elements, on either side of zero. */
export const RANGE = {
  /** Carried: two squarings and products may follow at once. */
  carried: 2 ** 31 + 2 ** 22,
  /** Enters linear layers only. */
  loose: 2 ** 42,
} as const;

/** The range of a sum of terms. */
export function rangeOf(terms: readonly Term<Ranged>[]): Ranged {
  let least = 0;
  let most = 0;
  for (const [{ least: from, most: to }, factor] of terms) {
    least += factor * (factor < 0 ? to : from);
    most += factor * (factor < 0 ? from : to);
  }
  return { least, most };
}

/** The greatest absolute value in a range. */
export const magnitude = ({ least, most }: Ranged): number => Math.max(-least, most);
