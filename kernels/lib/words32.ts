/**
 * Algorithms over 32-bit words, written once: for one hash in an `i32`, or for four hashes in the lanes of a `v128`.
 */
import type { FunctionBuilder, Local } from './function.ts';
import { i32 } from './scalar.ts';
import type { I32, Statement, V128, Value } from './value.ts';
import { i8x16, i32x4, v128 } from './vector.ts';

export type WordType = 'i32' | 'v128';
type Combine<T extends WordType> = (first: Value<T>, ...rest: readonly Value<T>[]) => Value<T>;
type Shift<T extends WordType> = (value: Value<T>, bits: number) => Value<T>;

/** A fixed distance behind a computed address. */
export interface Place {
  readonly address: I32;
  readonly offset: number;
}

export interface Words<T extends WordType> {
  readonly type: T;
  /** Hashes side by side. */
  readonly lanes: number;
  readonly add: Combine<T>;
  readonly xor: Combine<T>;
  readonly and: Combine<T>;
  readonly or: Combine<T>;
  readonly shl: Shift<T>;
  readonly shrU: Shift<T>;
  readonly rotr: Shift<T>;
  constant(word: number): Value<T>;
  /** One word of a table, in every lane. */
  fromTable(at: I32, offset: number): Value<T>;
  load(address: number, offset: number): Value<T>;
  store(address: number, value: Value<T>, offset: number): Statement;
  /** `count` big-endian words from one place per lane: four at a time. */
  readBigEndian(f: FunctionBuilder, places: readonly Place[], count: number): Local<T>[];
  /** The same, written. */
  writeBigEndian(f: FunctionBuilder, places: readonly Place[], words: readonly Value<T>[]): void;
}

/** One word with its bytes reversed. */
export const swapBytes = (word: I32): I32 =>
  i32.or(i32.and(i32.rotl(word, 8), 0x00ff00ff), i32.and(i32.rotr(word, 8), 0xff00ff00));

/** One hash. */
export const scalarWords: Words<'i32'> = {
  type: 'i32',
  lanes: 1,
  add: i32.add,
  xor: i32.xor,
  and: i32.and,
  or: i32.or,
  shl: i32.shl,
  shrU: i32.shrU,
  rotr: i32.rotr,
  constant: i32.const,
  fromTable: i32.load,
  load: i32.load,
  store: i32.store,
  readBigEndian: (f, [place], count) =>
    Array.from({ length: count }, (_, t) => {
      const word = f.let(i32.load(place!.address, place!.offset + 4 * t));
      return f.let(swapBytes(word));
    }),
  writeBigEndian(f, [place], words) {
    words.forEach((word, t) => {
      const value = f.let(word);
      f.run(i32.store(place!.address, swapBytes(value), place!.offset + 4 * t));
    });
  },
};

const bytesOf = (...words: readonly number[]): number[] =>
  words.flatMap((word) => [4 * word, 4 * word + 1, 4 * word + 2, 4 * word + 3]);

/** Four rows of four words to four columns. */
function transpose(f: FunctionBuilder, rows: readonly V128[]): Local<'v128'>[] {
  const [a, b, c, d] = rows as [V128, V128, V128, V128];
  const low = f.let(i8x16.shuffle(a, b, bytesOf(0, 4, 1, 5)));
  const high = f.let(i8x16.shuffle(a, b, bytesOf(2, 6, 3, 7)));
  const low2 = f.let(i8x16.shuffle(c, d, bytesOf(0, 4, 1, 5)));
  const high2 = f.let(i8x16.shuffle(c, d, bytesOf(2, 6, 3, 7)));
  return [
    f.let(i8x16.shuffle(low, low2, bytesOf(0, 1, 4, 5))),
    f.let(i8x16.shuffle(low, low2, bytesOf(2, 3, 6, 7))),
    f.let(i8x16.shuffle(high, high2, bytesOf(0, 1, 4, 5))),
    f.let(i8x16.shuffle(high, high2, bytesOf(2, 3, 6, 7))),
  ];
}

/** A swizzle with its mask in a local is one instruction; a shuffle that reverses bytes becomes six. */
function byteSwap(f: FunctionBuilder): (vector: V128) => Local<'v128'> {
  const mask = f.let(i8x16.const([3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]), 'mask');
  return (vector) => f.let(i8x16.swizzle(vector, mask));
}

/** Four hashes. */
export const vectorWords: Words<'v128'> = {
  type: 'v128',
  lanes: 4,
  add: i32x4.add,
  xor: v128.xor,
  and: v128.and,
  or: v128.or,
  shl: i32x4.shl,
  shrU: i32x4.shrU,
  rotr: (value, bits) => v128.or(i32x4.shrU(value, bits), i32x4.shl(value, 32 - bits)),
  constant: (word) => i32x4.splat(word),
  fromTable: v128.load32Splat,
  load: v128.load,
  store: v128.store,
  readBigEndian(f, places, count) {
    const swap = byteSwap(f);
    return Array.from({ length: count / 4 }, (_, quarter) => {
      const rows = places.map(({ address, offset }) => swap(v128.load(address, offset + 16 * quarter)));
      return transpose(f, rows);
    }).flat();
  },
  writeBigEndian(f, places, words) {
    const swap = byteSwap(f);
    for (let t = 0; t < words.length; t += 4) {
      const rows = transpose(
        f,
        words.slice(t, t + 4).map((word) => f.let(word)),
      );
      rows.forEach((row, lane) => {
        const { address, offset } = places[lane]!;
        f.run(v128.store(address, swap(row), offset + 4 * t));
      });
    }
  },
};
