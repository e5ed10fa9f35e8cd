/** The Goldilocks field in 64-bit integers: one element in an `i64`, any of its representatives below 2^64. */
import { gl } from '../../src/field/goldilocks.ts';
import type { FunctionBuilder, Local } from '../lib/function.ts';
import { i32, i64 } from '../lib/scalar.ts';
import type { I32, I64 } from '../lib/value.ts';
import type { Place } from '../lib/words.ts';
import {
  type GoldilocksForm,
  type Halves,
  magnitude,
  type Ranged,
  rangeOf,
  type Term,
} from './goldilocks.ts';

/** 2^64 modulo the modulus. */
const EPSILON = i64.const(2n ** 32n - 1n);
const MASK = i64.const(2n ** 32n - 1n);
const MODULUS = i64.const(gl.modulus);
const BYTES = 8;
/** Halves of 32 bits as they come out of memory. */
const WORD: Ranged = { least: 0, most: 2 ** 32 };
/** Sums of halves stay below this, so that a carry between them fits. */
const MOST = 2 ** 60;

/** A half of an element, in a signed `i64`. */
export interface Half extends Ranged {
  readonly value: I64;
}

const shift = (bits: number): I64 => i64.const(BigInt(bits));
const low = (x: I64): I64 => i64.and(x, MASK);
const high = (x: I64): I64 => i64.shrU(x, shift(32));
/** `x (2^32 - 1)`, which is `2^64 x` in the field; x below 2^32. */
const timesEpsilon = (f: FunctionBuilder, x: I64): Local<'i64'> => f.let(i64.sub(i64.shl(x, shift(32)), x));
/** All ones below 2^32 where the condition holds, else 0. */
const epsilonIf = (condition: I32): I64 => i64.extendU(i32.sub(0, condition));

/** `low + 2^64 high` in the field. */
function reduce(f: FunctionBuilder, bottom: I64, top: I64): I64 {
  const rest = f.let(bottom, 'rest');
  const upper = f.let(high(top));
  const t = f.let(i64.sub(rest, upper), 't');
  // Only once in 2^32: a branch that is never taken costs less than a correction.
  f.if(i64.ltU(rest, upper), () => f.set(t, i64.sub(t, EPSILON)));
  const q = timesEpsilon(f, f.let(low(top)));
  const sum = f.let(i64.add(t, q), 'sum');
  return f.let(i64.add(sum, epsilonIf(i64.ltU(sum, q))), 'reduced');
}

function mul(f: FunctionBuilder, a: I64, b: I64): I64 {
  const [a0, a1, b0, b1] = [low(a), high(a), low(b), high(b)].map((x) => f.let(x)) as [
    Local<'i64'>,
    Local<'i64'>,
    Local<'i64'>,
    Local<'i64'>,
  ];
  const cross = f.let(i64.mul(a0, b1));
  const middle = f.let(i64.add(i64.mul(a1, b0), low(cross), high(i64.mul(a0, b0))));
  const top = f.let(i64.add(i64.mul(a1, b1), high(cross), high(middle)), 'top');
  return reduce(f, i64.mul(a, b), top);
}

function square(f: FunctionBuilder, a: I64): I64 {
  const a0 = f.let(low(a));
  const a1 = f.let(high(a));
  // 2^32 is half of the cross products' weight: one bit stays behind in each shift.
  const cross = i64.add(i64.mul(a0, a1), i64.shrU(i64.mul(a0, a0), shift(33)));
  const top = f.let(i64.add(i64.mul(a1, a1), i64.shrU(cross, shift(31))), 'top');
  return reduce(f, i64.mul(a, a), top);
}

function sum(f: FunctionBuilder, terms: readonly Term<Half>[]): Half {
  const range = rangeOf(terms);
  if (magnitude(range) > MOST) throw new RangeError('sum of halves: it may pass 2^60');
  let value: I64 | undefined;
  for (const [half, factor] of terms) {
    const size = Math.abs(factor);
    const bits = Math.log2(size);
    const scaled = Number.isInteger(bits)
      ? bits
        ? i64.shl(half.value, shift(bits))
        : half.value
      : i64.mul(half.value, i64.const(BigInt(size)));
    if (!value) value = factor < 0 ? i64.sub(i64.const(0n), scaled) : scaled;
    else value = factor < 0 ? i64.sub(value, scaled) : i64.add(value, scaled);
  }
  return { value: f.let(value!), ...range };
}

/** A multiple of the modulus, in halves, that makes halves of this size positive together. */
function lift({ least }: Ranged): Halves<I64> {
  const times = BigInt(Math.ceil(-least / 2 ** 31));
  return [i64.const(times), i64.const(times * (2n ** 32n - 1n))];
}

/** Carries twice: from low to high, and from high to both. */
function element(f: FunctionBuilder, [bottom, top]: Halves<Half>): I64 {
  const range = { least: Math.min(bottom.least, top.least), most: Math.max(bottom.most, top.most) };
  if (magnitude(range) > MOST) throw new RangeError('half: it may pass 2^60');
  let [x, y]: Halves<I64> = [bottom.value, top.value];
  if (range.least < 0) {
    const [liftLow, liftHigh] = lift(range);
    x = f.let(i64.add(x, liftLow));
    y = i64.add(y, liftHigh);
  }
  const carried = f.let(i64.add(y, i64.shrS(x, shift(32))));
  const all = i64.or(low(x), i64.shl(carried, shift(32)));
  const q = timesEpsilon(f, f.let(high(carried)));
  const total = f.let(i64.add(all, q), 'total');
  f.if(i64.ltU(total, q), () => f.set(total, i64.add(total, EPSILON)));
  return total;
}

function divide(f: FunctionBuilder, [bottom, top]: Halves<Half>, bits: number): Halves<Half> {
  const mask = i64.const(2n ** BigInt(bits) - 1n);
  const lost = ({ value }: Half): Half => ({
    value: f.let(i64.shl(i64.and(value, mask), shift(32 - bits))),
    ...WORD,
  });
  const quotient = ({ value, least, most }: Half): Half => ({
    value: i64.shrS(value, shift(bits)),
    least: Math.floor(least / 2 ** bits),
    most: most / 2 ** bits,
  });
  // What falls out below is worth 2^-bits = 2^(32 - bits) (1 - 2^32).
  const [lostLow, lostHigh] = [lost(bottom), lost(top)];
  return [
    sum(f, [
      [quotient(bottom), 1],
      [lostLow, 1],
      [lostHigh, 1],
    ]),
    sum(f, [
      [quotient(top), 1],
      [lostLow, -1],
    ]),
  ];
}

/** Writes an element's least representative. */
export function writeCanonical(f: FunctionBuilder, value: I64, { address, offset }: Place): void {
  const x = f.let(value);
  f.run(i64.store(address, i64.select(i64.geU(x, MODULUS), i64.sub(x, MODULUS), x), offset));
}

export const scalarForm: GoldilocksForm<I64, Half> = {
  lanes: 1,
  bytes: BYTES,
  constantBytes: BYTES,
  constants: (values) => BigUint64Array.from(values),
  constant: (_, { address, offset }) => [
    { value: i64.load32U(address, offset), ...WORD },
    { value: i64.load32U(address, offset + 4), ...WORD },
  ],
  load: (f, { address, offset }) => f.let(i64.load(address, offset)),
  loadHalf: (f, { address, offset }, half) => ({
    value: f.let(i64.load32U(address, offset + 4 * half)),
    ...WORD,
  }),
  store: (f, { address, offset }, a) => f.run(i64.store(address, a, offset)),
  mul,
  square,
  halves: (f, a) => [
    { value: f.let(low(a)), ...WORD },
    { value: f.let(high(a)), ...WORD },
  ],
  element,
  sum,
  divide,
  read: (f, [place]) => f.let(i64.load(place!.address, place!.offset)),
  write: (f, a, [place]) => writeCanonical(f, a, place!),
};
