/**
 * Values as keys: 32 bytes whose bytewise order is the order of the tree.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import type { HashInput } from '../../hash/types.js';
import { writeIndex } from '../keys.js';

/** The key of no value: behind the greatest. */
export const ZERO_KEY: Digest = /* @__PURE__ */ new Uint8Array(DIGEST_BYTES);

/**
 * The key of a value, or the value of a key. Bytes and big-endian elements are their own keys; a word of four
 * little-endian elements is ordered by its last element first, so its key is the word read backwards.
 */
export function turnKey(bytes: Uint8Array, input: HashInput): Digest {
  const copy = new Uint8Array(bytes);
  return input !== 'bytes' && input.order === 'le' ? copy.reverse() : copy;
}

/** Bytewise order: negative, 0 or positive. */
export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < DIGEST_BYTES; i++) {
    const difference = a[i]! - b[i]!;
    if (difference) return difference;
  }
  return 0;
}

export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** A whole number as a key. */
export function keyOfNumber(value: number | bigint): Digest {
  const key = new Uint8Array(DIGEST_BYTES);
  writeIndex(key, DIGEST_BYTES - 8, value);
  return key;
}
