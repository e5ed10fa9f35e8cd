/**
 * Entries of `Smt` leaves: keys and values, words of four elements.
 */
import { assertMultiple, DIGEST_BYTES, type Digest, digestAt, equalBytes, toHex } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
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
export function compareKeys(a: Uint8Array, b: Uint8Array): number {
  for (let i = DIGEST_BYTES - 1; i >= 0; i--) {
    const difference = a[i]! - b[i]!;
    if (difference) return difference;
  }
  return 0;
}

/** Key or value of an entry, as a view. */
export function keyAt(entries: Uint8Array, entry: number): Uint8Array {
  return digestAt(entries, 2 * entry);
}

export function valueAt(entries: Uint8Array, entry: number): Uint8Array {
  return digestAt(entries, 2 * entry + 1);
}

/** Element 3 of a key in two words: the position of its leaf. */
export function leafOfKey(key: Uint8Array): { readonly high: number; readonly low: number } {
  const view = new DataView(key.buffer, key.byteOffset, DIGEST_BYTES);
  return { high: view.getUint32(28, true), low: view.getUint32(24, true) };
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
  const backwards = new Uint8Array(count * DIGEST_BYTES);
  for (let i = 0; i < count; i++) backwards.set(keyAt(given, i), i * DIGEST_BYTES);
  for (let i = 0; i < count; i++) digestAt(backwards, i).reverse();
  const order = sortKeys(backwards);
  if (order.length < count) throw repeatedKey(given, order);
  const entries = new Uint8Array(given.length);
  const starts: number[] = [];
  const high: number[] = [];
  const low: number[] = [];
  for (let i = 0; i < count; i++) {
    const entry = given.subarray(order[i]! * ENTRY_BYTES, (order[i]! + 1) * ENTRY_BYTES);
    entries.set(entry, i * ENTRY_BYTES);
    const leaf = leafOfKey(entry);
    if (i && leaf.high === high.at(-1) && leaf.low === low.at(-1)) continue;
    starts.push(i);
    high.push(leaf.high);
    low.push(leaf.low);
  }
  const paths = { count: high.length, high: Uint32Array.from(high), low: Uint32Array.from(low) };
  return { paths, entries, starts: Uint32Array.from([...starts, count]) };
}

/** What becomes of a leaf's entries when others, in the same order, are set; a value of zeros removes its entry. */
export function mergeEntries(before: Uint8Array, set: Uint8Array): Digest {
  const merged = new Uint8Array(before.length + set.length);
  const [olds, news] = [before.length / ENTRY_BYTES, set.length / ENTRY_BYTES];
  let old = 0;
  let at = 0;
  const put = (from: Uint8Array, entry: number): void => {
    merged.set(from.subarray(entry * ENTRY_BYTES, (entry + 1) * ENTRY_BYTES), at);
    at += ENTRY_BYTES;
  };
  for (let entry = 0; entry < news; entry++) {
    const key = keyAt(set, entry);
    while (old < olds && compareKeys(keyAt(before, old), key) < 0) put(before, old++);
    if (old < olds && equalBytes(keyAt(before, old), key)) old++;
    if (!isZero(valueAt(set, entry))) put(set, entry);
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
    if (equalBytes(keyAt(entries, entry), key)) return new Uint8Array(valueAt(entries, entry));
  }
  return new Uint8Array(DIGEST_BYTES);
}

/** Whether entries are what a leaf of this key can hold: canonical, in order, no key twice, no value empty. */
export function areLeafEntries(entries: Uint8Array, key: Uint8Array): boolean {
  const leaf = leafOfKey(key);
  const count = entries.length / ENTRY_BYTES;
  if (count > MOST_ENTRIES) return false;
  for (let entry = 0; entry < count; entry++) {
    const own = keyAt(entries, entry);
    const { high, low } = leafOfKey(own);
    if (high !== leaf.high || low !== leaf.low || isZero(valueAt(entries, entry))) return false;
    if (entry && compareKeys(keyAt(entries, entry - 1), own) >= 0) return false;
  }
  return true;
}

function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]) return false;
  return true;
}

function repeatedKey(given: Uint8Array, order: Uint32Array): CambiumError {
  const kept = new Set(order);
  const entry = Array.from({ length: given.length / ENTRY_BYTES }, (_, i) => i).find((i) => !kept.has(i))!;
  return new CambiumError('KEY_EXISTS', `entries: the key ${toHex(keyAt(given, entry))} is there twice`);
}
