/**
 * Miden's sparse Merkle tree of keys and values, kept in a store.
 */
import type { JobOptions } from '../backend/types.js';
import { assertLength, concatBytes, DIGEST_BYTES, type Digest, equalBytes } from '../bytes.js';
import { assertCanonical } from '../hash/canonical.js';
import type { Hasher } from '../hasher.js';
import type { NodeStore } from '../store/types.js';
import { type CountedEdit, type Editor, ownLeaves, planChange } from './smt/change.js';
import { type EntryBatch, findValue, leafOf, mergeEntries, readBatch } from './smt/entries.js';
import type { Paths } from './smt/layout.js';
import { hashLeaves, leafHasher, leafRule } from './smt/leaf-rules.js';
import { openPaths } from './smt/open-paths.js';
import { readPaths } from './smt/read.js';
import { ENTRY_BYTES, type LeafRecord, NO_ENTRIES } from './smt/record.js';
import { type Planner, SmtState } from './smt/state.js';
import type { SmtMutations, SmtOptions, SmtProof, SmtScheme, SmtWriteOptions } from './smt/types.js';
import { SMT_DEPTH } from './smt/verify.js';

/**
 * Miden's `Smt`: keys and values are words, 32 bytes of four canonical elements. A key belongs to the leaf at the position
 * that its last element is; a leaf holds up to 1024 entries. The empty word is no value: setting it removes the key.
 *
 * The scheme names the version of Miden's library whose roots the tree has: `v0.19` over `rpo-capacity-first`, `v0.21`
 * over `rpo`, `v0.24` and `v0.25` over `poseidon2-miden`; the last hashes leaves in a domain of their own, on the CPU.
 *
 * A change hashes each node that changes once, level by level, and is one commit of the store with the head in it: one
 * that is refused, aborted or not written leaves the tree as it was. Handles on one tree in one process take turns. Every
 * method rejects with `STORE_FAILED`, `STORE_LOCKED` or `CLOSED` when the store does, and with `STORE_CORRUPT` when
 * something that was committed is missing.
 *
 * @example
 * ```ts
 * const hasher = await createHasher('poseidon2-miden');
 * const tree = await Smt.open(hasher, memoryStore(), { scheme: 'v0.25' });
 * const root = await tree.insertMany(entries); // n x 64 bytes, key and value of each
 * const proof = await tree.prove(key);
 * verifySmtProof(hasher, { scheme: 'v0.25', root, key, value }, proof); // true
 * ```
 */
export class Smt {
  readonly scheme: SmtScheme;
  readonly #hasher: Hasher;
  readonly #leafHasher: Hasher;
  readonly #state: SmtState;

  /**
   * Opens the tree of this name, or a new empty one; a new tree is written to the store by its first change.
   *
   * @param hasher Hashes the nodes; it stays the caller's to close.
   * @param store Holds the tree; it stays the caller's to close.
   * @throws {TypeError} @throws {RangeError} that names the option: unknown, not for this hash, or not what the stored tree
   *   has.
   * @throws {CambiumError} `VERSION_MISMATCH` when a later library wrote the tree, `STORE_CORRUPT`.
   */
  static async open(hasher: Hasher, store: NodeStore, options: SmtOptions): Promise<Smt> {
    const { scheme, name = 'main' } = options;
    const rule = leafRule(scheme, hasher.spec);
    const identity = { tree: 'smt', format: 1, hash: hasher.spec.id, scheme };
    const state = await SmtState.open(hasher, store, { name, depth: SMT_DEPTH, hasEntries: true, identity });
    return new Smt(hasher, await leafHasher(hasher, rule), state, scheme);
  }

  private constructor(hasher: Hasher, ofLeaves: Hasher, state: SmtState, scheme: SmtScheme) {
    this.#hasher = hasher;
    this.#leafHasher = ofLeaves;
    this.#state = state;
    this.scheme = scheme;
  }

  /** Levels above the leaves. */
  get depth(): number {
    return SMT_DEPTH;
  }

  get name(): string {
    return this.#state.name;
  }

  /** Keys that have a value, as of this handle's last call. */
  get size(): number {
    return this.#state.head.entries;
  }

  /** Leaves that have a key, as of this handle's last call. */
  get leafCount(): number {
    return this.#state.head.leaves;
  }

  /** The root now: 32 bytes. */
  async root(): Promise<Digest> {
    return (await this.#state.refresh()).root.slice();
  }

  /**
   * Gives a key a value, and the new root; the empty word removes the key.
   *
   * @throws as {@link insertMany} does.
   */
  async insert(key: Uint8Array, value: Uint8Array, options: SmtWriteOptions = {}): Promise<Digest> {
    assertLength(key, DIGEST_BYTES, 'key');
    assertLength(value, DIGEST_BYTES, 'value');
    return await this.insertMany(concatBytes(key, value), options);
  }

  /** Removes a key; one that is absent changes nothing. @throws as {@link insertMany} does. */
  async remove(key: Uint8Array, options: SmtWriteOptions = {}): Promise<Digest> {
    return await this.insert(key, new Uint8Array(DIGEST_BYTES), options);
  }

  /**
   * Gives many keys their values, as one commit.
   *
   * @param entries key and value of each, `n x 64` bytes in any order, copied before the call returns; a value of zeros
   *   removes its key.
   * @returns the root, 32 bytes.
   * @throws {TypeError} @throws {RangeError} when `entries` is not `n x 64` bytes.
   * @throws {CambiumError} `KEY_EXISTS` for a key that is there twice, `TREE_FULL` for a leaf of more than 1024 entries,
   *   `NOT_CANONICAL` with the position of the element, `ABORTED`. The tree is then as it was.
   */
  async insertMany(entries: Uint8Array, options: SmtWriteOptions = {}): Promise<Digest> {
    return await this.#state.write(this.#planner(entries), options);
  }

  /**
   * Hashes what {@link insertMany} would do, and leaves the tree as it is.
   *
   * @throws as {@link insertMany} does.
   */
  async computeMutations(entries: Uint8Array, options: JobOptions = {}): Promise<SmtMutations> {
    return await this.#state.compute(this.#planner(entries), options);
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
   * The value of a key, 32 bytes; zeros where it is absent.
   *
   * @throws {TypeError} @throws {RangeError} @throws {CambiumError} `NOT_CANONICAL` when `key` is no word.
   */
  async get(key: Uint8Array): Promise<Digest> {
    const { copy, paths } = this.#readKey(key);
    return await this.#state.read(async (at, head) => {
      const [leaf] = ownLeaves(paths, await readPaths(at, paths, head.leaves === 0));
      return findValue(leaf?.entries ?? NO_ENTRIES, copy);
    });
  }

  /**
   * Proves what a key has, or that it is absent: for `verifySmtProof`.
   *
   * @throws as {@link get} does.
   */
  async prove(key: Uint8Array): Promise<SmtProof> {
    const { copy, paths } = this.#readKey(key);
    return await this.#state.read(async (at, head) => {
      const [opening] = await openPaths(at, paths, head.leaves === 0);
      const entries = (opening!.leaf?.entries ?? NO_ENTRIES).slice();
      return { value: findValue(entries, copy), entries, siblings: opening!.siblings };
    });
  }

  /** Checks and copies a batch before anything is awaited. */
  #planner(given: Uint8Array): Planner {
    const batch = readBatch(given, this.#hasher.spec.input);
    return async (at, head, options) => {
      const editor: Editor = async (leaves) =>
        await editEntries(this.#leafHasher, batch, leaves, options.signal);
      return await planChange(this.#hasher, at, head, batch.paths, editor, options);
    };
  }

  #readKey(key: Uint8Array): { readonly copy: Digest; readonly paths: Paths } {
    assertLength(key, DIGEST_BYTES, 'key');
    assertCanonical(key, this.#hasher.spec.input);
    const copy = new Uint8Array(key);
    const { high, low } = leafOf(copy);
    return { copy, paths: { count: 1, high: Uint32Array.of(high), low: Uint32Array.of(low) } };
  }
}

/** Puts the entries of a batch into their leaves and hashes those that change. */
async function editEntries(
  hasher: Hasher,
  { paths, entries, starts }: EntryBatch,
  leaves: readonly (LeafRecord | undefined)[],
  signal: AbortSignal | undefined,
): Promise<CountedEdit> {
  const { count } = paths;
  const changed = new Uint8Array(count);
  const empty = new Uint8Array(count);
  const after: Digest[] = [];
  let moreLeaves = 0;
  let moreEntries = 0;
  for (let i = 0; i < count; i++) {
    const before = leaves[i]?.entries ?? NO_ENTRIES;
    const set = entries.subarray(starts[i]! * ENTRY_BYTES, starts[i + 1]! * ENTRY_BYTES);
    const merged = mergeEntries(before, set);
    const isSame = equalBytes(before, merged);
    after.push(isSame ? NO_ENTRIES : merged);
    if (isSame) continue;
    changed[i] = 1;
    empty[i] = merged.length ? 0 : 1;
    moreLeaves += (merged.length ? 1 : 0) - (before.length ? 1 : 0);
    moreEntries += (merged.length - before.length) / ENTRY_BYTES;
  }
  const nodes = await hashLeaves(hasher, after, signal);
  return { changed, empty, nodes, entries: after, moreLeaves, moreEntries };
}
