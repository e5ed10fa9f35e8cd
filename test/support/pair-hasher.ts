/** SHA-256 of pairs and of messages over node:crypto, without a backend: for processes that run before anything is built. */
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

async function hashMessages(messages: Uint8Array, lengths: Uint32Array): Promise<Digest> {
  const out = new Uint8Array(lengths.length * DIGEST_BYTES);
  let at = 0;
  for (const [i, length] of lengths.entries()) {
    out.set(sha256(messages.subarray(at, at + length)), i * DIGEST_BYTES);
    at += length;
  }
  return out;
}

export const pairHasher = {
  spec: hashSpec('sha256'),
  hashPair: (left: Uint8Array, right: Uint8Array) => sha256(left, right),
  hashPairsSync,
  hash: (message: Uint8Array) => sha256(message),
  hashMessages,
  hashPairs: async (nodes: Uint8Array, out: Digest) => hashPairsSync(nodes, out),
} as unknown as Hasher;
