/**
 * One sparse Merkle tree in its store: head, turns, commits. What a change is, its trees say.
 */
import type { JobOptions } from '../../backend/types.js';
import { concatBytes, DIGEST_BYTES, type Digest, equalBytes, toHex } from '../../bytes.js';
import { CambiumError, throwIfAborted } from '../../errors.js';
import type { Hasher } from '../../hasher.js';
import { readMany } from '../../store/read.js';
import type { NodeStore, StoreOp } from '../../store/types.js';
import { assertIdentity, encodeIdentity, identityKey, type TreeIdentity } from '../identity.js';
import { keyPrefix, singleKey } from '../keys.js';
import { commitsOf, type SerialQueue, writersOf } from '../queue.js';
import { zeroDigests } from '../zeros.js';
import { bandsOf } from './layout.js';
import type { SmtAt } from './read.js';
import type { SmtMutations, SmtWriteOptions } from './types.js';

/** A committed state of the tree. */
export interface Head {
  /** Commits so far; 0 before the first. */
  readonly version: bigint;
  readonly root: Digest;
  /** Leaves that are not empty. */
  readonly leaves: number;
  /** Keys with a value; the leaves themselves where they are values. */
  readonly entries: number;
}

/** A change that is hashed and not committed; undefined in place of it where nothing changes. */
export interface Planned {
  readonly root: Digest;
  readonly leaves: number;
  readonly entries: number;
  readonly ops: readonly StoreOp[];
}

/** Hashes a change against a state of the tree. */
export type Planner = (at: SmtAt, head: Head, options: JobOptions) => Promise<Planned | undefined>;

/** What a set of mutations was computed from. */
interface Computed {
  readonly planner: Planner;
  readonly planned: Planned | undefined;
  readonly state: SmtState;
  readonly version: bigint;
}

const computed: WeakMap<SmtMutations, Computed> = /* @__PURE__ */ new WeakMap();

/** Which tree to open. */
export interface StateOptions {
  readonly name: string;
  readonly depth: number;
  readonly hasEntries: boolean;
  readonly identity: TreeIdentity;
}

/** A handle on one tree. */
export class SmtState {
  readonly name: string;
  readonly #at: SmtAt;
  readonly #keys: { readonly head: Uint8Array; readonly identity: Uint8Array };
  readonly #identity: TreeIdentity;
  readonly #writers: SerialQueue;
  readonly #commits: SerialQueue;
  /** What the tree is before its first commit. */
  readonly #unwritten: Head;
  #head: Head;

  /** @throws {RangeError} when the stored tree is another one. @throws {CambiumError} what the store throws. */
  static async open(hasher: Hasher, store: NodeStore, options: StateOptions): Promise<SmtState> {
    const state = new SmtState(store, options, await zeroDigests(hasher.spec, options.depth));
    // Not at once: the database may still be opening.
    await state.#adopt(store, await store.getMany([state.#keys.head]));
    return state;
  }

  private constructor(store: NodeStore, options: StateOptions, zeros: readonly Digest[]) {
    const { name, depth, hasEntries, identity } = options;
    const prefix = keyPrefix(name);
    this.name = name;
    this.#at = { store, prefix, depth, bands: bandsOf(depth), zeros, hasEntries };
    this.#keys = { head: singleKey(prefix, 'h'), identity: identityKey(prefix) };
    this.#identity = identity;
    this.#writers = writersOf(store, name);
    this.#commits = commitsOf(store, name);
    this.#unwritten = { version: 0n, root: zeros[depth]!, leaves: 0, entries: 0 };
    this.#head = this.#unwritten;
  }

  /** The state as of this handle's last call. */
  get head(): Head {
    return this.#head;
  }

  /** The newest state, changes of other handles included. */
  async refresh(): Promise<Head> {
    await this.#adopt(this.#at.store, await readMany(this.#at.store, [this.#keys.head]));
    return this.#head;
  }

  /** Runs reads that belong to one state of the tree. */
  async read<T>(job: (at: SmtAt, head: Head) => Promise<T>): Promise<T> {
    const { store } = this.#at;
    if (!store.snapshot) return await this.#commits.run(async () => job(this.#at, await this.refresh()));
    const snapshot = store.snapshot();
    try {
      // Not the newest head: the pages are those of the snapshot.
      const head = await this.#adopt(snapshot, await readMany(snapshot, [this.#keys.head]));
      return await job({ ...this.#at, store: snapshot }, head);
    } finally {
      await snapshot.close();
    }
  }

  /** Makes a change, in its turn. Returns the root. */
  async write(planner: Planner, options: SmtWriteOptions): Promise<Digest> {
    return await this.#inTurn(options, async (head) => {
      const planned = await planner(this.#at, head, options);
      return await this.#commit(planned, options);
    });
  }

  /** Hashes a change and leaves the tree as it is. */
  async compute(planner: Planner, options: JobOptions): Promise<SmtMutations> {
    return await this.#inTurn(options, async (head) => {
      const planned = await planner(this.#at, head, options);
      const newRoot = (planned ?? head).root.slice();
      const mutations = Object.freeze({ oldRoot: head.root.slice(), newRoot });
      computed.set(mutations, { planner, planned, state: this, version: head.version });
      return mutations;
    });
  }

  /** Commits what {@link compute} has hashed. */
  async apply(mutations: SmtMutations, options: SmtWriteOptions): Promise<Digest> {
    const known = computed.get(mutations);
    if (!known) throw new TypeError('mutations: expected what computeMutations gave');
    return await this.#inTurn(options, async (head) => {
      const { planner, planned, state, version } = known;
      if (JSON.stringify(state.#identity) !== JSON.stringify(this.#identity)) {
        throw new TypeError('mutations: they were computed from a tree of another kind');
      }
      if (!equalBytes(head.root, mutations.oldRoot)) {
        throw new CambiumError(
          'SOURCE_CHANGED',
          `mutations: they change the tree of root ${toHex(mutations.oldRoot)}, this one has ${toHex(head.root)}`,
        );
      }
      // The same root can lie in other pages: in another store, or after changes that were undone.
      const isSame = state === this && version === head.version;
      return await this.#commit(isSame ? planned : await planner(this.#at, head, options), options);
    });
  }

  async #inTurn<T>({ signal }: JobOptions, job: (head: Head) => Promise<T>): Promise<T> {
    return await this.#writers.run(async () => {
      throwIfAborted(signal);
      return await job(await this.refresh());
    });
  }

  /** Writes nodes and head as one; a new tree's identity with them. */
  async #commit(planned: Planned | undefined, { signal, durable = false }: SmtWriteOptions): Promise<Digest> {
    const head = this.#head;
    if (planned || head.version === 0n) {
      const { root, leaves, entries, ops } = planned ?? { ...head, ops: [] };
      const next: Head = { version: head.version + 1n, root: root.slice(), leaves, entries };
      const all: StoreOp[] = [...ops, { put: this.#keys.head, value: encodeHead(next) }];
      if (head.version === 0n) {
        all.push({ put: this.#keys.identity, value: encodeIdentity(this.#identity) });
      }
      throwIfAborted(signal);
      await this.#commits.run(() => this.#at.store.commit(all, { durable }));
      this.#head = next;
    }
    return this.#head.root.slice();
  }

  /** The head that was read from a store; taken over where it is newer than what this handle knows. */
  async #adopt(store: NodeStore, [bytes]: readonly (Digest | undefined)[]): Promise<Head> {
    if (!bytes) return this.#unwritten;
    // A tree that was new to this handle may have been created meanwhile, as something else.
    if (this.#head.version === 0n) {
      const [identity] = await readMany(store, [this.#keys.identity]);
      assertIdentity(identity, this.#identity, this.name);
    }
    const head = decodeHead(bytes);
    // A change of this handle may have been committed since the bytes were read.
    if (head.version > this.#head.version) this.#head = head;
    return head;
  }
}

const FIXED_BYTES = 24;

function encodeHead({ version, root, leaves, entries }: Head): Digest {
  const fixed = new Uint8Array(FIXED_BYTES);
  const view = new DataView(fixed.buffer);
  view.setBigUint64(0, version);
  view.setBigUint64(8, BigInt(leaves));
  view.setBigUint64(16, BigInt(entries));
  return concatBytes(fixed, root);
}

function decodeHead(bytes: Uint8Array): Head {
  if (bytes.length !== FIXED_BYTES + DIGEST_BYTES) {
    throw new CambiumError('STORE_CORRUPT', `the head of the tree has ${bytes.length} bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    version: view.getBigUint64(0),
    leaves: Number(view.getBigUint64(8)),
    entries: Number(view.getBigUint64(16)),
    root: new Uint8Array(bytes.subarray(FIXED_BYTES)),
  };
}
