/**
 * Proofs of sparse trees: the part of a tree that keys lead through, in preorder, as one byte string.
 *
 * A cell is an edge from a depth (0 at the top) to where the node below it branches, with the bits between as Monotree
 * writes them: whole bytes of the key, other bits zero. An empty tree has no bytes.
 *
 * ```
 * 0x00  hidden node  bit (1)  bits  hash (32)
 * 0x01  shown node   bit (1)  bits  left cell  right cell
 * 0x02  leaf of another key  bits up to 256  leaf (32)
 * 0x03  leaf that the claim tells
 * 0x04  nothing: the missing child of a node that lost it, in the layout `monotree`
 * ```
 */
import type { Digest } from '../../bytes.js';
import { DIGEST_BYTES } from '../../bytes.js';
import { bitAt, commonBits, compareKeys, copyBytes, KEY_BITS, KEY_BYTES, writePath } from './bits.js';
import { type Draft, ENTRY_BYTES, LEAF, NONE } from './draft.js';
import { isOutside } from './load.js';
import { unpack } from './page.js';

export const HIDDEN_NODE = 0;
export const SHOWN_NODE = 1;
export const OTHER_LEAF = 2;
export const CLAIMED_LEAF = 3;
export const NO_CHILD = 4;

/** Most bytes of one cell. */
const CELL_BYTES = 2 + KEY_BYTES + DIGEST_BYTES;

/** What a proof must show: the paths of sorted keys in the pool, or all between two keys, both included. */
export type Shown =
  | { readonly at: number; readonly count: number }
  | { readonly fromAt: number; readonly toAt: number };

/** Writes proofs out of drafts, one after the other. */
export class ProofWriter {
  #bytes: Digest = new Uint8Array(4096);
  #used = 0;
  #draft!: Draft;
  #shown!: Shown;
  /** Leaves that the proof leaves to the claim, in the order of their keys. */
  #claimed: number[] = [];

  /** The proof, and the nodes of the leaves that its claim must tell. */
  write(draft: Draft, top: number, shown: Shown): { path: Digest; claimed: readonly number[] } {
    this.#used = 0;
    this.#draft = draft;
    this.#shown = shown;
    this.#claimed = [];
    if (top !== NONE && !isBare(draft, top)) this.#cell(top, 0, 0, 'count' in shown ? shown.count : 0);
    return { path: this.#bytes.slice(0, this.#used), claimed: this.#claimed };
  }

  #cell(node: number, depth: number, lo: number, hi: number): void {
    const draft = this.#draft;
    if (this.#used + CELL_BYTES > this.#bytes.length) this.#grow();
    if (node === NONE) {
      this.#bytes[this.#used++] = NO_CHILD;
      return;
    }
    if (draft.state[node] === LEAF) {
      this.#leaf(node, depth, lo, hi);
      return;
    }
    const bit = draft.bit[node]!;
    let [first, end] = [lo, hi];
    const { pool } = draft;
    const keyAt = draft.keyAt[node]!;
    if ('count' in this.#shown) {
      const { at } = this.#shown;
      const leaves = (key: number): boolean =>
        commonBits(pool, at + key * ENTRY_BYTES, pool, keyAt, depth, bit) < bit;
      while (first < end && leaves(first)) first++;
      while (first < end && leaves(end - 1)) end--;
    }
    const isShown =
      'count' in this.#shown ? first < end : !isOutside(draft, node, this.#shown.fromAt, this.#shown.toAt);
    this.#bytes[this.#used] = isShown ? SHOWN_NODE : HIDDEN_NODE;
    this.#bytes[this.#used + 1] = bit;
    this.#used = writePath(this.#bytes, this.#used + 2, pool, keyAt, depth, bit);
    if (isShown) this.#children(node, first, end);
    else this.#hash(draft.hashAt[node]!);
  }

  #children(node: number, first: number, end: number): void {
    const draft = this.#draft;
    unpack(draft, node);
    const bit = draft.bit[node]!;
    let middle = first;
    if ('count' in this.#shown) {
      const { at } = this.#shown;
      while (middle < end && !bitAt(draft.pool, at + middle * ENTRY_BYTES, bit)) middle++;
    }
    this.#cell(draft.left[node]!, bit, first, middle);
    this.#cell(draft.right[node]!, bit, middle, end);
  }

  #leaf(node: number, depth: number, lo: number, hi: number): void {
    const { pool, keyAt, hashAt } = this.#draft;
    const isClaimed = this.#isClaimed(node, lo, hi);
    this.#bytes[this.#used++] = isClaimed ? CLAIMED_LEAF : OTHER_LEAF;
    if (isClaimed) {
      this.#claimed.push(node);
      return;
    }
    this.#used = writePath(this.#bytes, this.#used, pool, keyAt[node]!, depth, KEY_BITS);
    this.#hash(hashAt[node]!);
  }

  #isClaimed(node: number, lo: number, hi: number): boolean {
    const { pool, keyAt } = this.#draft;
    const shown = this.#shown;
    if ('fromAt' in shown) return !isOutside(this.#draft, node, shown.fromAt, shown.toAt);
    for (let key = lo; key < hi; key++) {
      if (compareKeys(pool, shown.at + key * ENTRY_BYTES, pool, keyAt[node]!) === 0) return true;
    }
    return false;
  }

  #hash(at: number): void {
    copyBytes(this.#draft.pool, at, this.#bytes, this.#used, DIGEST_BYTES);
    this.#used += DIGEST_BYTES;
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#bytes.length);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** Whether it is the node at the top of an empty tree. */
function isBare(draft: Draft, top: number): boolean {
  return draft.state[top] !== LEAF && draft.bit[top] === 0 && draft.hashAt[top] === NONE;
}
