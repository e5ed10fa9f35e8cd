/**
 * SHA-256 with the uppermost bit of every word cleared, in the place of Poseidon2 and without a backend: for processes that
 * run before anything is built. Trees over it have roots of their own.
 */
import { DIGEST_BYTES, type Digest } from '../../src/bytes.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import type { Hasher } from '../../src/hasher.ts';
import { sha256 } from './naive-tree.ts';

export function hashToWord(...parts: readonly Uint8Array[]): Digest {
  const digest = sha256(...parts).slice();
  for (let i = 7; i < DIGEST_BYTES; i += 8) digest[i]! &= 0x7f;
  return digest;
}

function hashAll(rows: Uint8Array, rowBytes: number, out: Digest): Digest {
  for (let i = 0; i < out.length / DIGEST_BYTES; i++) {
    out.set(hashToWord(rows.subarray(i * rowBytes, (i + 1) * rowBytes)), i * DIGEST_BYTES);
  }
  return out;
}

const hashPairs = (nodes: Uint8Array, out: Digest = new Uint8Array(nodes.length / 2)): Digest =>
  hashAll(nodes, 2 * DIGEST_BYTES, out);

const spec = {
  ...hashSpec('poseidon2-miden'),
  load: async () => ({ id: 'poseidon2-miden', hashPair: hashToWord }),
};

export const wordHasher = {
  spec,
  hashPair: hashToWord,
  hashElements: (elements: readonly bigint[]) =>
    hashToWord(new Uint8Array(BigUint64Array.from(elements).buffer)),
  hashPairsSync: hashPairs,
  hashPairs: async (nodes: Uint8Array, out?: Digest) => hashPairs(nodes, out),
  hashRows: async (rows: Uint8Array, elements: number) =>
    hashAll(rows, 8 * elements, new Uint8Array((rows.length / 8 / elements) * DIGEST_BYTES)),
} as unknown as Hasher;
