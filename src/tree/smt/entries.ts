/**
 * Entries of `Smt` leaves: keys and values, words of four elements.
 */
import { assertMultiple, DIGEST_BYTES, type Digest, digestAt, equalBytes, toHex } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { ELEMENT_BYTES } from '../../field/goldilocks.js';
import { assertCanonical } from '../../hash/canonical.js';
import type { HashInput } from '../../hash/types.js';
import { sortKeys } from '../sparse/sort-keys.js';
import type { Paths } from './layout.js';
import { ENTRY_BYTES } from './record.js';

/** Most entries of one leaf, as published. */
export const MOST_ENTRIES = 1024;

/** Entries in the order of their keys, and the leaves that hold them. */
export interface EntryBatch {
  /** The leaf of each group of entries: element 3 of their keys. */
  readonly paths: Paths;
  /** Key and value of each, `n x 64` bytes. */
  readonly entries: Digest;
  /** Where the entries of each leaf begin, and the end. */
  readonly starts: Uint32Array;
}

/** Order of keys: as integers, the last element first, which is the order of their bytes from the last one on. */
function compareKeys(a: Uint8Array, aEntry: number, b: Uint8Array, bEntry: number): number {
  for (let i = DIGEST_BYTES - 1; i >= 0; i--) {
    const difference = a[aEntry * ENTRY_BYTES + i]! - b[bEntry * ENTRY_BYTES + i]!;
    if (difference) return difference;
  }
  return 0;
}

function keyAt(entries: Uint8Array, entry: number): Uint8Array {
  return digestAt(entries, 2 * entry);
}

/** Whether the value of an entry is the empty word. */
function isEmptyAt(entries: Uint8Array, entry: number): boolean {
  const at = entry * ENTRY_BYTES;
  for (let i = at + DIGEST_BYTES; i < at + ENTRY_BYTES; i++) if (entries[i]) return false;
  return true;
}

/** Element 3 of an entry's key in two words: the position of its leaf. */
export function leafOf(entries: Uint8Array, entry = 0): { readonly high: number; readonly low: number } {
  const at = entry * ENTRY_BYTES + DIGEST_BYTES - ELEMENT_BYTES;
  return { high: wordAt(entries, at + 4), low: wordAt(entries, at) };
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/**
 * Checks entries, copies them and puts them in order.
 *
 * @throws {TypeError} @throws {RangeError} when they are not `n x 64` bytes.
 * @throws {CambiumError} `NOT_CANONICAL` with the position of the element, `KEY_EXISTS` for a key that is there twice.
 */
export function readBatch(given: Uint8Array, input: HashInput): EntryBatch {
  assertMultiple(given, ENTRY_BYTES, 'entries');
  assertCanonical(given, input);
  const count = given.length / ENTRY_BYTES;
  const order = sortKeys(keysBackwards(given));
  if (order.length < count) throw repeatedKey(given, order);
  const entries = new Uint8Array(given.length);
  const starts = new Uint32Array(count + 1);
  const high = new Uint32Array(count);
  const low = new Uint32Array(count);
  let leaves = 0;
  for (let i = 0; i < count; i++) {
    const from = order[i]! * ENTRY_BYTES;
    for (let k = 0; k < ENTRY_BYTES; k++) entries[i * ENTRY_BYTES + k] = given[from + k]!;
    const leaf = leafOf(entries, i);
    if (leaves && leaf.high === high[leaves - 1] && leaf.low === low[leaves - 1]) continue;
    starts[leaves] = i;
    high[leaves] = leaf.high;
    low[leaves++] = leaf.low;
  }
  starts[leaves] = count;
  return { paths: { count: leaves, high, low }, entries, starts };
}

/** All keys, each from its last byte to its first: so their bytewise order is the order of the tree. */
function keysBackwards(entries: Uint8Array): Digest {
  const keys = new Uint8Array(entries.length / 2);
  let to = 0;
  for (let end = DIGEST_BYTES - 1; end < entries.length; end += ENTRY_BYTES) {
    for (let i = 0; i < DIGEST_BYTES; i++) keys[to++] = entries[end - i]!;
  }
  return keys;
}

/**
 * What becomes of a leaf's entries when others, in the same order, are set; a value of zeros removes its entry. It can be
 * one of the two arrays.
 *
 * @throws {CambiumError} `TREE_FULL` when there are more than a leaf takes.
 */
export function mergeEntries(before: Digest, set: Digest): Digest {
  // Nearly every leaf of a large batch is new and has one entry.
  if (before.length === 0 && set.length === ENTRY_BYTES) return isEmptyAt(set, 0) ? before : set;
  const merged = new Uint8Array(before.length + set.length);
  const [olds, news] = [before.length / ENTRY_BYTES, set.length / ENTRY_BYTES];
  let old = 0;
  let at = 0;
  const put = (from: Uint8Array, entry: number): void => {
    merged.set(from.subarray(entry * ENTRY_BYTES, (entry + 1) * ENTRY_BYTES), at);
    at += ENTRY_BYTES;
  };
  for (let entry = 0; entry < news; entry++) {
    while (old < olds && compareKeys(before, old, set, entry) < 0) put(before, old++);
    if (old < olds && compareKeys(before, old, set, entry) === 0) old++;
    if (!isEmptyAt(set, entry)) put(set, entry);
  }
  while (old < olds) put(before, old++);
  if (at > MOST_ENTRIES * ENTRY_BYTES) {
    throw new CambiumError('TREE_FULL', `a leaf takes ${MOST_ENTRIES} entries, got ${at / ENTRY_BYTES}`);
  }
  return merged.subarray(0, at);
}

/** The value of a key among the entries of its leaf; zeros where it is absent. */
export function findValue(entries: Uint8Array, key: Uint8Array): Digest {
  for (let entry = 0; entry < entries.length / ENTRY_BYTES; entry++) {
    if (equalBytes(keyAt(entries, entry), key)) return new Uint8Array(digestAt(entries, 2 * entry + 1));
  }
  return new Uint8Array(DIGEST_BYTES);
}

/** Whether entries are what a leaf of this key can hold: canonical, in order, no key twice, no value empty. */
export function areLeafEntries(entries: Uint8Array, key: Uint8Array): boolean {
  const leaf = leafOf(key);
  const count = entries.length / ENTRY_BYTES;
  if (count > MOST_ENTRIES) return false;
  for (let entry = 0; entry < count; entry++) {
    const { high, low } = leafOf(entries, entry);
    if (high !== leaf.high || low !== leaf.low || isEmptyAt(entries, entry)) return false;
    if (entry && compareKeys(entries, entry - 1, entries, entry) >= 0) return false;
  }
  return true;
}

function repeatedKey(given: Uint8Array, order: Uint32Array): CambiumError {
  const kept = new Set(order);
  const entry = Array.from({ length: given.length / ENTRY_BYTES }, (_, i) => i).find((i) => !kept.has(i))!;
  return new CambiumError('KEY_EXISTS', `entries: the key ${toHex(keyAt(given, entry))} is there twice`);
}
