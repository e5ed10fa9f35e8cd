/**
 * What an indexed tree takes and gives.
 */
import type { JobOptions } from '../../backend/types.js';
import type { Digest } from '../../bytes.js';

/**
 * How leaves and nodes are hashed.
 *
 * - `pr`: leaf hash of (value, nextIndex, nextValue); an empty leaf is that of (0, 0, 0). The prototype of 2024
 * - `typescript`: leaf hash of (value, nextValue, nextIndex); an empty leaf is the zero of the hash. Aztec's packages up to 4.x
 * - `separated`: the same, under a hash whose nodes carry a separator (`poseidon2-bn254-sep-…`). Aztec's native trees of 5.0
 */
export type IndexedScheme = 'pr' | 'typescript' | 'separated';

/** How to open an `IndexedTree`. */
export interface IndexedOptions {
  /** Levels above the leaves, 1 to 64: the tree takes 2^depth leaves, at most 2^53 - 1. */
  readonly depth: number;
  readonly scheme: IndexedScheme;
  /** Trees of different names share a store; default `main`. */
  readonly name?: string;
  /** A new tree begins with the values 0 to `prefill` - 1; default 1, the value 0 alone. */
  readonly prefill?: number;
  /**
   * Whether leaves carry data that later writes replace: the public-data form. Its leaf hash is that of
   * (value, data, nextValue, nextIndex), where `value` is the slot. Not for `pr`. Default false.
   */
  readonly updatable?: boolean;
}

/** A leaf before it is hashed. Values are 32 bytes in the hash's own encoding. */
export interface IndexedLeaf {
  /** The value; in an updatable tree the slot, by which leaves are ordered. */
  readonly value: Digest;
  /** What the slot holds; in updatable trees alone. */
  readonly data?: Digest;
  /** Where the next greater value stands; 0 behind the greatest. */
  readonly nextIndex: number | bigint;
  /** The next greater value; zero behind the greatest. */
  readonly nextValue: Digest;
}

/** A leaf, its position, and the siblings of its path: `depth` digests of 32 bytes, lowest first. */
export interface IndexedProof {
  readonly leaf: IndexedLeaf;
  readonly index: number | bigint;
  readonly siblings: readonly Digest[];
}

/** Options of one insertion. */
export interface IndexedInsertOptions extends JobOptions {
  /** Whether the commit must outlive a power failure, not only the process; default false. */
  readonly durable?: boolean;
}

/** Options of one batch. */
export interface IndexedBatchOptions extends IndexedInsertOptions {
  /** Whether to make witnesses; without them each changed node is hashed once. Default true. */
  readonly witnesses?: boolean;
  /**
   * Height of the new subtree, the levels that `subtreeSiblings` leaves out; 0 to the depth. Default: log2 of the number
   * of values where that is whole, else 0.
   */
  readonly subtreeHeight?: number;
}

/** A root and the number of leaves under it, padding included. */
export interface IndexedState {
  /** 32 bytes. */
  readonly root: Digest;
  readonly size: number;
}

/** What a batch did: the leaves that it rewrote, in order, and where it put its own. */
export interface IndexedBatch extends IndexedState {
  /** The values from the greatest to the least, as they were given: 32 bytes each, 64 in an updatable tree. */
  readonly sortedValues: Digest;
  /** Where each of them stood in the batch. */
  readonly originalIndices: readonly number[];
  /**
   * One for each sorted value: its low leaf, or the leaf that it updates, as it was just before, with the path of that
   * moment. Those of zeros, which come last, are fillers made of zeros.
   */
  readonly lowLeafWitnesses: readonly IndexedProof[];
  /** Siblings of the subtree that the batch fills, after the rewrites and before it is put in, lowest first. */
  readonly subtreeSiblings: readonly Digest[];
}

/** What an insertion one by one did. */
export interface IndexedSequence extends IndexedState {
  /** One for each value that is not zero, in the order given, as in {@link IndexedBatch}. */
  readonly lowLeafWitnesses: readonly IndexedProof[];
  /** For each of them the empty position that it took, with the path just before; a filler made of zeros for updates. */
  readonly insertionWitnesses: readonly IndexedProof[];
}
