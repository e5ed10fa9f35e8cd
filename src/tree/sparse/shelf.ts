/**
 * What differs between layouts: the hashes of a tree, and how its nodes lie in a store.
 */
import type { Digest } from '../../bytes.js';
import type { NodeStore, StoreOp } from '../../store/types.js';
import type { Draft } from './draft.js';

/** One root of a tree, as the store knows it. */
export interface State {
  /** Null for an empty tree where that has no root. */
  readonly root: Digest | null;
  /** Commits of its head up to it; 0 before the first one, and always where nodes lie under their hash. */
  readonly version: number;
  /** The top node as pages hold it; empty for an empty tree, and where nodes lie under their hash. */
  readonly top: Uint8Array;
}

/** A page or node that was read and may be replaced. */
export interface Loaded {
  readonly node: number;
  readonly version: number;
}

/** What a change makes of a tree. */
export interface Outcome {
  readonly state: State;
  readonly ops: readonly StoreOp[];
  /** To be called once the store has the changes, before the draft is used again. */
  readonly committed?: () => void;
}

/** How nodes of one layout are hashed, written and found. */
export interface Shelf {
  /** The root of a tree without entries. */
  readonly emptyRoot: Digest | null;
  /** Whether a node that loses a child stays where it is. */
  readonly inPlace: boolean;
  /** Store key of a head. */
  headKey(head: string): Digest;
  /** What the keys of all heads begin with, but for the one that Monotree itself has. */
  headPrefix(): Digest;
  /** What to write under {@link headKey}; undefined when the entry is to be removed. */
  encodeHead(state: State, head: string): Uint8Array | undefined;
  /** @throws {CambiumError} `STORE_CORRUPT`. */
  decodeHead(bytes: Uint8Array): State;
  /** What the store has exactly where it has a root. */
  rootKey(root: Digest): Digest;
  /** The state that the entry under {@link rootKey} tells of. @throws {CambiumError} `STORE_CORRUPT`. */
  stateOf(root: Digest, bytes: Uint8Array): State;
  /** The top node of a state in a draft. */
  open(draft: Draft, state: State): number;
  /**
   * Bits that a key must share with a remote node that branches at `bit` for the node to be read: what the key brings may
   * come to lie in the node's own page, above it.
   */
  reach(bit: number): number;
  /** Store key of what a remote node must read. */
  nodeKey(draft: Draft, node: number): Digest;
  /** What a remote node must read, when that is known already. */
  known(draft: Draft, node: number): Uint8Array | undefined;
  /** Gives a remote node what was read. @throws {CambiumError} `STORE_CORRUPT`. */
  attach(draft: Draft, node: number, bytes: Uint8Array | undefined): void;
  /** The leaf of a key, without a draft; at once where the store can. @throws {CambiumError} `STORE_CORRUPT`. */
  find(store: NodeStore, state: State, key: Uint8Array): Digest | undefined | Promise<Digest | undefined>;
  /** Hashes what has changed below `top`, and says what must be written; at once where that is little. */
  outcome(draft: Draft, top: number, change: Change): Outcome | Promise<Outcome>;
}

/** Circumstances of a change. */
export interface Change {
  /** The version to write. */
  readonly version: number;
  readonly loaded: readonly Loaded[];
  readonly signal: AbortSignal | undefined;
}
