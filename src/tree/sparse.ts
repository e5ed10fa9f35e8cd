/**
 * A sparse Merkle tree: a map from 32-byte keys to 32-byte leaves with a root, kept in a store with its past.
 */
import { assertLength, DIGEST_BYTES, type Digest, equalBytes } from '../bytes.js';
import { throwIfAborted } from '../errors.js';
import type { Hasher } from '../hasher.js';
import { readMany } from '../store/read.js';
import type { NodeStore, StoreOp } from '../store/types.js';
import { assertIdentity, encodeIdentity, identityKey, type TreeIdentity } from './identity.js';
import { keyPrefix } from './keys.js';
import { type SerialQueue, writersOf } from './queue.js';
import { Applier } from './sparse/apply.js';
import { copyBytes, KEY_BYTES } from './sparse/bits.js';
import { getValue, type TreeContext, valueKey, withDraft } from './sparse/context.js';
import { type Draft, ENTRY_BYTES, NONE } from './sparse/draft.js';
import { type ByteStrings, type Entries, EntryForm, type SparseOp } from './sparse/entries.js';
import { headsOf, nextVersion } from './sparse/heads.js';
import { checkLayout, type SparseLayout, shelfOf } from './sparse/layout.js';
import { Loader } from './sparse/load.js';
import { MessageLayers } from './sparse/message-layer.js';
import type { SparseAbsenceProof, SparseMultiProof, SparseProof, SparseRangeProof } from './sparse/proofs.js';
import { type PruneResult, pruneTree } from './sparse/prune.js';
import { runsOf } from './sparse/runs.js';
import type { Outcome, State } from './sparse/shelf.js';
import { type SparseReader, SparseView } from './sparse/view.js';

export type { ByteStrings, SparseOp } from './sparse/entries.js';
export type { SparseLayout } from './sparse/layout.js';
export type {
  SparseAbsenceProof,
  SparseMultiProof,
  SparseProof,
  SparseRangeProof,
} from './sparse/proofs.js';
export type { PruneResult } from './sparse/prune.js';
export type { SparseReader, SparseView } from './sparse/view.js';

/** How to open a {@link SparseTree}. */
export interface SparseOptions {
  /** Trees of different names share a store; default `main`. */
  readonly name?: string;
  /** Default `canonical`. */
  readonly layout?: SparseLayout;
  /** A tree has a root for each of its heads, which share nodes; default `main`. */
  readonly head?: string;
  /** The root at which a head begins that is not there yet; default: the empty tree. */
  readonly from?: Uint8Array;
}

/** Options of one change. */
export interface SparseWriteOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether the commit must outlive a power failure, not only the process; default false. */
  readonly durable?: boolean;
}

/** Options of one insert. */
export interface SparseInsertOptions extends SparseWriteOptions {
  /** Bytes of yours to keep beside the leaf; not in the layouts `celestia` and `jmt`, where the leaf is the value. */
  readonly value?: Uint8Array;
}

/**
 * A sparse Merkle tree in a store.
 *
 * Its root is that of Monotree 0.4 over the same hash (layouts `canonical` and `monotree`), of celestia's tree or of a
 * Jellyfish Merkle tree. A batch is sorted, split once on its way down and hashed by height: n fresh entries cost n - 1
 * hashes. It is one commit, with the head in it: a batch that is refused, aborted or not written leaves the tree as it
 * was. Every earlier root stays readable until it is pruned. Several handles, in one process, on one tree take turns.
 *
 * Every method rejects with `STORE_FAILED`, `STORE_LOCKED` or `CLOSED` when the store does, and with `STORE_CORRUPT`
 * when something that was committed is missing.
 *
 * @example
 * ```ts
 * const hasher = await createHasher('blake3');
 * const tree = await SparseTree.open(hasher, memoryStore());
 * const before = await tree.insert(key, leaf); // 32 bytes each
 * const root = await tree.batch([{ put: other, leaf }, { del: key }]);
 * await tree.at(before).then((view) => view.get(key)); // leaf
 * ```
 */
export class SparseTree implements SparseReader {
  readonly name: string;
  readonly layout: SparseLayout;
  readonly head: string;
  readonly #context: TreeContext;
  readonly #identity: TreeIdentity;
  readonly #keys: { readonly head: Digest; readonly identity: Digest };
  readonly #writers: SerialQueue;
  /** What a head that is not there yet begins with. */
  #start: State;
  /** Whether the store has been seen to hold this tree. */
  #known = false;

  /**
   * Opens the tree of this name, or a new empty one; a new tree or head is written to the store by its first change.
   *
   * @param hasher Hashes the nodes; any hash that has a form for bytes. It stays the caller's to close.
   * @param store Holds the nodes; it stays the caller's to close.
   * @throws {TypeError} @throws {RangeError} that names the option: out of range, or not what the stored tree has;
   *   for a hash without a form for bytes.
   * @throws {CambiumError} `VERSION_MISMATCH` when a later library wrote the tree, `STORE_CORRUPT`.
   */
  static async open(hasher: Hasher, store: NodeStore, options: SparseOptions = {}): Promise<SparseTree> {
    const { name = 'main', head = 'main', from } = options;
    const layout = checkLayout(options.layout ?? 'canonical');
    if (from !== undefined) assertLength(from, DIGEST_BYTES, 'from');
    assertHashesBytes(hasher);
    // A head is named as trees are.
    keyPrefix(head);
    const tree = new SparseTree(hasher, store, name, layout, head);
    // Not at once: the database may still be opening.
    tree.#check(await store.getMany([tree.#keys.head, tree.#keys.identity]));
    if (from) tree.#start = { ...(await tree.#stateAt(new Uint8Array(from), 'from')), version: 0 };
    return tree;
  }

  private constructor(hasher: Hasher, store: NodeStore, name: string, layout: SparseLayout, head: string) {
    const prefix = keyPrefix(name);
    const layers = new MessageLayers(hasher);
    const shelf = shelfOf(layout, prefix, name, layers);
    const form = new EntryForm(layers, layout === 'celestia' || layout === 'jmt');
    this.name = name;
    this.layout = layout;
    this.head = head;
    this.#context = { store, prefix, layout, shelf, form, spare: [] };
    this.#identity = { tree: 'sparse', format: 1, layout, hash: hasher.spec.id };
    this.#keys = { head: shelf.headKey(head), identity: identityKey(prefix) };
    this.#writers = writersOf(store, name);
    this.#start = this.#empty();
  }

  /** Inserts an entry, or replaces its leaf. Resolves to the new root. @throws what {@link batch} throws. */
  insert(key: Uint8Array, leaf: Uint8Array, options: SparseInsertOptions = {}): Promise<Digest | null> {
    const { value } = options;
    const op = value === undefined ? { put: key, leaf } : { put: key, leaf, value };
    return this.batch([op], options);
  }

  /** Removes an entry; a key that is not there changes nothing. Resolves to the new root. @throws what {@link batch} throws. */
  remove(key: Uint8Array, options: SparseWriteOptions = {}): Promise<Digest | null> {
    return this.batch([{ del: key }], options);
  }

  /**
   * Inserts and removes many entries as one commit, and resolves to the new root; of several changes to one key the last
   * one wins.
   *
   * In the layout `monotree`, whose roots remember removals, the root is that of the same changes one after the other.
   *
   * @throws {TypeError} @throws {RangeError} that names the change at fault.
   * @throws {CambiumError} `ABORTED`, `STORE_FAILED`. The tree is then as it was.
   */
  async batch(ops: readonly SparseOp[], options: SparseWriteOptions = {}): Promise<Digest | null> {
    const form = this.#context.form.fromOps(ops);
    return await this.#change(form instanceof Promise ? await form : form, options);
  }

  /**
   * Inserts many entries as one commit, and resolves to the new root.
   *
   * @param keys `n x 32` bytes, or an array of keys; in the layouts `celestia` and `jmt` an array.
   * @param leaves As many leaves, in the same form; in the layouts `celestia` and `jmt` values.
   * @throws what {@link batch} throws.
   */
  async insertMany(
    keys: ByteStrings,
    leaves: ByteStrings,
    options: SparseWriteOptions = {},
  ): Promise<Digest | null> {
    return await this.#change(await this.#context.form.fromPairs(keys, leaves), options);
  }

  /** Removes many entries as one commit, and resolves to the new root. @throws what {@link batch} throws. */
  async removeMany(keys: ByteStrings, options: SparseWriteOptions = {}): Promise<Digest | null> {
    return await this.#change(await this.#context.form.fromRemovals(keys), options);
  }

  async get(key: Uint8Array): Promise<Digest | undefined> {
    const { form, shelf, store } = this.#context;
    const path = form.path(key);
    const reading = this.#current();
    const state = reading instanceof Promise ? await reading : reading;
    return form.hashed ? getValue(this.#context, state, path) : shelf.find(store, state, path);
  }

  async getMany(keys: ByteStrings): Promise<(Digest | undefined)[]> {
    return await (await this.#now()).getMany(keys);
  }

  async value(key: Uint8Array): Promise<Digest | undefined> {
    return await (await this.#now()).value(key);
  }

  async prove(key: Uint8Array): Promise<SparseProof> {
    return await (await this.#now()).prove(key);
  }

  async proveAbsence(key: Uint8Array): Promise<SparseAbsenceProof> {
    return await (await this.#now()).proveAbsence(key);
  }

  async proveMany(keys: ByteStrings): Promise<SparseMultiProof> {
    return await (await this.#now()).proveMany(keys);
  }

  async proveRange(from: Uint8Array, to: Uint8Array): Promise<SparseRangeProof> {
    return await (await this.#now()).proveRange(from, to);
  }

  /** The root now: 32 bytes; null for an empty tree of the layouts `canonical` and `monotree`. */
  async root(): Promise<Digest | null> {
    return (await this.#now()).root;
  }

  /**
   * The tree as it is under another root: an earlier one, or one of another head.
   *
   * @throws {TypeError} @throws {RangeError} for what is no root of the tree, or no longer: it may have been pruned.
   */
  async at(root: Uint8Array | null): Promise<SparseView> {
    if (root !== null) assertLength(root, DIGEST_BYTES, 'root');
    return new SparseView(this.#context, await this.#stateAt(root && new Uint8Array(root), 'root'));
  }

  async #now(): Promise<SparseView> {
    return new SparseView(this.#context, await this.#current());
  }

  async #stateAt(root: Digest | null, argument: string): Promise<State> {
    const { shelf, store } = this.#context;
    const { emptyRoot } = shelf;
    if (root === null || (emptyRoot && equalBytes(root, emptyRoot))) return this.#empty();
    const [bytes] = await readMany(store, [shelf.rootKey(root)]);
    if (bytes) return shelf.stateOf(root, bytes);
    throw new RangeError(`${argument}: the tree ${JSON.stringify(this.name)} has no such root, or no longer`);
  }

  /**
   * Removes every node that neither the heads of the tree nor the roots to be kept need, and with them all other roots.
   *
   * Nodes of the layout `monotree` lie under their hash, so that trees in one store share them: the heads of all trees of
   * that layout are kept.
   *
   * @throws {TypeError} @throws {RangeError} for what is no root of the tree.
   * @throws {CambiumError} `ABORTED`: what was removed until then is gone, the rest goes with the next pruning.
   */
  async prune(
    keepRoots: readonly (Uint8Array | null)[] = [],
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<PruneResult> {
    if (!Array.isArray(keepRoots))
      throw new TypeError(`keepRoots: expected an array, got ${typeof keepRoots}`);
    return await this.#writers.run(async () => {
      throwIfAborted(options.signal);
      const kept: State[] = [];
      for (const [i, root] of (keepRoots as readonly (Uint8Array | null)[]).entries()) {
        if (root !== null) assertLength(root, DIGEST_BYTES, `keepRoots[${i}]`);
        kept.push(await this.#stateAt(root && new Uint8Array(root), `keepRoots[${i}]`));
      }
      return await pruneTree(this.#context, kept, options.signal);
    });
  }

  /** Names of the heads that the store has for this tree, with their roots. */
  async heads(): Promise<Map<string, Digest | null>> {
    const heads = new Map<string, Digest | null>();
    for await (const [name, { root }] of headsOf(this.#context)) heads.set(name, root);
    return heads;
  }

  /** What is committed by now, perhaps through another handle. */
  #current(): State | Promise<State> {
    const { store } = this.#context;
    const { head, identity } = this.#keys;
    if (store.getSync && this.#known) {
      const bytes = store.getSync(head);
      return bytes ? this.#context.shelf.decodeHead(bytes) : this.#start;
    }
    return this.#readCurrent([head, identity]);
  }

  async #readCurrent(keys: readonly Digest[]): Promise<State> {
    return this.#check(await readMany(this.#context.store, keys));
  }

  #check([head, identity]: readonly (Digest | undefined)[]): State {
    // A tree that was new to this handle may have been created meanwhile, as something else.
    if (identity || (head && this.layout !== 'monotree')) {
      assertIdentity(identity, this.#identity, this.name);
      this.#known = true;
    }
    return head ? this.#context.shelf.decodeHead(head) : this.#start;
  }

  #change(entries: Entries, options: SparseWriteOptions): Promise<Digest | null> {
    return this.#writers.run(async () => {
      throwIfAborted(options.signal);
      const reading = this.#current();
      const before = reading instanceof Promise ? await reading : reading;
      return await withDraft(this.#context, async (draft) => {
        const outcome = await this.#outcome(draft, entries, before, options.signal);
        await this.#commit(outcome, entries, before, options);
        return outcome.state.root?.slice() ?? null;
      });
    });
  }

  /** What the changes make of a state. */
  async #outcome(
    draft: Draft,
    entries: Entries,
    before: State,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> {
    const { shelf, store } = this.#context;
    const loader = new Loader(store, shelf, draft);
    const oldTop = shelf.open(draft, before);
    let top = oldTop;
    for (const { order, removed } of runsOf(entries, shelf.inPlace)) {
      const at = placeEntries(draft, entries, order);
      const loading = loader.loadKeys(top, at, order.length);
      if (loading) await loading;
      const changes = { at, count: order.length, ...(removed && { removed }) };
      top = new Applier(draft, changes, shelf.inPlace).apply(top);
      // What comes next begins with an empty tree as any other does.
      if (top === NONE) top = shelf.open(draft, this.#empty());
    }
    const isSame = top === oldTop && (top === NONE || draft.dirty[top] === 0);
    if (isSame && before !== this.#start) return { state: before, ops: [] };
    throwIfAborted(signal);
    const version = nextVersion(this.#context, before);
    const outcome = shelf.outcome(draft, top, {
      version: version instanceof Promise ? await version : version,
      loaded: loader.loaded,
      signal,
    });
    return outcome instanceof Promise ? await outcome : outcome;
  }

  /** Writes nodes, values and head as one; a new tree's identity with them. */
  async #commit(
    { state, ops, committed }: Outcome,
    entries: Entries,
    before: State,
    options: SparseWriteOptions,
  ): Promise<void> {
    const { shelf, store, prefix } = this.#context;
    const all: StoreOp[] = [...ops];
    for (const [i, value] of entries.values) {
      const keyAt = i * KEY_BYTES;
      const path = entries.keys.subarray(keyAt, keyAt + KEY_BYTES);
      all.push({
        put: valueKey(prefix, path, entries.leaves.subarray(keyAt, keyAt + DIGEST_BYTES)),
        value,
      });
    }
    const isNew = before === this.#start;
    if (all.length === 0 && state === before && !isNew) return;
    if (!this.#known) all.push({ put: this.#keys.identity, value: encodeIdentity(this.#identity) });
    const head = shelf.encodeHead(state, this.head);
    all.push(head ? { put: this.#keys.head, value: head } : { del: this.#keys.head });
    throwIfAborted(options.signal);
    await store.commit(all, { durable: options.durable === true });
    committed?.();
    this.#known = true;
    // Where an empty tree has no head, it is empty from now on, wherever this head began.
    if (isNew) this.#start = this.#empty();
  }

  #empty(): State {
    return { root: this.#context.shelf.emptyRoot, version: 0, top: new Uint8Array(0) };
  }
}

/** Puts the entries of a run into the pool in their order, and returns where they begin. */
function placeEntries(draft: Draft, { keys, leaves }: Entries, order: Uint32Array): number {
  const at = draft.allocate(order.length * ENTRY_BYTES);
  const { pool } = draft;
  for (let i = 0; i < order.length; i++) {
    const from = order[i]! * KEY_BYTES;
    copyBytes(keys, from, pool, at + i * ENTRY_BYTES, KEY_BYTES);
    copyBytes(leaves, from, pool, at + i * ENTRY_BYTES + KEY_BYTES, DIGEST_BYTES);
  }
  return at;
}

function assertHashesBytes(hasher: Hasher): void {
  try {
    hasher.hash(new Uint8Array(0));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new TypeError(`hasher: expected a hash with a form for bytes, got ${hasher.spec.id}`, {
      cause: error,
    });
  }
}
