/** Digests to hash, and how many hashes they cost. */
import { DIGEST_BYTES } from '../bytes.js';

/** Digests without a pattern, canonical for every field: the top bits of each element are clear, whatever its size and order. */
export function testDigests(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * DIGEST_BYTES);
  const words = new Uint32Array(bytes.buffer);
  let state = 1;
  for (let i = 0; i < words.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    words[i] = state ^ (state >>> 15);
  }
  for (let i = 0; i < bytes.length; i += 8) {
    bytes[i]! &= 0x1f;
    bytes[i + 7]! &= 0x1f;
  }
  return bytes;
}

/** Hashes of a tree over so many leaves: every level is half as wide, rounded up. */
export function hashesOfTree(leaves: number): number {
  let hashes = 0;
  for (let nodes = leaves; nodes > 1; ) {
    nodes = Math.ceil(nodes / 2);
    hashes += nodes;
  }
  return hashes;
}
