/** What BLAKE2 (RFC 7693) and BLAKE3 share: a round of eight mixes over a state of sixteen words. */

/** Size of a word and the four rotations of a mix. */
export interface BlakeWords {
  readonly bits: 32 | 64;
  readonly rotations: readonly [number, number, number, number];
}

export const blakeWords32: BlakeWords = { bits: 32, rotations: [16, 12, 8, 7] };
export const blakeWords64: BlakeWords = { bits: 64, rotations: [32, 24, 16, 63] };

/** The words of the state that each mix of a round takes: four columns, then four diagonals. */
export const mixes: readonly (readonly [number, number, number, number])[] = [0, 1].flatMap((turn) =>
  [0, 1, 2, 3].map(
    (i) => [i, 4 + ((i + turn) % 4), 8 + ((i + 2 * turn) % 4), 12 + ((i + 3 * turn) % 4)] as const,
  ),
);

/** Per round, the sixteen message words in the order in which its mixes take them, two each. */
export type Schedule = readonly (readonly number[])[];

/** All rounds, in place. */
export function blakeRounds(
  { bits, rotations: [r0, r1, r2, r3] }: BlakeWords,
  v: bigint[],
  words: readonly bigint[],
  schedule: Schedule,
): void {
  const add = (...terms: readonly bigint[]): bigint =>
    BigInt.asUintN(
      bits,
      terms.reduce((sum, term) => sum + term),
    );
  const rotate = (x: bigint, n: number): bigint =>
    BigInt.asUintN(bits, (x >> BigInt(n)) | (x << BigInt(bits - n)));
  for (const order of schedule) {
    mixes.forEach(([a, b, c, d], i) => {
      v[a] = add(v[a]!, v[b]!, words[order[2 * i]!]!);
      v[d] = rotate(v[d]! ^ v[a]!, r0);
      v[c] = add(v[c]!, v[d]!);
      v[b] = rotate(v[b]! ^ v[c]!, r1);
      v[a] = add(v[a]!, v[b]!, words[order[2 * i + 1]!]!);
      v[d] = rotate(v[d]! ^ v[a]!, r2);
      v[c] = add(v[c]!, v[d]!);
      v[b] = rotate(v[b]! ^ v[c]!, r3);
    });
  }
}

/** `count` little-endian words, zeros behind the end of `bytes`. */
export function readWords(bits: 32 | 64, bytes: Uint8Array, count: number): bigint[] {
  const padded = new Uint8Array((count * bits) / 8);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  return Array.from({ length: count }, (_, i) =>
    bits === 64 ? view.getBigUint64(8 * i, true) : BigInt(view.getUint32(4 * i, true)),
  );
}

/** Words as little-endian bytes. */
export function writeWords(bits: 32 | 64, words: readonly bigint[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array((words.length * bits) / 8);
  const view = new DataView(bytes.buffer);
  words.forEach((word, i) => {
    if (bits === 64) view.setBigUint64(8 * i, word, true);
    else view.setUint32(4 * i, Number(word), true);
  });
  return bytes;
}
