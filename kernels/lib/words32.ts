/** Words of 32 bits: one hash in an `i32`, or four hashes in the lanes of a `v128`. */
import type { FunctionBuilder, Local } from './function.ts';
import { i32 } from './scalar.ts';
import type { I32, V128, Value } from './value.ts';
import { i8x16, i32x4, v128 } from './vector.ts';
import { type Place, rotatedBytes, type Shift, type Words } from './words.ts';

export type Word32Type = 'i32' | 'v128';

export interface Words32<T extends Word32Type> extends Words<T> {
  and(a: Value<T>, b: Value<T>): Value<T>;
  or(a: Value<T>, b: Value<T>): Value<T>;
  readonly shl: Shift<T>;
  readonly shrU: Shift<T>;
  readonly rotr: Shift<T>;
  /** `count` big-endian words from one place per lane: four at a time. */
  readBigEndian(f: FunctionBuilder, places: readonly Place[], count: number): Local<T>[];
  /** The same, written. */
  writeBigEndian(f: FunctionBuilder, places: readonly Place[], words: readonly Value<T>[]): void;
}

/** One word with its bytes reversed. */
export const swapBytes = (word: I32): I32 =>
  i32.or(i32.and(i32.rotl(word, 8), 0x00ff00ff), i32.and(i32.rotr(word, 8), 0xff00ff00));

/** One hash. */
export const scalarWords: Words32<'i32'> = {
  type: 'i32',
  bits: 32,
  lanes: 1,
  add: i32.add,
  xor: i32.xor,
  and: i32.and,
  or: i32.or,
  andNot: (a, b) => i32.and(a, i32.xor(b, -1)),
  shl: i32.shl,
  shrU: i32.shrU,
  rotr: i32.rotr,
  rotator: () => i32.rotr,
  constant: (word) => i32.const(Number(word)),
  fromTable: i32.load,
  join: ([number]) => number!,
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
  readLittleEndian: (f, [place], count) =>
    Array.from({ length: count }, (_, t) => f.let(i32.load(place!.address, place!.offset + 4 * t))),
  writeLittleEndian(f, [place], words) {
    f.run(...words.map((word, t) => i32.store(place!.address, word, place!.offset + 4 * t)));
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

/** Words in columns from rows in memory, four at a time; `change` goes over each row. */
function readColumns(
  f: FunctionBuilder,
  places: readonly Place[],
  count: number,
  change: (row: V128) => V128,
): Local<'v128'>[] {
  return Array.from({ length: count / 4 }, (_, quarter) => {
    const rows = places.map(({ address, offset }) =>
      f.let(change(v128.load(address, offset + 16 * quarter))),
    );
    return transpose(f, rows);
  }).flat();
}

/** The way back. */
function writeColumns(
  f: FunctionBuilder,
  places: readonly Place[],
  words: readonly V128[],
  change: (row: V128) => V128,
): void {
  for (let t = 0; t < words.length; t += 4) {
    const columns = words.slice(t, t + 4).map((word) => f.let(word));
    transpose(f, columns).forEach((row, lane) => {
      const { address, offset } = places[lane]!;
      f.run(v128.store(address, change(row), offset + 4 * t));
    });
  }
}

/** A swizzle with its mask in a local is one instruction; a shuffle that reverses bytes becomes six. */
function byteSwap(f: FunctionBuilder): (vector: V128) => V128 {
  const mask = f.let(i8x16.const([3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]), 'mask');
  return (vector) => i8x16.swizzle(vector, mask);
}

const same = (row: V128): V128 => row;

/** Four hashes. */
export const vectorWords: Words32<'v128'> = {
  type: 'v128',
  bits: 32,
  lanes: 4,
  add: i32x4.add,
  xor: v128.xor,
  and: v128.and,
  or: v128.or,
  andNot: v128.andnot,
  shl: i32x4.shl,
  shrU: i32x4.shrU,
  rotr: (value, bits) => v128.or(i32x4.shrU(value, bits), i32x4.shl(value, 32 - bits)),
  rotator(f) {
    const masks = new Map<number, Local<'v128'>>(
      [8, 16].map((distance) => [distance, f.let(i8x16.const(rotatedBytes(32, distance)), 'mask')]),
    );
    return (value, distance) => {
      const mask = masks.get(distance);
      return mask ? i8x16.swizzle(value, mask) : vectorWords.rotr(f.let(value), distance);
    };
  },
  constant: (word) => i32x4.splat(Number(word)),
  fromTable: v128.load32Splat,
  join: ([first, ...rest]) =>
    rest.reduce((vector, number, i) => i32x4.replaceLane(vector, i + 1, number), i32x4.splat(first!)),
  load: v128.load,
  store: v128.store,
  readBigEndian: (f, places, count) => readColumns(f, places, count, byteSwap(f)),
  writeBigEndian: (f, places, words) => writeColumns(f, places, words, byteSwap(f)),
  readLittleEndian: (f, places, count) => readColumns(f, places, count, same),
  writeLittleEndian: (f, places, words) => writeColumns(f, places, words, same),
};
