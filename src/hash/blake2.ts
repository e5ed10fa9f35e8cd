/** BLAKE2 (RFC 7693), unkeyed and sequential, with digests of 32 bytes: what BLAKE2s and BLAKE2b share. */
import type { Digest } from '../bytes.js';
import { type BlakeWords, blakeRounds, readWords, type Schedule, writeWords } from './blake.js';
import { primeRoots } from './prime-roots.js';

/** The message words of ten rounds, in hexadecimal digits (RFC 7693, 2.7). Round ten repeats the first. */
const SIGMA = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
].map((row) => Array.from(row, (digit) => Number.parseInt(digit, 16)));

/** Digest length 32, no key, one leaf, depth one: what goes into the first word of the state. */
const PARAMETERS = 0x01010020n;

/** One member of the family. */
export interface Blake2 {
  readonly words: BlakeWords;
  readonly schedule: Schedule;
  readonly iv: readonly bigint[];
  /** The chaining value before the first block. */
  readonly start: readonly bigint[];
  readonly blockBytes: 64 | 128;
}

/** The member with words of this size and `rounds` rounds. */
export function blake2Family(words: BlakeWords, rounds: number): Blake2 {
  const iv = primeRoots(8, 2, words.bits);
  return {
    words,
    schedule: Array.from({ length: rounds }, (_, round) => SIGMA[round % SIGMA.length]!),
    iv,
    start: iv.map((word, i) => (i === 0 ? word ^ PARAMETERS : word)),
    blockBytes: words.bits === 64 ? 128 : 64,
  };
}

/** Blocks of a message: no padding, but an empty message takes one. */
export function blake2Blocks({ blockBytes }: Blake2, length: number): number {
  return Math.max(1, Math.ceil(length / blockBytes));
}

/** Folds one block into the chaining value. `end` counts the message's bytes up to the end of this block. */
function compress(
  family: Blake2,
  h: readonly bigint[],
  block: Uint8Array,
  end: bigint,
  last: boolean,
): bigint[] {
  const { words, schedule, iv } = family;
  const v = [...h, ...iv];
  const ones = (1n << BigInt(words.bits)) - 1n;
  v[12]! ^= end & ones;
  v[13]! ^= end >> BigInt(words.bits);
  if (last) v[14]! ^= ones;
  blakeRounds(words, v, readWords(words.bits, block, 16), schedule);
  return h.map((word, i) => word ^ v[i]! ^ v[i + 8]!);
}

/** The digest of a message of any length. */
export function blake2(family: Blake2, message: Uint8Array): Digest {
  const { words, start, blockBytes } = family;
  const blocks = blake2Blocks(family, message.length);
  let h: readonly bigint[] = start;
  for (let i = 0; i < blocks; i++) {
    const end = Math.min(message.length, (i + 1) * blockBytes);
    h = compress(family, h, message.subarray(i * blockBytes, end), BigInt(end), i === blocks - 1);
  }
  return writeWords(words.bits, h).slice(0, 32);
}
