/**
 * Changes of many entries, in one walk down the tree.
 */
import { bitAt, commonBits, KEY_BITS, KEY_BYTES } from './bits.js';
import { type Draft, ENTRY_BYTES, NONE } from './draft.js';
import { unpack } from './page.js';

/** Entries of a draft's pool in the order of their keys, each key once. */
export interface Changes {
  /** Pool address of the first one. */
  readonly at: number;
  readonly count: number;
  /** 1 where the entry is to be removed; absent when none is. */
  readonly removed?: Uint8Array;
}

/** Applies changes to the nodes of a draft, as far as those that the changes reach are there. */
export class Applier {
  readonly #draft: Draft;
  readonly #changes: Changes;
  readonly #inPlace: boolean;

  /** @param inPlace whether a node that loses a child stays, as in Monotree, or is replaced by its other child. */
  constructor(draft: Draft, changes: Changes, inPlace: boolean) {
    this.#draft = draft;
    this.#changes = changes;
    this.#inPlace = inPlace;
  }

  /** The tree with all changes: the node itself where nothing has changed. */
  apply(top: number): number {
    return this.#change(top, 0, this.#changes.count, 0);
  }

  /** Changes `lo` to `hi` below a node; all their keys share `from` bits with it. */
  #change(node: number, lo: number, hi: number, from: number): number {
    if (lo === hi) return node;
    if (node === NONE) return this.#build(lo, hi, from);
    const limit = this.#draft.bit[node]!;
    // Among sorted keys the first or the last has the least in common with the node.
    let shared = this.#sharedBits(node, lo, from, limit);
    if (hi - lo > 1) shared = Math.min(shared, this.#sharedBits(node, hi - 1, from, limit));
    if (shared < limit) return this.#branch(node, lo, hi, shared);
    return limit === KEY_BITS ? this.#replace(node, lo) : this.#descend(node, lo, hi);
  }

  #sharedBits(node: number, change: number, from: number, limit: number): number {
    const { pool, keyAt } = this.#draft;
    return commonBits(pool, this.#keyAt(change), pool, keyAt[node]!, from, limit);
  }

  /** A leaf whose key is the one of the change. */
  #replace(node: number, change: number): number {
    if (this.#changes.removed?.[change]) return NONE;
    const { pool, hashAt } = this.#draft;
    const leafAt = this.#keyAt(change) + KEY_BYTES;
    for (let i = 0; i < KEY_BYTES; i++) {
      if (pool[leafAt + i] !== pool[hashAt[node]! + i]) return this.#draft.addLeaf(this.#keyAt(change));
    }
    return node;
  }

  #descend(node: number, lo: number, hi: number): number {
    const draft = this.#draft;
    unpack(draft, node);
    const bit = draft.bit[node]!;
    const middle = this.#split(lo, hi, bit);
    const oldLeft = draft.left[node]!;
    const oldRight = draft.right[node]!;
    const left = this.#change(oldLeft, lo, middle, bit);
    const right = this.#change(oldRight, middle, hi, bit);
    const changed =
      left !== oldLeft ||
      right !== oldRight ||
      (left !== NONE && draft.dirty[left] === 1) ||
      (right !== NONE && draft.dirty[right] === 1);
    if (!changed) return node;
    draft.touch(node);
    draft.left[node] = left;
    draft.right[node] = right;
    if (left !== NONE && right !== NONE) return node;
    if (left === NONE && right === NONE) return NONE;
    if (this.#inPlace) return node;
    return left === NONE ? right : left;
  }

  /** Some changes leave the node's path after `bit` bits. */
  #branch(node: number, lo: number, hi: number, bit: number): number {
    const draft = this.#draft;
    const middle = this.#split(lo, hi, bit);
    const isLeft = bitAt(draft.pool, draft.keyAt[node]!, bit) === 0;
    const beside = isLeft ? this.#build(middle, hi, bit) : this.#build(lo, middle, bit);
    const rest = isLeft ? this.#change(node, lo, middle, bit) : this.#change(node, middle, hi, bit);
    if (beside === NONE) return rest;
    if (rest === NONE) return beside;
    return isLeft ? draft.addInner(bit, rest, beside) : draft.addInner(bit, beside, rest);
  }

  /** A tree of nothing but the changes. */
  #build(start: number, end: number, from: number): number {
    const { removed } = this.#changes;
    let [lo, hi] = [start, end];
    if (removed) {
      while (lo < hi && removed[lo]) lo++;
      while (lo < hi && removed[hi - 1]) hi--;
    }
    if (lo === hi) return NONE;
    if (hi - lo === 1) return this.#draft.addLeaf(this.#keyAt(lo));
    const { pool } = this.#draft;
    const bit = commonBits(pool, this.#keyAt(lo), pool, this.#keyAt(hi - 1), from, KEY_BITS);
    const middle = this.#split(lo, hi, bit);
    return this.#draft.addInner(bit, this.#build(lo, middle, bit), this.#build(middle, hi, bit));
  }

  /** The first change from `lo` to `hi` whose key has a one at `bit`; all of them share the bits before. */
  #split(lo: number, hi: number, bit: number): number {
    const { pool } = this.#draft;
    let [low, high] = [lo, hi];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (bitAt(pool, this.#keyAt(middle), bit)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #keyAt(change: number): number {
    return this.#changes.at + change * ENTRY_BYTES;
  }
}
