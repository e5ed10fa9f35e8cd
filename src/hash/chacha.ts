/** ChaCha with eight rounds as a source of numbers, seeded as Rust's `rand_chacha` seeds it from a 64-bit integer. */

const MASK64 = 0xffffffffffffffffn;

const rotateLeft = (x: number, n: number): number => (x << n) | (x >>> (32 - n));
const rotateRight = (x: number, n: number): number => rotateLeft(x, (32 - n) & 31);

/** The key of eight words that `SeedableRng::seed_from_u64` stretches a seed to, by one PCG step a word. */
function stretchSeed(seed: bigint): number[] {
  let state = seed;
  return Array.from({ length: 8 }, () => {
    state = (state * 6364136223846793005n + 11634580027462260723n) & MASK64;
    const mixed = Number((((state >> 18n) ^ state) >> 27n) & 0xffffffffn);
    return rotateRight(mixed, Number(state >> 59n));
  });
}

function quarterRound(s: Uint32Array, a: number, b: number, c: number, d: number): void {
  for (const [left, right] of [
    [16, 12],
    [8, 7],
  ] as const) {
    s[a]! += s[b]!;
    s[d] = rotateLeft(s[d]! ^ s[a]!, left);
    s[c]! += s[d]!;
    s[b] = rotateLeft(s[b]! ^ s[c]!, right);
  }
}

/** The 16 words of one block of the stream. */
function block(key: readonly number[], counter: number): Uint32Array {
  // "expand 32-byte k", the key, the counter, no nonce.
  const start = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...key, counter, 0, 0, 0);
  const s = start.slice();
  for (let doubleRound = 0; doubleRound < 4; doubleRound++) {
    for (let i = 0; i < 4; i++) quarterRound(s, i, i + 4, i + 8, i + 12);
    for (let i = 0; i < 4; i++) quarterRound(s, i, ((i + 1) & 3) + 4, ((i + 2) & 3) + 8, ((i + 3) & 3) + 12);
  }
  return s.map((word, i) => word + start[i]!);
}

/**
 * Numbers below `bound`, evenly distributed, as `rand`'s `Uniform` draws them from `ChaCha8Rng::seed_from_u64(seed)`:
 * the high half of a 128-bit product with a random 64-bit number, unless the low half is in the uneven rest.
 */
export function* chacha8Below(bound: bigint, seed: bigint): Generator<bigint, never> {
  const key = stretchSeed(seed);
  const uneven = (MASK64 - bound + 1n) % bound;
  for (let counter = 0; ; counter++) {
    const words = block(key, counter);
    for (let i = 0; i < 16; i += 2) {
      const product = ((BigInt(words[i + 1]!) << 32n) | BigInt(words[i]!)) * bound;
      if ((product & MASK64) <= MASK64 - uneven) yield product >> 64n;
    }
  }
}
