/**
 * A tree over a set of values that proves what is in it, and what is not.
 */
import type { Digest } from '../bytes.js';
import { toHex } from '../bytes.js';
import { CambiumError, throwIfAborted } from '../errors.js';
import type { Hasher } from '../hasher.js';
import { readMany } from '../store/read.js';
import type { NodeStore, StoreOp } from '../store/types.js';
import { assertIdentity, encodeIdentity, identityKey, type TreeIdentity } from './identity.js';
import { batchWitnesses, sequenceWitnesses } from './indexed/answers.js';
import { type ChangeAt, type Changed, hashChange } from './indexed/change.js';
import { decodeHead, encodeHead, type Head } from './indexed/head.js';
import { compareKeys, turnKey } from './indexed/keys.js';
import { emptyNode, type Leaf, type LeafForm, leafForm, toPublic } from './indexed/leaf-form.js';
import { findLeaf, type IndexAt, indexAt, lowLeaf } from './indexed/ordered-index.js';
import { PageSet } from './indexed/pages.js';
import { type BatchPlan, type PlanAt, planBatch, planSequence, prefilledLeaves } from './indexed/plan.js';
import type {
  IndexedBatch,
  IndexedBatchOptions,
  IndexedInsertOptions,
  IndexedLeaf,
  IndexedOptions,
  IndexedProof,
  IndexedScheme,
  IndexedSequence,
  IndexedState,
} from './indexed/types.js';
import { type Entry, readEntries, readKey } from './indexed/values.js';
import { keyPrefix, singleKey } from './keys.js';
import { commitsOf, type SerialQueue, writersOf } from './queue.js';
import { MAX_DEPTH, wholeNumber } from './shape.js';

export type * from './indexed/types.js';

/**
 * A tree of fixed depth whose leaves form a list, sorted by value: leaf i is (value, nextIndex, nextValue). Values only
 * come; whatever stands between two neighbours of the list is proven to be absent.
 *
 * A batch is hashed level by level, one layer for each level, with the witnesses of all its steps; nodes that no witness
 * shows and that do not last are not hashed. It is one commit of the store, with the head in it: one that is refused, aborted or not written leaves the tree as it was. Handles on one
 * tree in one process take turns; every call sees one state of the tree.
 *
 * Every method rejects with `STORE_FAILED`, `STORE_LOCKED` or `CLOSED` when the store does, and with `STORE_CORRUPT`
 * when something that was committed is missing. A value is 32 bytes in the encoding of the hash; values are ordered as
 * integers, words of four elements by the last element first. Zero is padding: a batch may hold any number of zeros.
 *
 * @example
 * ```ts
 * const tree = await IndexedTree.open(hasher, memoryStore(), { depth: 20, scheme: 'typescript' });
 * const { root, lowLeafWitnesses } = await tree.insert(nullifiers); // n x 32 bytes
 * const proof = await tree.proveAbsence(other);
 * verifyAbsence(hasher, { root, depth: 20, scheme: 'typescript', value: other }, proof); // true
 * ```
 */
export class IndexedTree {
  /** Levels above the leaves. */
  readonly depth: number;
  readonly name: string;
  readonly scheme: IndexedScheme;
  readonly updatable: boolean;
  readonly #hasher: Hasher;
  readonly #store: NodeStore;
  readonly #form: LeafForm;
  readonly #prefix: Uint8Array;
  readonly #index: IndexAt;
  readonly #keys: { readonly head: Uint8Array; readonly identity: Uint8Array };
  readonly #zeros: readonly Digest[];
  readonly #writers: SerialQueue;
  readonly #commits: SerialQueue;
  #head: Head;

  /**
   * Opens the tree of this name; where the store has none, writes a new one with its prefilled leaves.
   *
   * @param hasher Hashes leaves and nodes; it stays the caller's to close.
   * @param store Holds the tree; it stays the caller's to close.
   * @throws {TypeError} @throws {RangeError} that names the option: out of range, not for this hash, or not what the
   *   stored tree has.
   * @throws {CambiumError} `VERSION_MISMATCH` when a later library wrote the tree, `STORE_CORRUPT`.
   */
  static async open(hasher: Hasher, store: NodeStore, options: IndexedOptions): Promise<IndexedTree> {
    const depth = Number(wholeNumber(options.depth, 'depth', 1n, BigInt(MAX_DEPTH)));
    const most = Math.min(2 ** depth, Number.MAX_SAFE_INTEGER);
    const prefill = Number(wholeNumber(options.prefill ?? 1, 'prefill', 1n, BigInt(most)));
    const tree = new IndexedTree(
      hasher,
      store,
      leafForm(hasher.spec, options),
      depth,
      options.name ?? 'main',
    );
    // Not at once: the database may still be opening.
    const [head] = await store.getMany([tree.#keys.head]);
    if (!head) await tree.#writers.run(() => tree.#create(prefill));
    const given = options.prefill === undefined ? {} : { prefill };
    const [identity] = await readMany(store, [tree.#keys.identity]);
    assertIdentity(identity, { ...tree.#identity, ...given }, tree.name);
    await tree.#refresh();
    return tree;
  }

  private constructor(hasher: Hasher, store: NodeStore, form: LeafForm, depth: number, name: string) {
    this.depth = depth;
    this.name = name;
    this.scheme = form.scheme;
    this.updatable = form.updatable;
    this.#hasher = hasher;
    this.#store = store;
    this.#form = form;
    this.#prefix = keyPrefix(name);
    this.#index = indexAt(this.#prefix, form.updatable);
    this.#keys = { head: singleKey(this.#prefix, 'h'), identity: identityKey(this.#prefix) };
    const zeros = [emptyNode(hasher, form)];
    for (let height = 0; height < depth; height++) {
      zeros.push(hasher.hashPair(zeros[height]!, zeros[height]!));
    }
    this.#zeros = zeros;
    this.#writers = writersOf(store, name);
    this.#commits = commitsOf(store, name);
    this.#head = { size: 0, version: 0n, root: zeros[depth]! };
  }

  /** Leaves in the tree, padding included, as of this handle's last call. */
  get size(): number {
    return this.#head.size;
  }

  /** The root now: 32 bytes. */
  async root(): Promise<Digest> {
    await this.#refresh();
    return this.#head.root.slice();
  }

  /**
   * Inserts values together, as one commit: their leaves stand side by side behind the last one, in the order given.
   *
   * In an updatable tree each value is 64 bytes, slot and data: a slot that is there gets new data, and its place among
   * the new leaves stays empty.
   *
   * @param values `n x 32` bytes, copied before the call returns; zeros are padding and take a place.
   * @returns with `witnesses: false` the new state alone; each changed node is then hashed once.
   * @throws {TypeError} @throws {RangeError} for a wrong length, data in slot zero, or a wrong `subtreeHeight`.
   * @throws {CambiumError} `KEY_EXISTS` for a value that is there twice or, unless updatable, in the tree already;
   *   `TREE_FULL`, `ABORTED`, `NOT_CANONICAL` with the position of the element. The tree is then as it was.
   */
  insert(
    values: Uint8Array,
    options: IndexedBatchOptions & { readonly witnesses: false },
  ): Promise<IndexedState>;
  insert(
    values: Uint8Array,
    options?: IndexedBatchOptions & { readonly witnesses?: true },
  ): Promise<IndexedBatch>;
  insert(values: Uint8Array, options: IndexedBatchOptions): Promise<IndexedBatch | IndexedState>;
  async insert(values: Uint8Array, options: IndexedBatchOptions = {}): Promise<IndexedBatch | IndexedState> {
    const entries = readEntries(values, this.#form);
    const { witnesses = true } = options;
    const height = this.#subtreeHeight(options.subtreeHeight, entries.length);
    return await this.#write(options, async () => {
      this.#assertRoom(entries.length);
      const plan: BatchPlan = await planBatch(this.#planAt, entries);
      const change = {
        ...plan,
        witnesses,
        total: entries.length,
        ...(witnesses && { siblingsFrom: height }),
      };
      const changed = await hashChange(this.#changeAt, change, options);
      const state = await this.#commit(changed, entries.length, options);
      return witnesses ? { ...state, ...batchWitnesses(this.#form, this.depth, plan, changed) } : state;
    });
  }

  /**
   * Inserts values one after the other, as one commit: the witnesses are those of as many single insertions. Zeros are
   * passed over and take no place; in an updatable tree a slot that is there gets new data and takes none either.
   *
   * @param values as {@link insert} takes them; in an updatable tree a slot may come several times.
   * @throws as {@link insert} does.
   */
  async insertSequential(values: Uint8Array, options: IndexedInsertOptions = {}): Promise<IndexedSequence> {
    const entries: readonly Entry[] = readEntries(values, this.#form);
    return await this.#write(options, async () => {
      const plan = await planSequence(this.#planAt, entries);
      const rewrites = plan.flatMap(([low, added]) => (added ? [low, added] : [low]));
      const added = rewrites.length - plan.length;
      this.#assertRoom(added);
      const change = { rewrites, added: [], witnesses: true, total: plan.length };
      const changed = await hashChange(this.#changeAt, change, options);
      const state = await this.#commit(changed, added, options);
      return { ...state, ...sequenceWitnesses(this.#form, this.depth, rewrites, changed) };
    });
  }

  /**
   * The leaf of a value and its position; undefined where the value is not in the tree. Zero always is.
   *
   * @throws {TypeError} @throws {RangeError} @throws {CambiumError} `NOT_CANONICAL` when `value` is no value.
   */
  async get(value: Uint8Array): Promise<{ readonly leaf: IndexedLeaf; readonly index: number } | undefined> {
    const key = readKey(value, this.#form);
    const found = await findLeaf(this.#store, this.#index, key);
    return found && { leaf: toPublic(this.#form, found), index: found.index };
  }

  /**
   * Proves that a value is in the tree, for `verifyMembership`.
   *
   * @throws as {@link get} does. @throws {CambiumError} `KEY_ABSENT` when it is not there.
   */
  async prove(value: Uint8Array): Promise<IndexedProof> {
    const key = readKey(value, this.#form);
    return await this.#read(async (store, size) => {
      const leaf = await findLeaf(store, this.#index, key);
      if (!leaf) throw new CambiumError('KEY_ABSENT', `value: ${toHex(value)} is not in the tree`);
      return await this.#prove(store, size, leaf);
    });
  }

  /**
   * Proves that a value is not in the tree, by the leaf below it, for `verifyAbsence`.
   *
   * @throws as {@link get} does. @throws {CambiumError} `KEY_EXISTS` when it is there.
   */
  async proveAbsence(value: Uint8Array): Promise<IndexedProof> {
    const key = readKey(value, this.#form);
    return await this.#read(async (store, size) => {
      const leaf = await lowLeaf(store, this.#index, key);
      if (compareKeys(leaf.key, key) === 0) {
        throw new CambiumError(
          'KEY_EXISTS',
          `value: ${toHex(turnKey(key, this.#form.input))} is in the tree`,
        );
      }
      return await this.#prove(store, size, leaf);
    });
  }

  get #identity(): TreeIdentity {
    const { depth, scheme, updatable } = this;
    return { tree: 'indexed', format: 1, depth, hash: this.#hasher.spec.id, scheme, updatable };
  }

  get #planAt(): PlanAt {
    return { store: this.#store, index: this.#index, form: this.#form, size: this.#head.size };
  }

  get #changeAt(): ChangeAt {
    return {
      hasher: this.#hasher,
      store: this.#store,
      prefix: this.#prefix,
      form: this.#form,
      index: this.#index,
      depth: this.depth,
      zeros: this.#zeros,
      size: this.#head.size,
    };
  }

  /** Writes a new tree, unless somebody else just did. */
  async #create(prefill: number): Promise<void> {
    await this.#refresh();
    if (this.#head.version > 0n) return;
    const change = {
      rewrites: [],
      added: prefilledLeaves(prefill, this.updatable),
      witnesses: false,
      total: prefill,
    };
    const changed = await hashChange(this.#changeAt, change, {});
    const identity = encodeIdentity({ ...this.#identity, prefill });
    await this.#commit(changed, prefill, {}, [{ put: this.#keys.identity, value: identity }]);
  }

  /** Runs a change in its turn, on the newest state. */
  async #write<T>({ signal }: IndexedInsertOptions, change: () => Promise<T>): Promise<T> {
    return await this.#writers.run(async () => {
      throwIfAborted(signal);
      await this.#refresh();
      return await change();
    });
  }

  /** Runs reads that belong to one state of the tree. */
  async #read<T>(read: (store: NodeStore, size: number) => Promise<T>): Promise<T> {
    if (!this.#store.snapshot) {
      return await this.#commits.run(async () => {
        await this.#refresh();
        return await read(this.#store, this.#head.size);
      });
    }
    const snapshot = this.#store.snapshot();
    try {
      const [head] = await readMany(snapshot, [this.#keys.head]);
      return await read(snapshot, decodeHead(head ?? new Uint8Array(0)).size);
    } finally {
      await snapshot.close();
    }
  }

  /** Takes over what is committed by now, perhaps through another handle. */
  async #refresh(): Promise<void> {
    const [bytes] = await readMany(this.#store, [this.#keys.head]);
    const head = bytes && decodeHead(bytes);
    // A change of this handle may have been committed since the bytes were read.
    if (head && head.version > this.#head.version) this.#head = head;
  }

  /** Writes a change and the head as one. */
  async #commit(
    { root, ops }: Changed,
    added: number,
    { signal, durable = false }: IndexedInsertOptions,
    more: readonly StoreOp[] = [],
  ): Promise<IndexedState> {
    const { size, version } = this.#head;
    if (root) {
      const head: Head = { size: size + added, version: version + 1n, root: root.slice() };
      const all = [...ops, ...more, { put: this.#keys.head, value: encodeHead(head) }];
      throwIfAborted(signal);
      await this.#commits.run(() => this.#store.commit(all, { durable }));
      this.#head = head;
    }
    return { root: this.#head.root.slice(), size: this.#head.size };
  }

  async #prove(store: NodeStore, size: number, leaf: Leaf): Promise<IndexedProof> {
    const pages = await PageSet.read(store, this.#changeAt, [leaf.index], size);
    return { leaf: toPublic(this.#form, leaf), index: leaf.index, siblings: pages.siblings(leaf.index) };
  }

  #assertRoom(added: number): void {
    const room = Math.min(2 ** this.depth, Number.MAX_SAFE_INTEGER) - this.#head.size;
    if (added > room) {
      throw new CambiumError('TREE_FULL', `the tree has room for ${room} leaves, got ${added}`);
    }
  }

  #subtreeHeight(height: number | undefined, count: number): number {
    if (height !== undefined) return Number(wholeNumber(height, 'subtreeHeight', 0n, BigInt(this.depth)));
    const log = Math.log2(count);
    return Number.isInteger(log) ? log : 0;
  }
}
