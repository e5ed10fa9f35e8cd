/**
 * A store in memory: typed arrays, no object per entry, no snapshot.
 */
import type { Digest } from '../bytes.js';
import { assertKey, assertKeys, assertOps, checkRange } from './check.js';
import { EntryTable } from './entry-table.js';
import { Gate } from './gate.js';
import { KeyOrder } from './key-order.js';
import { pagedEntries } from './paged.js';
import type { KeyRange, NodeStore, StoreOp } from './types.js';

/** A {@link NodeStore} in memory, with its size. */
export interface MemoryStore extends NodeStore {
  /** Entries present. */
  readonly size: number;
  /** Bytes held for keys and values, room for reuse included. */
  readonly byteLength: number;
  getSync(key: Uint8Array): Digest | undefined;
  iterateSync(range?: KeyRange): [Digest, Digest][];
}

/**
 * A store in memory, gone with the process. Space of removed and replaced values is used again.
 *
 * @example
 * ```ts
 * const tree = await AppendOnlyTree.open(hasher, memoryStore(), { depth: 32 });
 * ```
 */
export function memoryStore(): MemoryStore {
  return new ArenaStore();
}

class ArenaStore implements MemoryStore {
  readonly supports: NodeStore['supports'] = { sync: true, snapshots: false, persistent: false };
  readonly #gate = new Gate(() => 'STORE_FAILED');
  #table = new EntryTable();
  #order = new KeyOrder(this.#table);

  get size(): number {
    return this.#table.count;
  }

  get byteLength(): number {
    return this.#table.byteLength;
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Digest | undefined)[]> {
    assertKeys(keys);
    return keys.map((key) => this.getSync(key));
  }

  getSync(key: Uint8Array): Digest | undefined {
    assertKey(key, 'key');
    this.#gate.assertOpen();
    const entry = this.#table.find(key);
    return entry < 0 ? undefined : this.#table.value(entry);
  }

  async commit(ops: readonly StoreOp[]): Promise<void> {
    assertOps(ops);
    this.#gate.sync(() => this.#link(ops, this.#stage(ops)));
  }

  iterate(range?: KeyRange): AsyncIterable<[Digest, Digest]> {
    return pagedEntries(checkRange(range), (page) => this.#entries(page));
  }

  iterateSync(range?: KeyRange): [Digest, Digest][] {
    return this.#entries(checkRange(range));
  }

  close(): Promise<void> {
    return this.#gate.close(async () => {
      this.#table = new EntryTable();
      this.#order = new KeyOrder(this.#table);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #entries(range: KeyRange): [Digest, Digest][] {
    return this.#gate.sync(() => {
      const entries = this.#order.range(range);
      return entries.map((entry) => [this.#table.key(entry), this.#table.value(entry)]);
    });
  }

  /** All that can run out of memory: afterwards a commit cannot fail half-way. */
  #stage(ops: readonly StoreOp[]): number[] {
    const staged: number[] = [];
    try {
      for (let i = 0; i < ops.length; i++) {
        const op = ops[i]!;
        staged.push('put' in op ? this.#table.stage(op.put, op.value) : 0);
      }
      this.#table.reserve(ops.length);
      this.#order.reserve();
    } catch (error) {
      for (const [i, address] of staged.entries()) {
        const op = ops[i]!;
        if ('put' in op) this.#table.unstage(address, op.put, op.value);
      }
      throw error;
    }
    return staged;
  }

  #link(ops: readonly StoreOp[], staged: readonly number[]): void {
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i]!;
      if ('put' in op) {
        const before = this.#table.count;
        const entry = this.#table.link(staged[i]!, op.put, op.value.length);
        if (this.#table.count > before) this.#order.add(entry);
        continue;
      }
      const entry = this.#table.find(op.del);
      if (entry < 0) continue;
      this.#order.remove(entry);
      this.#table.remove(entry);
    }
  }
}
