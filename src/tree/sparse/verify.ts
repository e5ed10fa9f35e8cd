/**
 * Verifiers of sparse trees. Root and keys come from the caller, never from the proof.
 */
import { assertBytes, assertLength, DIGEST_BYTES, digestAt, equalBytes } from '../../bytes.js';
import type { Hasher } from '../../hasher.js';
import { bitAt, commonBits, compareKeys, copyBytes, KEY_BITS, KEY_BYTES, pathBytes } from './bits.js';
import { type Cell, type CellHash, levelCellHash, nodeCellHash } from './cell-hash.js';
import { checkLayout, levelsOf, type SparseLayout } from './layout.js';
import { CLAIMED_LEAF, HIDDEN_NODE, NO_CHILD, OTHER_LEAF, SHOWN_NODE } from './proof-bytes.js';
import { sortKeys } from './sort-keys.js';

/** What a caller knows of a sparse tree. */
export interface SparseTreeClaim {
  /** 32 bytes; null for an empty tree. */
  readonly root: Uint8Array | null;
  /** Default `canonical`. */
  readonly layout?: SparseLayout;
}

/** That a key has a leaf, or none. */
export interface SparseClaim extends SparseTreeClaim {
  /** 32 bytes; in the layouts `celestia` and `jmt` of any length. */
  readonly key: Uint8Array;
  /** 32 bytes, in the layouts `celestia` and `jmt` the value; null when the key is said to be absent. */
  readonly leaf: Uint8Array | null;
}

/** That each of many keys has a leaf, or none. */
export interface SparseMultiClaim extends SparseTreeClaim {
  readonly keys: readonly Uint8Array[];
  /** As many: leaves, or values; null or undefined for keys that are said to be absent. */
  readonly leaves: readonly (Uint8Array | null | undefined)[];
}

/** That a tree has these entries from one key to another, and no others there. */
export interface SparseRangeClaim extends SparseTreeClaim {
  /** 32 bytes each, both included; in the layouts `celestia` and `jmt` hashes of keys. */
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  /** 32 bytes each, ascending; in the layouts `celestia` and `jmt` hashes of keys. */
  readonly keys: readonly Uint8Array[];
  /** 32 bytes each; in the layouts `celestia` and `jmt` hashes of values. */
  readonly leaves: readonly Uint8Array[];
}

/**
 * Whether a proof shows that a key has a leaf, or that it has none.
 *
 * @param hash A hasher, or what `loadHash` gives.
 * @param path What the tree's `prove` or `proveAbsence` gave; whatever its bytes are, a wrong one is `false`.
 * @throws {TypeError} @throws {RangeError} when an argument is not of its form.
 * @example
 * ```ts
 * const { path } = await tree.prove(key);
 * verifySparseProof(hasher, { root, key, leaf }, path); // true
 * ```
 */
export function verifySparseProof(
  hash: Pick<Hasher, 'hash'>,
  { root, layout, key, leaf }: SparseClaim,
  path: Uint8Array,
): boolean {
  return verifySparseMultiproof(hash, { root, ...(layout && { layout }), keys: [key], leaves: [leaf] }, path);
}

/**
 * Whether a proof shows for each of many keys that it has its leaf, or that it has none.
 *
 * @throws {TypeError} @throws {RangeError} when an argument is not of its form, or a key is there twice.
 */
export function verifySparseMultiproof(
  hash: Pick<Hasher, 'hash'>,
  claim: SparseMultiClaim,
  path: Uint8Array,
): boolean {
  const layout = checkClaim(claim, path);
  const { keys, leaves } = claim;
  if (leaves.length !== keys.length) {
    throw new RangeError(`leaves: expected as many as keys, ${keys.length}, got ${leaves.length}`);
  }
  const digest = (bytes: Uint8Array, name: string): Uint8Array => {
    if (levelsOf(layout)) assertBytes(bytes, name);
    else assertLength(bytes, KEY_BYTES, name);
    return levelsOf(layout) ? hash.hash(bytes) : bytes;
  };
  const paths = new Uint8Array(keys.length * KEY_BYTES);
  for (const [i, key] of keys.entries()) paths.set(digest(key, `keys[${i}]`), i * KEY_BYTES);
  const digests = leaves.map((leaf, i) => (leaf == null ? undefined : digest(leaf, `leaves[${i}]`)));
  const order = sortKeys(paths);
  if (order.length !== keys.length) throw new RangeError('keys: one is there twice');
  const claims = Array.from(order, (i) => ({ key: digestAt(paths, i), leaf: digests[i] }));
  return new Verifier(cellHashOf(hash, layout), path, claims, undefined).leadsTo(claim.root);
}

/**
 * Whether a proof shows that a tree has exactly these entries from one key to another.
 *
 * @throws {TypeError} @throws {RangeError} when an argument is not of its form.
 */
export function verifySparseRange(
  hash: Pick<Hasher, 'hash'>,
  claim: SparseRangeClaim,
  path: Uint8Array,
): boolean {
  const layout = checkClaim(claim, path);
  const { from, to, keys, leaves } = claim;
  checkRange(from, to);
  if (leaves.length !== keys.length) {
    throw new RangeError(`leaves: expected as many as keys, ${keys.length}, got ${leaves.length}`);
  }
  const claims = keys.map((key, i) => {
    assertLength(key, KEY_BYTES, `keys[${i}]`);
    assertLength(leaves[i], DIGEST_BYTES, `leaves[${i}]`);
    const isAscending = i === 0 || compareKeys(keys[i - 1]!, 0, key, 0) < 0;
    if (!isAscending || compareKeys(key, 0, from, 0) < 0 || compareKeys(key, 0, to, 0) > 0) {
      throw new RangeError(`keys[${i}]: expected ascending keys from \`from\` to \`to\``);
    }
    return { key, leaf: leaves[i] };
  });
  return new Verifier(cellHashOf(hash, layout), path, claims, { from, to }).leadsTo(claim.root);
}

/** @throws {TypeError} @throws {RangeError} unless `from` and `to` are keys in this order. */
export function checkRange(from: Uint8Array, to: Uint8Array): void {
  assertLength(from, KEY_BYTES, 'from');
  assertLength(to, KEY_BYTES, 'to');
  if (compareKeys(from, 0, to, 0) > 0) throw new RangeError('to: expected a key that is not before `from`');
}

function checkClaim({ root, layout }: SparseTreeClaim, path: Uint8Array): SparseLayout {
  if (root !== null) assertLength(root, DIGEST_BYTES, 'root');
  assertBytes(path, 'path');
  return checkLayout(layout ?? 'canonical');
}

function cellHashOf(hash: Pick<Hasher, 'hash'>, layout: SparseLayout): CellHash {
  const levels = levelsOf(layout);
  return levels ? levelCellHash(hash, levels) : nodeCellHash(hash);
}

interface KeyClaim {
  readonly key: Uint8Array;
  readonly leaf: Uint8Array | undefined;
}

/** The proof is not one of its claims. */
class Refused extends Error {}

function refuseUnless(condition: unknown): asserts condition {
  if (!condition) throw new Refused();
}

/** Reads a proof cell by cell, with the claims that lie below each. */
class Verifier {
  readonly #cells: CellHash;
  readonly #bytes: Uint8Array;
  readonly #claims: readonly KeyClaim[];
  readonly #range: { readonly from: Uint8Array; readonly to: Uint8Array } | undefined;
  #at = 0;
  /** Claimed leaves that the proof has shown. */
  #shown = 0;
  /** Bits on the way to where the proof is being read. */
  readonly #path = new Uint8Array(KEY_BYTES);

  constructor(
    cells: CellHash,
    bytes: Uint8Array,
    claims: readonly KeyClaim[],
    range: { readonly from: Uint8Array; readonly to: Uint8Array } | undefined,
  ) {
    this.#cells = cells;
    this.#bytes = bytes;
    this.#claims = claims;
    this.#range = range;
  }

  /** Whether all claims hold under the root. */
  leadsTo(root: Uint8Array | null): boolean {
    try {
      const present = this.#claims.filter(({ leaf }) => leaf).length;
      const found = this.#bytes.length ? this.#top() : this.#cells.emptyRoot;
      if (this.#at !== this.#bytes.length || this.#shown !== present) return false;
      return root && found ? equalBytes(root, found) : root === found;
    } catch (error) {
      if (error instanceof Refused) return false;
      throw error;
    }
  }

  #top(): Uint8Array {
    const cell = this.#cell(0, 0, this.#claims.length);
    const root = cell && this.#cells.root(cell);
    refuseUnless(root);
    return root;
  }

  /** The cell that begins at `depth`, with claims `lo` to `hi`, whose keys lead there. */
  #cell(depth: number, lo: number, hi: number): Cell | undefined {
    const tag = this.#take(1)[0];
    if (tag === NO_CHILD) return undefined;
    if (tag === CLAIMED_LEAF) return this.#claimedLeaf(lo, hi);
    refuseUnless(tag === HIDDEN_NODE || tag === SHOWN_NODE || tag === OTHER_LEAF);
    const bit = tag === OTHER_LEAF ? KEY_BITS : this.#take(1)[0]!;
    // Only the top may branch where it begins.
    refuseUnless(bit > depth || (depth === 0 && this.#at === 2));
    this.#readPath(depth, bit);
    const [first, end] = this.#below(lo, hi, depth, bit);
    if (tag === SHOWN_NODE) return this.#shownNode(bit, first, end);
    // What is hidden must concern none of the claims.
    refuseUnless(first === end && !this.#meetsRange(bit));
    return { hash: this.#take(DIGEST_BYTES), bit, path: this.#path.slice() };
  }

  #shownNode(bit: number, lo: number, hi: number): Cell {
    const path = this.#path.slice();
    let middle = lo;
    while (middle < hi && bitAt(this.#claims[middle]!.key, 0, bit) === 0) middle++;
    const left = this.#child(bit, 0, lo, middle);
    this.#path.set(path);
    const right = this.#child(bit, 1, middle, hi);
    const hash = this.#cells.node(bit, left, right);
    refuseUnless(hash);
    return { hash, bit, path };
  }

  /** A child must begin with the bit of its side. */
  #child(depth: number, side: number, lo: number, hi: number): Cell | undefined {
    const cell = this.#cell(depth, lo, hi);
    refuseUnless(!cell || bitAt(cell.path, 0, depth) === side);
    return cell;
  }

  /** Of all claims that lead here exactly one may say that there is a leaf. */
  #claimedLeaf(lo: number, hi: number): Cell {
    const claims = this.#claims.slice(lo, hi).filter(({ leaf }) => leaf);
    const [claim] = claims;
    refuseUnless(claims.length === 1 && claim?.leaf);
    this.#shown++;
    return { hash: claim.leaf, bit: KEY_BITS, path: claim.key };
  }

  /** The claims whose keys have the bits that were just read. */
  #below(lo: number, hi: number, depth: number, bit: number): [first: number, end: number] {
    const leaves = (claim: number): boolean =>
      commonBits(this.#claims[claim]!.key, 0, this.#path, 0, depth, bit) < bit;
    let [first, end] = [lo, hi];
    while (first < end && leaves(first)) first++;
    while (first < end && leaves(end - 1)) end--;
    return [first, end];
  }

  /** Whether keys with the bits that were read, up to `bit`, can lie in the range. */
  #meetsRange(bit: number): boolean {
    if (!this.#range) return false;
    const { from, to } = this.#range;
    const low = commonBits(this.#path, 0, from, 0, 0, bit);
    if (low < bit && bitAt(this.#path, 0, low) === 0) return false;
    const high = commonBits(this.#path, 0, to, 0, 0, bit);
    return !(high < bit && bitAt(this.#path, 0, high) === 1);
  }

  #readPath(depth: number, bit: number): void {
    const bits = this.#take(pathBytes(depth, bit));
    if (bits.length === 0) return;
    refuseUnless((bits[0]! & ~(0xff >> (depth & 7))) === 0);
    refuseUnless((bit & 7) === 0 || (bits[bits.length - 1]! & (0xff >> (bit & 7))) === 0);
    const first = depth >> 3;
    const head = this.#path[first]! & (0xff00 >> (depth & 7));
    copyBytes(bits, 0, this.#path, first, bits.length);
    this.#path[first]! |= head;
    this.#path.fill(0, first + bits.length);
  }

  #take(count: number): Uint8Array {
    refuseUnless(this.#at + count <= this.#bytes.length);
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }
}
