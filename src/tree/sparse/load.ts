/**
 * Reads of what an operation needs: all at once that lies at the same distance from the root.
 */
import { readMany } from '../../store/read.js';
import type { NodeStore } from '../../store/types.js';
import { bitAt, commonBits } from './bits.js';
import { type Draft, ENTRY_BYTES, LEAF, NONE, REMOTE } from './draft.js';
import { unpack } from './page.js';
import type { Loaded, Shelf } from './shelf.js';

/** A node and which of the sorted keys may lie below it. */
interface Wanted {
  readonly node: number;
  readonly lo: number;
  readonly hi: number;
  /** Bits that all of these keys share with the node. */
  readonly from: number;
}

/** Reads nodes of one tree into a draft. */
export class Loader {
  readonly #store: NodeStore;
  readonly #shelf: Shelf;
  readonly #draft: Draft;
  /** What was read so far. */
  readonly loaded: Loaded[] = [];

  constructor(store: NodeStore, shelf: Shelf, draft: Draft) {
    this.#store = store;
    this.#shelf = shelf;
    this.#draft = draft;
  }

  /** Reads the paths of `count` entries of the pool from `at` on, in the order of their keys; at once where that can be. */
  loadKeys(top: number, at: number, count: number): Promise<void> | undefined {
    if (count === 1 && this.#store.getSync) return this.#loadOne(top, at);
    return this.#loadMany(top, at, count);
  }

  /** Reads the path of one entry, page by page. */
  #loadOne(top: number, at: number): undefined {
    const draft = this.#draft;
    let from = 0;
    for (let node = top; node !== NONE && draft.state[node] !== LEAF; ) {
      const isRemote = draft.state[node] === REMOTE;
      const bit = draft.bit[node]!;
      const reach = isRemote ? this.#shelf.reach(bit) : bit;
      if (commonBits(draft.pool, at, draft.pool, draft.keyAt[node]!, from, reach) < reach) return;
      from = reach;
      if (isRemote) {
        const shelf = this.#shelf;
        shelf.attach(
          draft,
          node,
          shelf.known(draft, node) ?? this.#store.getSync!(shelf.nodeKey(draft, node)),
        );
        this.loaded.push({ node, version: draft.version[node]! });
      } else {
        unpack(draft, node);
        node = bitAt(draft.pool, at, bit) ? draft.right[node]! : draft.left[node]!;
      }
    }
  }

  async #loadMany(top: number, at: number, count: number): Promise<void> {
    let wanted: Wanted[] = [];
    this.#walkKeys({ node: top, lo: 0, hi: count, from: 0 }, at, wanted);
    while (wanted.length) {
      await this.#read(wanted);
      const next: Wanted[] = [];
      for (const want of wanted) this.#walkKeys(want, at, next);
      wanted = next;
    }
  }

  /** Reads all that can hold keys from `fromAt` to `toAt`, addresses in the pool; both included. */
  async loadRange(top: number, fromAt: number, toAt: number): Promise<void> {
    let wanted: Wanted[] = [];
    this.#walkRange(top, fromAt, toAt, wanted);
    while (wanted.length) {
      await this.#read(wanted);
      const next: Wanted[] = [];
      for (const { node } of wanted) this.#walkRange(node, fromAt, toAt, next);
      wanted = next;
    }
  }

  async #read(wanted: readonly Wanted[]): Promise<void> {
    const reading = readMany(
      this.#store,
      wanted.map(({ node }) => this.#shelf.nodeKey(this.#draft, node)),
    );
    const values = reading instanceof Promise ? await reading : reading;
    for (const [i, { node }] of wanted.entries()) {
      this.#shelf.attach(this.#draft, node, values[i]);
      this.loaded.push({ node, version: this.#draft.version[node]! });
    }
  }

  #walkKeys({ node, lo, hi, from }: Wanted, at: number, remote: Wanted[]): void {
    const draft = this.#draft;
    if (node === NONE || lo >= hi || draft.state[node] === LEAF) return;
    const isRemote = draft.state[node] === REMOTE;
    const bit = draft.bit[node]!;
    const reach = isRemote ? this.#shelf.reach(bit) : bit;
    const leaves = (key: number): boolean =>
      commonBits(draft.pool, at + key * ENTRY_BYTES, draft.pool, draft.keyAt[node]!, from, reach) < reach;
    let [first, end] = [lo, hi];
    while (first < end && leaves(first)) first++;
    while (first < end && leaves(end - 1)) end--;
    if (first === end) return;
    if (isRemote) {
      remote.push({ node, lo: first, hi: end, from: reach });
      return;
    }
    unpack(draft, node);
    let [low, high] = [first, end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (bitAt(draft.pool, at + middle * ENTRY_BYTES, bit)) high = middle;
      else low = middle + 1;
    }
    this.#walkKeys({ node: draft.left[node]!, lo: first, hi: low, from: bit }, at, remote);
    this.#walkKeys({ node: draft.right[node]!, lo: low, hi: end, from: bit }, at, remote);
  }

  #walkRange(node: number, fromAt: number, toAt: number, remote: Wanted[]): void {
    const draft = this.#draft;
    if (node === NONE || draft.state[node] === LEAF || isOutside(draft, node, fromAt, toAt)) return;
    if (draft.state[node] === REMOTE) {
      remote.push({ node, lo: 0, hi: 0, from: 0 });
      return;
    }
    unpack(draft, node);
    this.#walkRange(draft.left[node]!, fromAt, toAt, remote);
    this.#walkRange(draft.right[node]!, fromAt, toAt, remote);
  }
}

/** Whether all keys that can lie below a node are less than `from` or more than `to`. */
export function isOutside(draft: Draft, node: number, fromAt: number, toAt: number): boolean {
  const { pool } = draft;
  const keyAt = draft.keyAt[node]!;
  const bit = draft.bit[node]!;
  const low = commonBits(pool, keyAt, pool, fromAt, 0, bit);
  if (low < bit && bitAt(pool, keyAt, low) < bitAt(pool, fromAt, low)) return true;
  const high = commonBits(pool, keyAt, pool, toAt, 0, bit);
  return high < bit && bitAt(pool, keyAt, high) > bitAt(pool, toAt, high);
}
