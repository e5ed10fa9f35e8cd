/**
 * The leaves of an indexed tree in the order of their values, as the store keeps them: one entry for each value, found
 * by itself or by the values above it. Padding has no entry, so it can never be a low leaf.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { readMany } from '../../store/read.js';
import type { KeyRange, NodeStore, StoreOp } from '../../store/types.js';
import { singleKey, writeIndex } from '../keys.js';
import { compareKeys } from './keys.js';
import type { Leaf } from './leaf-form.js';

/** Low leaves that are looked for side by side, in databases that answer later. */
const AT_ONCE = 32;

/** Index, next index and next value; data behind them. */
const FIXED_BYTES = 16 + DIGEST_BYTES;

/** What names the entries of a tree. */
export interface IndexAt {
  /** What their keys begin with; the key of the leaf stands behind it. */
  readonly start: Digest;
  readonly updatable: boolean;
}

/** The index of the tree whose keys begin with `prefix`. */
export function indexAt(prefix: Uint8Array, updatable: boolean): IndexAt {
  return { start: singleKey(prefix, 'k'), updatable };
}

function entryKey({ start }: IndexAt, key: Uint8Array): Digest {
  const entry = new Uint8Array(start.length + DIGEST_BYTES);
  entry.set(start);
  entry.set(key, start.length);
  return entry;
}

/** The entry of a leaf. */
export function leafOp(at: IndexAt, leaf: Leaf): StoreOp {
  const { index, key, data, nextIndex, nextKey } = leaf;
  const value = new Uint8Array(FIXED_BYTES + (data ? DIGEST_BYTES : 0));
  writeIndex(value, 0, index);
  writeIndex(value, 8, nextIndex);
  value.set(nextKey, 16);
  if (data) value.set(data, FIXED_BYTES);
  return { put: entryKey(at, key), value };
}

function decodeLeaf({ updatable }: IndexAt, key: Digest, value: Digest): Leaf {
  if (value.length !== FIXED_BYTES + (updatable ? DIGEST_BYTES : 0)) {
    throw new CambiumError('STORE_CORRUPT', `the entry of a value has ${value.length} bytes`);
  }
  const view = new DataView(value.buffer, value.byteOffset);
  return {
    index: readIndex(view, 0),
    key,
    data: updatable ? value.slice(FIXED_BYTES) : undefined,
    nextIndex: readIndex(view, 8),
    nextKey: value.slice(16, FIXED_BYTES),
  };
}

/** A position below 2^53. */
function readIndex(view: DataView, at: number): number {
  return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);
}

/** The leaf of exactly this key; undefined where there is none. */
export async function findLeaf(store: NodeStore, at: IndexAt, key: Digest): Promise<Leaf | undefined> {
  const [value] = await readMany(store, [entryKey(at, key)]);
  return value && decodeLeaf(at, key, value);
}

/**
 * The leaf of the greatest key that is not above `key`. There is one in every tree: that of zero.
 *
 * @throws {CambiumError} `STORE_CORRUPT` when there is none.
 */
export async function lowLeaf(store: NodeStore, at: IndexAt, key: Digest): Promise<Leaf> {
  const range = rangeBelow(at, key);
  if (store.iterateSync) return firstLeaf(at, store.iterateSync(range)[0]);
  for await (const entry of store.iterate(range)) return firstLeaf(at, entry);
  return firstLeaf(at, undefined);
}

/** The low leaves of keys that descend. */
export async function lowLeaves(store: NodeStore, at: IndexAt, keys: readonly Digest[]): Promise<Leaf[]> {
  const found: Leaf[] = [];
  while (found.length < keys.length) {
    const next = keys[found.length]!;
    const last = found.at(-1);
    if (last && compareKeys(next, last.key) >= 0) found.push(last);
    else if (store.iterateSync) found.push(firstLeaf(at, store.iterateSync(rangeBelow(at, next))[0]));
    else {
      const some = keys.slice(found.length, found.length + AT_ONCE);
      found.push(...(await Promise.all(some.map((key) => lowLeaf(store, at, key)))));
    }
  }
  return found;
}

function rangeBelow(at: IndexAt, key: Digest): KeyRange {
  return { gte: at.start, lte: entryKey(at, key), reverse: true, limit: 1 };
}

function firstLeaf(at: IndexAt, entry: readonly [Digest, Digest] | undefined): Leaf {
  if (!entry) throw new CambiumError('STORE_CORRUPT', 'the leaf of zero is missing');
  const [key, value] = entry;
  return decodeLeaf(at, key.slice(-DIGEST_BYTES), value);
}
