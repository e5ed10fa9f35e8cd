/**
 * A sparse Merkle tree whose leaves are values, kept in a store.
 */

import type { JobOptions } from '../backend/types.js';
import { assertLength, assertMultiple, DIGEST_BYTES, type Digest, digestAt } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { assertCanonical } from '../hash/canonical.js';
import type { Hasher } from '../hasher.js';
import type { NodeStore } from '../store/types.js';
import { bytesOf, DIGEST_WORDS, wordsOf } from './node-words.js';
import type { Proof } from './proof.js';
import { MAX_DEPTH, toIndex, wholeNumber } from './shape.js';
import { type CountedEdit, type Editor, ownLeaves, planChange } from './smt/change.js';
import type { Paths } from './smt/layout.js';
import { openPaths } from './smt/open-paths.js';
import { readPaths } from './smt/read.js';
import type { LeafRecord } from './smt/record.js';
import { type Planner, SmtState } from './smt/state.js';
import type { SimpleSmtOptions, SmtMutations, SmtWriteOptions } from './smt/types.js';

/** Positions and their values, in ascending order. */
interface Batch extends Paths {
  readonly values: Digest;
}

/**
 * Miden's `SimpleSmt`: a tree of fixed depth, 1 to 64, in which any position can be set. The leaf is the value itself; the
 * empty word stands where nothing is, and setting it removes a leaf. Its openings are those of a Merkle tree.
 *
 * A change hashes each node above its leaves once, level by level, and is one commit of the store with the head in it:
 * one that is refused, aborted or not written leaves the tree as it was. Handles on one tree in one process take turns.
 * It works over every hash. Every method rejects with `STORE_FAILED`, `STORE_LOCKED` or `CLOSED` when the store does,
 * and with `STORE_CORRUPT` when something that was committed is missing.
 *
 * @example
 * ```ts
 * const tree = await SimpleSmt.open(hasher, memoryStore(), { depth: 32 });
 * const root = await tree.setMany([7, 5n], values); // 2 x 32 bytes
 * const { leaf, siblings } = await tree.prove(5);
 * verifyProof(hasher, { root, leaf, index: 5, depth: 32 }, siblings); // true
 * ```
 */
export class SimpleSmt {
  /** Levels above the leaves. */
  readonly depth: number;
  readonly #hasher: Hasher;
  readonly #state: SmtState;

  /**
   * Opens the tree of this name, or a new empty one; a new tree is written to the store by its first change.
   *
   * @param hasher Hashes the nodes; it stays the caller's to close.
   * @param store Holds the nodes; it stays the caller's to close.
   * @throws {TypeError} @throws {RangeError} that names the option: out of range, or not what the stored tree has.
   * @throws {CambiumError} `VERSION_MISMATCH` when a later library wrote the tree, `STORE_CORRUPT`.
   */
  static async open(hasher: Hasher, store: NodeStore, options: SimpleSmtOptions): Promise<SimpleSmt> {
    const depth = Number(wholeNumber(options.depth, 'depth', 1n, BigInt(MAX_DEPTH)));
    const identity = { tree: 'simple-smt', format: 1, depth, hash: hasher.spec.id };
    const { name = 'main' } = options;
    const state = await SmtState.open(hasher, store, { name, depth, hasEntries: false, identity });
    return new SimpleSmt(hasher, state, depth);
  }

  private constructor(hasher: Hasher, state: SmtState, depth: number) {
    this.#hasher = hasher;
    this.#state = state;
    this.depth = depth;
  }

  get name(): string {
    return this.#state.name;
  }

  /** Leaves that are not empty, as of this handle's last call. */
  get size(): number {
    return this.#state.head.leaves;
  }

  /** The root now: 32 bytes. */
  async root(): Promise<Digest> {
    return (await this.#state.refresh()).root.slice();
  }

  /** Sets one leaf. As {@link setMany}. */
  async set(index: number | bigint, value: Uint8Array, options: SmtWriteOptions = {}): Promise<Digest> {
    assertLength(value, DIGEST_BYTES, 'value');
    return await this.setMany([index], value, options);
  }

  /**
   * Sets leaves together, as one commit.
   *
   * @param indices in any order, each below 2^depth.
   * @param values the value for each, `n x 32` bytes, copied before the call returns; the empty word removes a leaf.
   * @returns the root, 32 bytes.
   * @throws {TypeError} @throws {RangeError} that names what is out of range, or not as many as the other.
   * @throws {CambiumError} `KEY_EXISTS` for an index that is there twice, `NOT_CANONICAL` with the position of the
   *   element, `ABORTED`. The tree is then as it was.
   */
  async setMany(
    indices: readonly (number | bigint)[] | BigUint64Array,
    values: Uint8Array,
    options: SmtWriteOptions = {},
  ): Promise<Digest> {
    return await this.#state.write(this.#planner(indices, values), options);
  }

  /**
   * Hashes what {@link setMany} would do, and leaves the tree as it is.
   *
   * @throws as {@link setMany} does.
   */
  async computeMutations(
    indices: readonly (number | bigint)[] | BigUint64Array,
    values: Uint8Array,
    options: JobOptions = {},
  ): Promise<SmtMutations> {
    return await this.#state.compute(this.#planner(indices, values), options);
  }

  /**
   * Makes a change that {@link computeMutations} has hashed, as one commit, and gives the root.
   *
   * @throws {TypeError} for anything else. @throws {CambiumError} `SOURCE_CHANGED` when the tree has another root than the
   *   change was computed from, `ABORTED`. The tree is then as it was.
   */
  async applyMutations(mutations: SmtMutations, options: SmtWriteOptions = {}): Promise<Digest> {
    return await this.#state.apply(mutations, options);
  }

  /**
   * The value at an index, 32 bytes; the empty word where nothing is.
   *
   * @throws {TypeError} @throws {RangeError} unless `index` is below 2^depth.
   */
  async get(index: number | bigint): Promise<Digest> {
    const paths = pathsOf([this.#checkIndex(index, 'index')]);
    return await this.#state.read(async (at, head) => {
      const [leaf] = ownLeaves(paths, await readPaths(at, paths, head.leaves === 0));
      return this.#valueOf(leaf);
    });
  }

  /**
   * The value at an index and the siblings of its path, from the leaf upward: for `verifyProof`, empty leaves included.
   *
   * @throws {TypeError} @throws {RangeError} unless `index` is below 2^depth.
   */
  async prove(index: number | bigint): Promise<Proof> {
    const position = this.#checkIndex(index, 'index');
    return await this.#state.read(async (at, head) => {
      const [opening] = await openPaths(at, pathsOf([position]), head.leaves === 0);
      const { leaf, siblings } = opening!;
      return { index: toIndex(position), leaf: this.#valueOf(leaf), siblings };
    });
  }

  /** Checks and copies a batch before anything is awaited. */
  #planner(indices: readonly (number | bigint)[] | BigUint64Array, values: Uint8Array): Planner {
    const batch = this.#readBatch(indices, values);
    const empty = this.#hasher.spec.zero;
    const editor: Editor = async (leaves) => editValues(batch, leaves, empty);
    return async (at, head, options) => await planChange(this.#hasher, at, head, batch, editor, options);
  }

  #readBatch(indices: readonly (number | bigint)[] | BigUint64Array, values: Uint8Array): Batch {
    if (!Array.isArray(indices) && !(indices instanceof BigUint64Array)) {
      throw new TypeError(`indices: expected an array, got ${typeof indices}`);
    }
    assertMultiple(values, DIGEST_BYTES, 'values');
    const count = indices.length;
    if (values.length !== count * DIGEST_BYTES) {
      throw new RangeError(`values: expected ${count} x 32 bytes, got ${values.length}`);
    }
    assertCanonical(values, this.#hasher.spec.input);
    const given = Array.from(indices as readonly bigint[], (index, i) =>
      this.#checkIndex(index, `indices[${i}]`),
    );
    const order = given
      .map((_, i) => i)
      .sort((a, b) => (given[a]! < given[b]! ? -1 : given[a]! > given[b]! ? 1 : 0));
    const paths = pathsOf(order.map((i) => given[i]!));
    const sorted = new Uint8Array(values.length);
    for (const [at, i] of order.entries()) {
      const before = order[at - 1];
      if (before !== undefined && given[before] === given[i]) {
        throw new CambiumError('KEY_EXISTS', `indices: numbers ${before} and ${i} are both ${given[i]}`);
      }
      sorted.set(digestAt(values, i), at * DIGEST_BYTES);
    }
    return { ...paths, values: sorted };
  }

  #checkIndex(index: unknown, name: string): bigint {
    return wholeNumber(index, name, 0n, (1n << BigInt(this.depth)) - 1n);
  }

  #valueOf(leaf: LeafRecord | undefined): Digest {
    if (!leaf) return this.#hasher.spec.zero.slice();
    return bytesOf(new Uint32Array(leaf.chain.subarray(0, DIGEST_WORDS)));
  }
}

function pathsOf(indices: readonly bigint[]): Paths {
  const count = indices.length;
  const words = new Uint32Array(BigUint64Array.from(indices).buffer);
  const half = (at: number): Uint32Array => Uint32Array.from({ length: count }, (_, i) => words[2 * i + at]!);
  return { count, high: half(1), low: half(0) };
}

/** A value is its leaf. */
function editValues(
  { count, values }: Batch,
  leaves: readonly (LeafRecord | undefined)[],
  emptyLeaf: Digest,
): CountedEdit {
  const changed = new Uint8Array(count);
  const empty = new Uint8Array(count);
  const [after, none] = [wordsOf(values), wordsOf(emptyLeaf)];
  let more = 0;
  for (let i = 0; i < count; i++) {
    const leaf = leaves[i];
    if (isDigest(after, i * DIGEST_WORDS, leaf?.chain ?? none)) continue;
    changed[i] = 1;
    empty[i] = isDigest(after, i * DIGEST_WORDS, none) ? 1 : 0;
    more += (empty[i] ? 0 : 1) - (leaf ? 1 : 0);
  }
  return { changed, empty, nodes: values, moreLeaves: more, moreEntries: more };
}

/** Whether the digest at a place is this one. */
function isDigest(words: Uint32Array, at: number, digest: Uint32Array): boolean {
  for (let i = 0; i < DIGEST_WORDS; i++) if (words[at + i] !== digest[i]) return false;
  return true;
}
