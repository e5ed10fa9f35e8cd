/**
 * Digests by words: copying eight of them is ten times cheaper than a view and `set` for each node.
 */
import { DIGEST_BYTES, type Digest } from '../bytes.js';

/** Words of one digest. */
export const DIGEST_WORDS: number = DIGEST_BYTES / 4;

/** The same memory as words; it must begin at one. */
export function wordsOf(bytes: Digest): Uint32Array<ArrayBuffer> {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** The same memory as bytes. */
export function bytesOf(words: Uint32Array<ArrayBuffer>): Digest {
  return new Uint8Array(words.buffer, words.byteOffset, words.length * 4);
}

/** Copies one digest; positions count words. */
export function copyDigest(from: Uint32Array, source: number, to: Uint32Array, target: number): void {
  for (let i = 0; i < DIGEST_WORDS; i++) to[target + i] = from[source + i]!;
}
