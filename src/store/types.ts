/**
 * What a tree asks of a key-value store. Trees decide the keys; stores know no tree.
 */
import type { Digest } from '../bytes.js';

/** Longest key in bytes: what every supported database takes (LMDB's own limit). Keys have at least one byte. */
export const MAX_KEY_BYTES = 511;

/** One change of a {@link NodeStore.commit}. */
export type StoreOp = { readonly put: Uint8Array; readonly value: Uint8Array } | { readonly del: Uint8Array };

/** Part of a store in bytewise order of keys. Without a bound it is open on that side. */
export interface KeyRange {
  readonly gte?: Uint8Array;
  readonly gt?: Uint8Array;
  readonly lte?: Uint8Array;
  readonly lt?: Uint8Array;
  /** From the last key to the first. */
  readonly reverse?: boolean;
  /** Most entries, 0 for none. */
  readonly limit?: number;
}

/**
 * Keys of 1 to {@link MAX_KEY_BYTES} bytes to values of any length, the empty one included.
 *
 * What is passed in is copied before the call returns; what comes out belongs to the caller.
 *
 * Every method rejects, or throws, with a `CambiumError`: `STORE_FAILED` when the database fails (its error is the
 * `cause`), `STORE_LOCKED` when another process holds it, `CLOSED` after `close()`. A wrong key, value or range is a
 * `TypeError` or `RangeError`, and nothing was changed.
 */
export interface NodeStore extends AsyncDisposable {
  readonly supports: {
    /** Whether there is `getSync`. */
    readonly sync: boolean;
    /** Whether there is `snapshot`. */
    readonly snapshots: boolean;
    /** Whether entries outlive the process. */
    readonly persistent: boolean;
  };
  /** Values in the order of the keys, `undefined` for keys that are absent. */
  getMany(keys: readonly Uint8Array[]): Promise<(Digest | undefined)[]>;
  /**
   * One value at once; far cheaper than a promise where the database can do it. While the database is still opening
   * it fails; `getMany` waits.
   */
  getSync?(key: Uint8Array): Digest | undefined;
  /**
   * Applies all changes in their order, or none.
   *
   * A resolved commit outlives the process; with `durable` a power failure as well, at the price of a flush to disk.
   */
  commit(ops: readonly StoreOp[], options?: { readonly durable?: boolean }): Promise<void>;
  /**
   * Entries in bytewise order of their keys. A commit made meanwhile may be seen or not.
   *
   * At most one of `gte` and `gt`, and of `lte` and `lt`.
   */
  iterate(range?: KeyRange): AsyncIterable<[Digest, Digest]>;
  /** The entries of a range at once; for a look-up far cheaper than {@link iterate} where the database can do it. */
  iterateSync?(range?: KeyRange): [Digest, Digest][];
  /** The store as it is now, whatever is committed later. It takes no commits (`STORE_FAILED`); close it when done. */
  snapshot?(): NodeStore;
  /** Waits for commits under way. A database that was opened by the caller stays open: who opens it closes it. */
  close(): Promise<void>;
}
