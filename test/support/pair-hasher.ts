/** SHA-256 of pairs over node:crypto, without a backend: for processes that run before anything is built. */
import { DIGEST_BYTES, type Digest, digestAt } from '../../src/bytes.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import type { Hasher } from '../../src/hasher.ts';
import { sha256 } from './naive-tree.ts';

function hashPairsSync(nodes: Uint8Array, out: Digest): Digest {
  for (let i = 0; i < out.length / DIGEST_BYTES; i++) {
    out.set(sha256(digestAt(nodes, 2 * i), digestAt(nodes, 2 * i + 1)), i * DIGEST_BYTES);
  }
  return out;
}

export const pairHasher = {
  spec: hashSpec('sha256'),
  hashPair: (left: Uint8Array, right: Uint8Array) => sha256(left, right),
  hashPairsSync,
  hashPairs: async (nodes: Uint8Array, out: Digest) => hashPairsSync(nodes, out),
} as unknown as Hasher;
