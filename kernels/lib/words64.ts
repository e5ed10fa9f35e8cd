/** Words of 64 bits: one hash in an `i64`, or two hashes in the lanes of a `v128`. */
import type { FunctionBuilder, Local } from './function.ts';
import { i64 } from './scalar.ts';
import type { V128 } from './value.ts';
import { i8x16, i64x2, v128 } from './vector.ts';
import { type Place, rotatedBytes, type Shift, type Words } from './words.ts';

/** One hash. */
export const scalarWords64: Words<'i64'> = {
  type: 'i64',
  bits: 64,
  lanes: 1,
  add: i64.add,
  xor: i64.xor,
  andNot: (a, b) => i64.and(a, i64.xor(b, i64.const(-1n))),
  rotator: () => (value, distance) => i64.rotr(value, i64.const(BigInt(distance))),
  constant: (word) => i64.const(BigInt(word)),
  fromTable: i64.load,
  join: ([number]) => i64.extendU(number!),
  load: i64.load,
  store: i64.store,
  readLittleEndian: (f, [place], count) =>
    Array.from({ length: count }, (_, t) => f.let(i64.load(place!.address, place!.offset + 8 * t))),
  writeLittleEndian(f, [place], words) {
    f.run(...words.map((word, t) => i64.store(place!.address, word, place!.offset + 8 * t)));
  },
};

const LOW = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH = LOW.map((byte) => byte + 8);

/** Two rows of two words to two columns. */
const transpose = (f: FunctionBuilder, a: V128, b: V128): [Local<'v128'>, Local<'v128'>] => [
  f.let(i8x16.shuffle(a, b, LOW)),
  f.let(i8x16.shuffle(a, b, HIGH)),
];

/** Whole bytes by a swizzle whose mask lies in a local; by one to the left with an addition. */
function rotator(f: FunctionBuilder): Shift<'v128'> {
  const masks = new Map<number, Local<'v128'>>(
    [8, 16, 24, 32, 56].map((distance) => [distance, f.let(i8x16.const(rotatedBytes(64, distance)), 'mask')]),
  );
  return (value, distance) => {
    const mask = masks.get(distance);
    if (mask) return i8x16.swizzle(value, mask);
    const x = f.let(value);
    const left = distance === 63 ? i64x2.add(x, x) : i64x2.shl(x, 64 - distance);
    return v128.or(i64x2.shrU(x, distance), left);
  };
}

/** Two hashes. */
export const vectorWords64: Words<'v128'> = {
  type: 'v128',
  bits: 64,
  lanes: 2,
  add: i64x2.add,
  xor: v128.xor,
  andNot: v128.andnot,
  rotator,
  constant: (word) => i64x2.splat(i64.const(BigInt(word))),
  fromTable: v128.load64Splat,
  join: ([a, b]) => i64x2.replaceLane(i64x2.splat(i64.extendU(a!)), 1, i64.extendU(b!)),
  load: v128.load,
  store: v128.store,
  readLittleEndian(f, [a, b], count) {
    const pairs = Array.from({ length: count >> 1 }, (_, i) => {
      const row = ({ address, offset }: Place): V128 => f.let(v128.load(address, offset + 16 * i));
      return transpose(f, row(a!), row(b!));
    }).flat();
    if (count % 2 === 0) return pairs;
    const at = 8 * (count - 1);
    const first = v128.load64Splat(a!.address, a!.offset + at);
    return [...pairs, f.let(i64x2.replaceLane(first, 1, i64.load(b!.address, b!.offset + at)))];
  },
  writeLittleEndian(f, places, words) {
    for (let t = 0; t < words.length; t += 2) {
      const columns = [f.let(words[t]!), f.let(words[t + 1]!)] as const;
      transpose(f, ...columns).forEach((row, lane) => {
        const { address, offset } = places[lane]!;
        f.run(v128.store(address, row, offset + 8 * t));
      });
    }
  },
};
