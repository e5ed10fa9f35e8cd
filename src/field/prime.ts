/** Arithmetic of a prime field on bigints: short, slow, obviously right. The oracle that every kernel is compared with. */

/** A prime field. Operands and results are canonical: `0 <= x < modulus`. */
export interface PrimeField {
  readonly modulus: bigint;
  /** The canonical representative of any integer. */
  reduce(x: bigint): bigint;
  add(a: bigint, b: bigint): bigint;
  sub(a: bigint, b: bigint): bigint;
  neg(a: bigint): bigint;
  mul(a: bigint, b: bigint): bigint;
  square(a: bigint): bigint;
  /** `a^exponent` for `exponent >= 0`; `0^0` is 1. */
  pow(a: bigint, exponent: bigint): bigint;
  /** `1 / a`. @throws {RangeError} when `a` is 0. */
  inverse(a: bigint): bigint;
  /** All inverses for the price of one and three products each. @throws {RangeError} when one of them is 0. */
  batchInverse(values: readonly bigint[]): bigint[];
}

/**
 * The field of integers modulo a prime.
 *
 * @example
 * ```ts
 * primeField(7n).inverse(3n); // 5n
 * ```
 */
export function primeField(modulus: bigint): PrimeField {
  const reduce = (x: bigint): bigint => {
    const r = x % modulus;
    return r < 0n ? r + modulus : r;
  };
  const mul = (a: bigint, b: bigint): bigint => (a * b) % modulus;
  const pow = (a: bigint, exponent: bigint): bigint => {
    let result = 1n;
    for (let base = a, e = exponent; e > 0n; e >>= 1n, base = mul(base, base)) {
      if (e & 1n) result = mul(result, base);
    }
    return result;
  };
  const inverse = (a: bigint): bigint => {
    if (a === 0n) throw new RangeError('inverse: 0 has no inverse');
    return pow(a, modulus - 2n);
  };
  const batchInverse = (values: readonly bigint[]): bigint[] => {
    const prefixes = [1n];
    for (const [i, value] of values.entries()) prefixes.push(mul(prefixes[i]!, value));
    let rest = inverse(prefixes[values.length]!);
    const inverses = new Array<bigint>(values.length);
    for (let i = values.length - 1; i >= 0; i--) {
      inverses[i] = mul(rest, prefixes[i]!);
      rest = mul(rest, values[i]!);
    }
    return inverses;
  };
  return {
    modulus,
    reduce,
    add: (a, b) => (a + b) % modulus,
    sub: (a, b) => reduce(a - b),
    neg: (a) => reduce(-a),
    mul,
    square: (a) => mul(a, a),
    pow,
    inverse,
    batchInverse,
  };
}
