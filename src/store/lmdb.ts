/**
 * A store over LMDB: reads without a promise at any size, and from several processes at once.
 */
import type { Digest } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { assertKey, assertKeys, assertOps, type CheckedRange, checkRange } from './check.js';
import { Gate } from './gate.js';
import { pagedEntries } from './paged.js';
import type { KeyRange, NodeStore, StoreOp } from './types.js';

/** A read transaction of LMDB. */
export interface LmdbTransactionLike {
  done(): void;
}

interface LmdbReadOptions {
  transaction?: LmdbTransactionLike;
}

interface LmdbRangeOptions extends LmdbReadOptions {
  start?: Uint8Array;
  end?: Uint8Array;
  exclusiveStart?: boolean;
  inclusiveEnd?: boolean;
  reverse?: boolean;
  limit?: number;
}

/** A named database within an LMDB environment. */
export interface LmdbDatabaseLike {
  get(key: Uint8Array, options?: LmdbReadOptions): Uint8Array | undefined;
  getMany(keys: Uint8Array[]): Promise<(Uint8Array | undefined)[]>;
  getRange(options: LmdbRangeOptions): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  putSync(key: Uint8Array, value: Uint8Array): void;
  removeSync(key: Uint8Array): boolean;
  childTransaction(action: () => void): Promise<void>;
  useReadTransaction(): LmdbTransactionLike;
  readonly flushed: PromiseLike<boolean>;
}

/** The part of lmdb's `RootDatabase` that {@link lmdbStore} uses. */
export interface LmdbLike {
  openDB(options: { name: string; encoding: 'binary'; keyEncoding: 'binary' }): LmdbDatabaseLike;
  /** `open` while calls are allowed. */
  readonly status?: string;
}

const FIRST_KEY = /* @__PURE__ */ Uint8Array.of(0);

/**
 * A store in an LMDB environment that you opened with `open({ path })` of the package `lmdb`, in a database named
 * `cambium` there.
 *
 * Other processes may read the same environment at any time. LMDB queues their commits as well, but a tree must be
 * written by one process. `close()` of the store leaves the environment open.
 *
 * @throws {TypeError} when `env` is no LMDB environment.
 * @example
 * ```ts
 * const env = open({ path: 'trees' });
 * const store = lmdbStore(env);
 * // …
 * await store.close();
 * await env.close();
 * ```
 */
export function lmdbStore(env: LmdbLike): NodeStore {
  if (typeof env?.openDB !== 'function') throw new TypeError('env: expected an LMDB environment');
  const db = env.openDB({ name: 'cambium', encoding: 'binary', keyEncoding: 'binary' });
  return new LmdbStore(env, db, undefined);
}

class LmdbStore implements NodeStore {
  readonly supports: NodeStore['supports'];
  readonly snapshot?: () => NodeStore;
  readonly #env: LmdbLike;
  readonly #db: LmdbDatabaseLike;
  readonly #transaction: LmdbTransactionLike | undefined;
  readonly #gate: Gate;

  constructor(env: LmdbLike, db: LmdbDatabaseLike, transaction: LmdbTransactionLike | undefined) {
    this.#env = env;
    this.#db = db;
    this.#transaction = transaction;
    this.#gate = new Gate(() => (env.status === 'open' ? 'STORE_FAILED' : 'CLOSED'));
    this.supports = { sync: true, snapshots: !transaction, persistent: true };
    if (!transaction) this.snapshot = () => this.#takeSnapshot();
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Digest | undefined)[]> {
    assertKeys(keys);
    if (this.#transaction) return keys.map((key) => this.getSync(key));
    return await this.#gate.run(async () => {
      this.#assertEnvironmentOpen();
      const values = await this.#db.getMany(keys.map((key) => new Uint8Array(key)));
      return values.map((value) => value && new Uint8Array(value));
    });
  }

  getSync(key: Uint8Array): Digest | undefined {
    assertKey(key, 'key');
    const value = this.#gate.sync(() => {
      this.#assertEnvironmentOpen();
      return this.#db.get(key, this.#readOptions());
    });
    return value && new Uint8Array(value);
  }

  async commit(ops: readonly StoreOp[], options: { readonly durable?: boolean } = {}): Promise<void> {
    assertOps(ops);
    if (this.#transaction) throw new CambiumError('STORE_FAILED', 'a snapshot takes no commits');
    const copies = ops.map((op): StoreOp => {
      if ('del' in op) return { del: new Uint8Array(op.del) };
      return { put: new Uint8Array(op.put), value: new Uint8Array(op.value) };
    });
    await this.#gate.run(async () => {
      this.#assertEnvironmentOpen();
      // Only a child transaction takes everything back when one of its changes throws.
      await this.#db.childTransaction(() => {
        for (const op of copies) {
          if ('del' in op) this.#db.removeSync(op.del);
          else this.#db.putSync(op.put, op.value);
        }
      });
      if (options.durable) await this.#db.flushed;
    });
  }

  iterate(range?: KeyRange): AsyncIterable<[Digest, Digest]> {
    const checked = checkRange(range);
    return pagedEntries(checked, (page) => this.#gate.sync(() => this.#readPage(page)));
  }

  iterateSync(range?: KeyRange): [Digest, Digest][] {
    const checked = checkRange(range);
    return this.#gate.sync(() => this.#readPage(checked));
  }

  close(): Promise<void> {
    return this.#gate.close(async () => {
      if (this.#env.status === 'open') this.#transaction?.done();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Some calls of lmdb on a closed environment end the process. */
  #assertEnvironmentOpen(): void {
    if (this.#env.status !== 'open') throw new CambiumError('CLOSED', 'the database is closed');
  }

  #readOptions(): LmdbReadOptions {
    return this.#transaction ? { transaction: this.#transaction } : {};
  }

  #takeSnapshot(): NodeStore {
    return this.#gate.sync(() => {
      this.#assertEnvironmentOpen();
      return new LmdbStore(this.#env, this.#db, this.#db.useReadTransaction());
    });
  }

  #readPage(range: CheckedRange): [Digest, Digest][] {
    this.#assertEnvironmentOpen();
    const { gte, gt, lte, lt, reverse, limit } = range;
    // lmdb's range runs from `start` to `end` in the direction of reading.
    const [from, fromExclusive] = reverse ? [lte ?? lt, lt !== undefined] : [gte ?? gt, gt !== undefined];
    // Without an end it stops short of the very first key.
    const [to, toInclusive] = reverse
      ? [gte ?? gt ?? FIRST_KEY, gt === undefined]
      : [lte ?? lt, lte !== undefined];
    const entries = this.#db.getRange({
      ...this.#readOptions(),
      ...(from && { start: from, exclusiveStart: fromExclusive }),
      ...(to && { end: to, inclusiveEnd: toInclusive }),
      ...(limit !== undefined && { limit }),
      reverse,
    });
    const page: [Digest, Digest][] = [];
    for (const { key, value } of entries) page.push([new Uint8Array(key), new Uint8Array(value)]);
    return page;
  }
}
