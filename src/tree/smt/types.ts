/**
 * What the sparse Merkle trees of fixed depth take and give.
 */
import type { JobOptions } from '../../backend/types.js';
import type { Digest } from '../../bytes.js';

/**
 * A change that is hashed and not made: `computeMutations` gives it, `applyMutations` makes it. It goes with the root that
 * it was computed from.
 */
export interface SmtMutations {
  /** The root that it changes, 32 bytes. */
  readonly oldRoot: Digest;
  /** The root that it leads to, 32 bytes. */
  readonly newRoot: Digest;
}

/** Options of one change. */
export interface SmtWriteOptions extends JobOptions {
  /** Whether the commit must outlive a power failure, not only the process; default false. */
  readonly durable?: boolean;
}

/** How to open a `SimpleSmt`. */
export interface SimpleSmtOptions {
  /** Levels above the leaves, 1 to 64. */
  readonly depth: number;
  /** Trees of different names share a store; default `main`. */
  readonly name?: string;
}

/** The leaf rules of an `Smt`, by the version of Miden's library that brought them. */
export type SmtScheme = 'v0.19' | 'v0.21' | 'v0.24' | 'v0.25';

/** How to open an `Smt`. */
export interface SmtOptions {
  readonly scheme: SmtScheme;
  /** Trees of different names share a store; default `main`. */
  readonly name?: string;
}

/** What an `Smt` has at a key. */
export interface SmtProof {
  /** 32 bytes; zeros where the key is absent. */
  readonly value: Digest;
  /** All entries of the key's leaf in their order, key and value of each: `n x 64` bytes. */
  readonly entries: Digest;
  /** 64 digests of 32 bytes, from the leaf upward. */
  readonly siblings: readonly Digest[];
}

/** What `verifySmtProof` is to confirm. */
export interface SmtClaim {
  readonly scheme: SmtScheme;
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** 32 bytes; zeros for an absent key. */
  readonly value: Uint8Array;
}
