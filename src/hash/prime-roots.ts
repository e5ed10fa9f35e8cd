/** Constants that hide nothing: the leading bits of the fractional parts of roots of the first primes. */

const isPrime = (n: number): boolean => {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
  return true;
};

/**
 * The first `bits` bits of the fractional part of the square (`root` 2) or cube (3) roots of the first `count` primes
 * (FIPS 180-4, 4.2.2 and 5.3.3).
 */
export function primeRoots(count: number, root: 2 | 3, bits: 32 | 64): bigint[] {
  const words: bigint[] = [];
  for (let candidate = 2; words.length < count; candidate++) {
    if (!isPrime(candidate)) continue;
    // The integer root of candidate * 2^(bits * root), found by bisection, holds the wanted bits at its low end.
    const radicand = BigInt(candidate) << BigInt(bits * root);
    let low = 0n;
    let high = 1n << BigInt(bits + 8);
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** BigInt(root) <= radicand) low = middle;
      else high = middle;
    }
    words.push(BigInt.asUintN(bits, low));
  }
  return words;
}
