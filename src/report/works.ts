/** What is done at each size: a layer of pairs, and a whole tree. */
import { DIGEST_BYTES, type Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { merkleRoot } from '../tree/merkle.js';
import { hashesOfTree } from './input.js';
import type { ReportPoint } from './types.js';

/** One run of one kind. */
export interface Work {
  readonly kind: ReportPoint['work'];
  /** Hashes of a run over so many leaves. */
  hashes(leaves: number): number;
  /** A function that does it with one hasher over and over, into the same memory. */
  runner(hasher: Hasher, leaves: Uint8Array, signal: AbortSignal | undefined): () => Promise<Digest>;
}

export const WORKS: readonly Work[] = [
  {
    kind: 'layer',
    hashes: (leaves) => leaves / 2,
    runner(hasher, leaves, signal) {
      const out = new Uint8Array(leaves.length / 2);
      return () => hasher.hashPairs(leaves, out, signal ? { signal } : {});
    },
  },
  {
    kind: 'tree',
    hashes: hashesOfTree,
    runner(hasher, leaves, signal) {
      return () => merkleRoot(hasher, leaves, signal ? { signal } : {});
    },
  },
];

/** Bytes of so many digests. */
export const bytesOf = (leaves: number): number => leaves * DIGEST_BYTES;
