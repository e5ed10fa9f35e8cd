/** Elements of the scalar field of BN254 as 32 big-endian bytes and as limbs. */
import { fr } from '../../src/field/bn254.ts';
import type { FunctionBuilder } from '../lib/function.ts';
import { i64 } from '../lib/scalar.ts';
import type { I64 } from '../lib/value.ts';
import type { Place } from '../lib/words.ts';

const BYTES = 32;
const WORDS = [0, 1, 2, 3] as const;

/** One 64-bit word with its bytes reversed. */
function swapBytes(f: FunctionBuilder, word: I64): I64 {
  const halves = (value: I64, distance: number, mask: bigint): I64 => {
    const x = f.let(value);
    const by = i64.const(BigInt(distance));
    const low = i64.const(mask);
    return i64.or(i64.and(i64.shrU(x, by), low), i64.shl(i64.and(x, low), by));
  };
  const bytes = halves(word, 8, 0x00ff00ff00ff00ffn);
  return i64.rotl(halves(bytes, 16, 0x0000ffff0000ffffn), i64.const(32n));
}

const wordAt = (f: FunctionBuilder, { address, offset }: Place, i: number): I64 =>
  f.let(swapBytes(f, i64.load(address, offset + BYTES - 8 - 8 * i)));

const shift = (distance: number): I64 => i64.const(BigInt(distance));

/** Limbs of `bits` bits, lowest first; the last takes what is left of 256 bits. */
export function readLimbs(f: FunctionBuilder, place: Place, bits: number, count: number): I64[] {
  const words = WORDS.map((i) => wordAt(f, place, i));
  const mask = i64.const(2n ** BigInt(bits) - 1n);
  return Array.from({ length: count }, (_, k) => {
    const at = bits * k;
    const [word, low] = [at >> 6, at % 64];
    const lower = i64.shrU(words[word]!, shift(low));
    const next = words[word + 1];
    const whole = next && low + bits > 64 ? i64.or(lower, i64.shl(next, shift(64 - low))) : lower;
    return k < count - 1 ? i64.and(whole, mask) : whole;
  });
}

/** Carries signed limbs; the last one keeps the sign. */
function carried(f: FunctionBuilder, limbs: readonly I64[], bits: number): I64[] {
  const mask = i64.const(2n ** BigInt(bits) - 1n);
  let carry: I64 | undefined;
  return limbs.map((limb, k) => {
    const sum = f.let(carry ? i64.add(limb, carry) : limb);
    if (k === limbs.length - 1) return sum;
    carry = i64.shrS(sum, shift(bits));
    return f.let(i64.and(sum, mask));
  });
}

/** Writes an element in (-p, p), given by signed limbs. */
export function writeLimbs(f: FunctionBuilder, limbs: readonly I64[], bits: number, place: Place): void {
  const signed = carried(f, limbs, bits);
  const negative = f.let(i64.shrS(signed.at(-1)!, shift(63)));
  const modulus = limbsOf(fr.modulus, bits, limbs.length);
  const lifted = signed.map((limb, k) => i64.add(limb, i64.and(negative, i64.const(modulus[k]!))));
  const digits = carried(f, lifted, bits);
  for (const i of WORDS) {
    const parts = digits.flatMap((digit, k) => {
      const at = bits * k - 64 * i;
      if (at >= 64 || at + bits <= 0) return [];
      return [at < 0 ? i64.shrU(digit, shift(-at)) : i64.shl(digit, shift(at))];
    });
    const [first, ...rest] = parts;
    f.run(i64.store(place.address, swapBytes(f, i64.or(first!, ...rest)), place.offset + BYTES - 8 - 8 * i));
  }
}

/** Limbs of a non-negative integer, lowest first; the last takes all that is left. */
export function limbsOf(value: bigint, bits: number, count: number): bigint[] {
  const mask = 2n ** BigInt(bits) - 1n;
  return Array.from({ length: count }, (_, k) => {
    const rest = value >> BigInt(bits * k);
    return k < count - 1 ? rest & mask : rest;
  });
}
