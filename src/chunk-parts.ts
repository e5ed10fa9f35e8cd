/** A chunk as a tree of smaller chunks, for a device that has not the memory for it in one piece. */

import { rowRange } from './backend/rows.js';
import type { ChunkJob, ChunkResult, ChunkSource } from './backend/types.js';
import { DIGEST_BYTES } from './bytes.js';
import type { ChunkedLeaves } from './leaf-source.js';
import { type FoldChunk, foldTree, hashLeaves } from './tree-job.js';

/** Does the job of one chunk by chunks of at most `size` leaves, a power of two, one at a time. */
export async function foldInParts(
  job: Omit<ChunkJob, 'samples'>,
  size: number,
  fold: FoldChunk,
): Promise<ChunkResult> {
  const { levels, padding, keepFrom, zeros, signal, firstLeaf = 0 } = job;
  const parts = { leaves: partsOf(job), chunkLeaves: size, chunksInFlight: 1, signal };
  const foldPart: FoldChunk = (part) => fold({ ...part, firstLeaf: firstLeaf + (part.firstLeaf ?? 0) });
  if (levels === 0) return { layers: [await hashLeaves(parts, foldPart)], samples: [] };
  const { root, layers } = await foldTree(
    { ...parts, levels, padding, keepFrom, zeros: (level) => zeros.slice(0, level + 1) },
    foldPart,
  );
  return { layers: keepFrom === undefined ? [root] : layers, samples: [] };
}

function partsOf({ source, leafCount }: Pick<ChunkJob, 'source' | 'leafCount'>): ChunkedLeaves {
  return {
    count: leafCount,
    leafHashes: 0,
    chunkLeaves: (wanted) => wanted,
    *chunks(size) {
      for (let first = 0; first < leafCount; first += size) {
        const count = Math.min(size, leafCount - first);
        yield { source: partOf(source, first, count), leafCount: count };
      }
    },
  };
}

/** Leaves `first` to `first + count` of a chunk's source. */
function partOf(source: ChunkSource, first: number, count: number): ChunkSource {
  switch (source.kind) {
    case 'digests': {
      const digests = source.digests.subarray(first * DIGEST_BYTES, (first + count) * DIGEST_BYTES);
      return { ...source, digests };
    }
    case 'device':
      return { ...source, byteOffset: source.byteOffset + first * DIGEST_BYTES };
    case 'matrix':
      return { ...source, matrix: rowRange(source.matrix, first, count) };
    case 'messages': {
      const lengths = source.lengths.subarray(first, first + count);
      const start = sum(source.lengths.subarray(0, first));
      return { ...source, lengths, messages: source.messages.subarray(start, start + sum(lengths)) };
    }
  }
}

function sum(lengths: Uint32Array): number {
  return lengths.reduce((total, length) => total + length, 0);
}
