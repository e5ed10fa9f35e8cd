/** A hasher over node:crypto without any backend. */
import { createHash } from 'node:crypto';
import type { ChunkJob } from '../../src/backend/types.ts';
import { concatBytes, DIGEST_BYTES, type Digest, digestAt } from '../../src/bytes.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import { messageBlocks } from '../../src/hash/sha256.ts';
import type { Hasher } from '../../src/hasher.ts';
import { chunkLeaves } from '../../src/leaf-source.ts';
import { foldTree } from '../../src/tree-job.ts';
import { sha256 } from '../support/naive-tree.ts';

const spec = hashSpec('sha256');
const hash = (message: Uint8Array): Digest => new Uint8Array(createHash('sha256').update(message).digest());
const hashPair = (left: Uint8Array, right: Uint8Array): Digest => sha256(left, right);
function hashPairsSync(nodes: Uint8Array, out = new Uint8Array(nodes.length / 2)): Digest {
  for (let i = 0; i < out.length / 32; i++) out.set(hash(nodes.subarray(64 * i, 64 * i + 64)), 32 * i);
  return out;
}
function hashMany(messages: Uint8Array, lengths: Uint32Array): Digest {
  const out = new Uint8Array(32 * lengths.length);
  let at = 0;
  lengths.forEach((length, i) => {
    out.set(hash(messages.subarray(at, at + length)), 32 * i);
    at += length;
  });
  return out;
}
function foldChunk(job: Omit<ChunkJob, 'samples'>) {
  const { source } = job;
  if (source.kind === 'device') throw new Error('no device');
  let nodes = source.kind === 'digests' ? source.digests.slice() : hashMany(source.messages, source.lengths);
  const layers = [nodes];
  for (let level = 0; level < job.levels; level++) {
    const count = nodes.length / DIGEST_BYTES;
    const last = digestAt(nodes, count - 1);
    if (count % 2 === 0) nodes = hashPairsSync(nodes);
    else if (job.padding === 'promote') nodes = concatBytes(hashPairsSync(nodes.subarray(0, -32)), last);
    else nodes = hashPairsSync(concatBytes(nodes, job.padding === 'zero' ? job.zeros[level]! : last));
    layers.push(nodes);
  }
  return { layers: layers.slice(job.keepFrom ?? job.levels), samples: [] };
}
const zeros = (level: number): Digest[] => {
  const all = [spec.zero];
  while (all.length <= level) all.push(hashPair(all.at(-1)!, all.at(-1)!));
  return all;
};
export const referenceHasher = {
  spec,
  hash,
  hashPair,
  hashPairsSync,
  hashMessages: async (messages: Uint8Array, lengths: Uint32Array) => hashMany(messages, lengths),
  async hashTree(source: never, options: Record<string, never> = {}) {
    const leaves = chunkLeaves(source, messageBlocks, options.signal);
    const { levels, fill, keepFrom, signal, onProgress } = options;
    return foldTree(
      {
        leaves,
        levels,
        padding: fill ?? 'zero',
        keepFrom,
        signal,
        onProgress,
        zeros,
        chunkLeaves: 16,
        chunksInFlight: 2,
      },
      async (job) => foldChunk(job),
    );
  },
  async close() {},
} as unknown as Hasher;
