/**
 * A store over any abstract-level database: LevelDB, IndexedDB, RocksDB, memory.
 */
import type { Digest } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { assertKey, assertKeys, assertOps, type CheckedRange, checkRange } from './check.js';
import { Gate } from './gate.js';
import type { KeyRange, NodeStore, StoreOp } from './types.js';

/** A snapshot of an abstract-level database. */
export interface LevelSnapshotLike {
  ref(): void;
  unref(): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface ViewOptions {
  readonly keyEncoding: 'view';
  readonly valueEncoding: 'view';
}

type LevelBatchOp =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array };

/** The part of `AbstractLevel` (abstract-level 3.1 or later) that {@link levelStore} uses; a sublevel has it too. */
export interface LevelLike {
  readonly supports: {
    readonly getSync?: boolean;
    readonly explicitSnapshots?: boolean;
    readonly permanence?: boolean;
  };
  readonly status: string;
  open(): Promise<void>;
  getMany(
    keys: Uint8Array[],
    options: ViewOptions & { snapshot?: LevelSnapshotLike },
  ): Promise<(Uint8Array | undefined)[]>;
  getSync(key: Uint8Array, options: ViewOptions & { snapshot?: LevelSnapshotLike }): Uint8Array | undefined;
  batch(ops: LevelBatchOp[], options: ViewOptions & { readonly sync?: boolean }): Promise<void>;
  iterator(
    options: ViewOptions & KeyRange & { snapshot?: LevelSnapshotLike },
  ): AsyncIterable<[Uint8Array, Uint8Array]>;
  snapshot(): LevelSnapshotLike;
}

const VIEW: ViewOptions = { keyEncoding: 'view', valueEncoding: 'view' };

/**
 * A store over an abstract-level database that you opened: classic-level, browser-level, memory-level,
 * `@nxtedition/rocksdb`, or a sublevel of one. Its own encodings do not matter.
 *
 * `close()` of the store leaves the database open.
 *
 * @throws {TypeError} when `db` is no such database.
 * @example
 * ```ts
 * const db = new ClassicLevel('trees');
 * const store = levelStore(db);
 * // …
 * await store.close();
 * await db.close();
 * ```
 */
export function levelStore(db: LevelLike): NodeStore {
  if (typeof db?.getMany !== 'function' || typeof db.batch !== 'function' || !db.supports) {
    throw new TypeError('db: expected an abstract-level database');
  }
  return new LevelStore(db, undefined);
}

class LevelStore implements NodeStore {
  readonly supports: NodeStore['supports'];
  readonly getSync?: (key: Uint8Array) => Digest | undefined;
  readonly snapshot?: () => NodeStore;
  readonly #db: LevelLike;
  readonly #snapshot: LevelSnapshotLike | undefined;
  readonly #read: ViewOptions & { snapshot?: LevelSnapshotLike };
  readonly #gate: Gate;
  /** Settles when a database that was opening is open, or says why it is not: errors of later calls do not. */
  readonly #opening: Promise<void>;

  constructor(db: LevelLike, snapshot: LevelSnapshotLike | undefined) {
    this.#db = db;
    this.#snapshot = snapshot;
    this.#gate = new Gate((error) => classify(error, db.status));
    this.#opening = db.status === 'opening' ? db.open() : Promise.resolve();
    this.#opening.catch(() => {});
    this.#read = snapshot ? { ...VIEW, snapshot } : VIEW;
    const { getSync, explicitSnapshots, permanence } = db.supports;
    this.supports = {
      sync: getSync === true,
      snapshots: explicitSnapshots === true && !snapshot,
      persistent: permanence === true,
    };
    if (this.supports.sync) this.getSync = (key) => this.#getSync(key);
    if (this.supports.snapshots) this.snapshot = () => this.#takeSnapshot();
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Digest | undefined)[]> {
    assertKeys(keys);
    const copies = keys.map((key) => new Uint8Array(key));
    return await this.#gate.run(async () => {
      await this.#opened();
      const values = await this.#db.getMany(copies, this.#read);
      return values.map((value) => value && new Uint8Array(value));
    });
  }

  async commit(ops: readonly StoreOp[], options: { readonly durable?: boolean } = {}): Promise<void> {
    assertOps(ops);
    if (this.#snapshot) throw new CambiumError('STORE_FAILED', 'a snapshot takes no commits');
    const batch = ops.map((op): LevelBatchOp => {
      if ('del' in op) return { type: 'del', key: new Uint8Array(op.del) };
      return { type: 'put', key: new Uint8Array(op.put), value: new Uint8Array(op.value) };
    });
    await this.#gate.run(async () => {
      await this.#opened();
      await this.#db.batch(batch, { ...VIEW, sync: options.durable === true });
    });
  }

  iterate(range?: KeyRange): AsyncIterable<[Digest, Digest]> {
    return this.#entries(checkRange(range));
  }

  close(): Promise<void> {
    return this.#gate.close(async () => await this.#snapshot?.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #opened(): Promise<void> {
    if (this.#db.status !== 'open') await this.#opening;
  }

  #getSync(key: Uint8Array): Digest | undefined {
    assertKey(key, 'key');
    const value = this.#gate.sync(() => this.#db.getSync(key, this.#read));
    return value && new Uint8Array(value);
  }

  #takeSnapshot(): NodeStore {
    return this.#gate.sync(() => new LevelStore(this.#db, this.#db.snapshot()));
  }

  async *#entries(range: CheckedRange): AsyncGenerator<[Digest, Digest]> {
    this.#gate.assertOpen();
    try {
      await this.#opened();
      for await (const [key, value] of this.#db.iterator({ ...range, ...this.#read })) {
        yield [new Uint8Array(key), new Uint8Array(value)];
        this.#gate.assertOpen();
      }
    } catch (error) {
      throw this.#gate.wrap(error);
    }
  }
}

/** abstract-level says in the cause of an error why a database is not open. */
function classify(error: unknown, status: string): 'STORE_LOCKED' | 'CLOSED' | 'STORE_FAILED' {
  const { code, cause } = (error ?? {}) as { code?: string; cause?: { code?: string } };
  if (code === 'LEVEL_LOCKED' || cause?.code === 'LEVEL_LOCKED') return 'STORE_LOCKED';
  return (status === 'closing' || status === 'closed') && !cause ? 'CLOSED' : 'STORE_FAILED';
}
