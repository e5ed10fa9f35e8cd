/**
 * A sparse tree as it is, or was, with one root: everything that reads.
 */
import { type Digest, digestAt } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { KEY_BYTES } from './bits.js';
import { getLeaves, getValue, type TreeContext, valuesOf } from './context.js';
import type { ByteStrings } from './entries.js';
import {
  proveEntries,
  provePath,
  provePaths,
  type SparseAbsenceProof,
  type SparseMultiProof,
  type SparseProof,
  type SparseRangeProof,
} from './proofs.js';
import type { State } from './shelf.js';
import { checkRange } from './verify.js';

/** What reads a sparse tree, now or at an earlier root. */
export interface SparseReader {
  /**
   * The leaf of a key, 32 bytes; undefined for a key that is not there. In the layouts `celestia` and `jmt`: the value.
   *
   * @throws {TypeError} @throws {RangeError} unless the key has 32 bytes, where keys are not hashed.
   */
  get(key: Uint8Array): Promise<Digest | undefined>;
  /** Leaves of many keys, in their order; in the layouts `celestia` and `jmt`: values. */
  getMany(keys: ByteStrings): Promise<(Digest | undefined)[]>;
  /** The bytes that were given beside the leaf of a key; undefined where there are none. */
  value(key: Uint8Array): Promise<Digest | undefined>;
  /**
   * Proves that a key has its leaf.
   *
   * @throws {CambiumError} `KEY_ABSENT` when it has none. @throws {TypeError} @throws {RangeError} as `get`.
   */
  prove(key: Uint8Array): Promise<SparseProof>;
  /** Proves that a key has no leaf. @throws {CambiumError} `KEY_EXISTS` when it has one. */
  proveAbsence(key: Uint8Array): Promise<SparseAbsenceProof>;
  /** Proves for each of many keys that it has its leaf, or none. @throws {RangeError} when a key is there twice. */
  proveMany(keys: ByteStrings): Promise<SparseMultiProof>;
  /**
   * Proves which entries there are from one key to another, both included: 32 bytes each, in the layouts `celestia` and
   * `jmt` hashes of keys.
   *
   * @throws {TypeError} @throws {RangeError} unless they are two keys in this order.
   */
  proveRange(from: Uint8Array, to: Uint8Array): Promise<SparseRangeProof>;
}

/**
 * A sparse tree at one of its roots, read-only. Made by `SparseTree.at`.
 *
 * Its methods reject with `STORE_CORRUPT` once its nodes have been pruned.
 */
export class SparseView implements SparseReader {
  readonly #context: TreeContext;
  readonly #state: State;

  constructor(context: TreeContext, state: State) {
    this.#context = context;
    this.#state = state;
  }

  /** 32 bytes; null for an empty tree of the layouts `canonical` and `monotree`. */
  get root(): Digest | null {
    return this.#state.root?.slice() ?? null;
  }

  async get(key: Uint8Array): Promise<Digest | undefined> {
    const { form, shelf, store } = this.#context;
    const path = form.path(key);
    if (form.hashed) return await getValue(this.#context, this.#state, path);
    return await shelf.find(store, this.#state, path);
  }

  async getMany(keys: ByteStrings): Promise<(Digest | undefined)[]> {
    const paths = await this.#context.form.paths(keys);
    const leaves = await getLeaves(this.#context, this.#state, paths);
    return this.#context.form.hashed ? await valuesOf(this.#context, paths, leaves) : leaves;
  }

  async value(key: Uint8Array): Promise<Digest | undefined> {
    return await getValue(this.#context, this.#state, this.#context.form.path(key));
  }

  async prove(key: Uint8Array): Promise<SparseProof> {
    const { form } = this.#context;
    const path = form.path(key);
    const { proof, leaf } = await provePath(this.#context, this.#state, path);
    if (!leaf) throw new CambiumError('KEY_ABSENT', 'key: the tree has no such entry; see proveAbsence');
    if (!form.hashed) return { key: path, leaf, path: proof };
    const [value] = await valuesOf(this.#context, path, [leaf]);
    return { key: new Uint8Array(key), leaf: value!, path: proof };
  }

  async proveAbsence(key: Uint8Array): Promise<SparseAbsenceProof> {
    const { proof, leaf } = await provePath(this.#context, this.#state, this.#context.form.path(key));
    if (leaf) throw new CambiumError('KEY_EXISTS', 'key: the tree has such an entry; see prove');
    return { key: new Uint8Array(key), path: proof };
  }

  async proveMany(keys: ByteStrings): Promise<SparseMultiProof> {
    const { form } = this.#context;
    const strings = form.strings(keys, 'keys');
    const paths = await form.paths(strings);
    const copies =
      strings instanceof Uint8Array
        ? Array.from({ length: paths.length / KEY_BYTES }, (_, i) => digestAt(paths, i).slice() as Digest)
        : strings.map((key) => new Uint8Array(key));
    const { proof, leaves } = await provePaths(this.#context, this.#state, paths);
    const shown = form.hashed ? await valuesOf(this.#context, paths, leaves) : leaves;
    return { keys: copies, leaves: shown, path: proof };
  }

  async proveRange(from: Uint8Array, to: Uint8Array): Promise<SparseRangeProof> {
    checkRange(from, to);
    return await proveEntries(this.#context, this.#state, new Uint8Array(from), new Uint8Array(to));
  }
}
