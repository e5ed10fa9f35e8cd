/**
 * Leaves as the hash takes them.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { decodeElements } from '../../hash/elements.js';
import type { HashInput, HashSpec } from '../../hash/types.js';
import type { Hasher } from '../../hasher.js';
import { keyOfNumber, turnKey, ZERO_KEY } from './keys.js';
import type { IndexedLeaf, IndexedScheme } from './types.js';

/** A leaf as the tree thinks of it: values as keys. */
export interface Leaf {
  readonly index: number;
  readonly key: Digest;
  /** In an updatable tree alone. */
  readonly data: Digest | undefined;
  readonly nextIndex: number | bigint;
  readonly nextKey: Digest;
}

/** How leaves of a tree are written for its hash. */
export interface LeafForm {
  readonly input: HashInput;
  readonly scheme: IndexedScheme;
  readonly updatable: boolean;
  /** Bytes of a leaf before it is hashed: one field of 32 bytes for each of its parts. */
  readonly rowBytes: number;
}

/** All schemes. */
export const SCHEMES: readonly IndexedScheme[] = ['pr', 'typescript', 'separated'];

/**
 * Checks scheme and form against the hash.
 *
 * @throws {RangeError} for an unknown scheme, for one that does not go with the hash, or for an updatable `pr`.
 */
export function leafForm(
  { id, input }: HashSpec,
  { scheme, updatable = false }: { readonly scheme: IndexedScheme; readonly updatable?: boolean | undefined },
): LeafForm {
  if (!SCHEMES.includes(scheme)) {
    throw new RangeError(`scheme: expected ${SCHEMES.join(', ')}, got ${String(scheme)}`);
  }
  if (typeof updatable !== 'boolean')
    throw new TypeError(`updatable: expected a boolean, got ${typeof updatable}`);
  // The ids of hashes with a separator say so; under the wrong scheme roots would be those of another tree.
  if (id.includes('-sep-') !== (scheme === 'separated')) {
    throw new RangeError(`scheme: ${scheme} does not go with ${id}: nodes with a separator are 'separated'`);
  }
  if (updatable && scheme === 'pr') throw new RangeError("updatable: the scheme 'pr' has no such leaves");
  return { input, scheme, updatable, rowBytes: (updatable ? 4 : 3) * DIGEST_BYTES };
}

/** Writes a leaf as its hash takes it: at most 128 bytes, from `at` on. */
export function writeRow(
  { input, scheme, updatable }: LeafForm,
  leaf: Leaf,
  rows: Uint8Array,
  at: number,
): void {
  const isLittle = input !== 'bytes' && input.order === 'le';
  let end = at;
  const put = (field: Uint8Array): void => {
    rows.set(field, end);
    end += DIGEST_BYTES;
  };
  const putKey = (key: Uint8Array): void => {
    put(key);
    if (isLittle) rows.subarray(end - DIGEST_BYTES, end).reverse();
  };
  putKey(leaf.key);
  if (updatable) put(leaf.data!);
  if (scheme === 'pr') putKey(keyOfNumber(leaf.nextIndex));
  putKey(leaf.nextKey);
  if (scheme !== 'pr') putKey(keyOfNumber(leaf.nextIndex));
}

/**
 * Hashes rows that lie one after the other.
 *
 * @throws {CambiumError} what the hasher throws.
 */
export async function hashRowsOf(
  hasher: Hasher,
  form: LeafForm,
  rows: Digest,
  signal: AbortSignal | undefined,
): Promise<Digest> {
  const { input, rowBytes } = form;
  if (rows.length === 0) return new Uint8Array(0);
  if (input !== 'bytes') return await hasher.hashRows(rows, rowBytes / input.elementBytes, { signal });
  const lengths = new Uint32Array(rows.length / rowBytes).fill(rowBytes);
  return await hasher.hashMessages(rows, lengths, { signal });
}

/** What can hash a single leaf, without a backend. */
export type LeafHasher = Pick<Hasher, 'spec' | 'hash' | 'hashElements'>;

/** The node of a leaf. @throws {CambiumError} `NOT_CANONICAL` when one of its parts is no element. */
export function leafNode(hash: LeafHasher, form: LeafForm, leaf: Leaf): Digest {
  const row = new Uint8Array(form.rowBytes);
  writeRow(form, leaf, row, 0);
  return form.input === 'bytes' ? hash.hash(row) : hash.hashElements(decodeElements(row, form.input));
}

/** The node of an empty leaf. */
export function emptyNode(hash: LeafHasher, form: LeafForm): Digest {
  if (form.scheme !== 'pr') return hash.spec.zero.slice();
  const nothing = { index: 0, key: ZERO_KEY, data: undefined, nextIndex: 0, nextKey: ZERO_KEY };
  return leafNode(hash, form, nothing);
}

/** A leaf as callers see it. */
export function toPublic({ input }: LeafForm, { key, data, nextIndex, nextKey }: Leaf): IndexedLeaf {
  return {
    value: turnKey(key, input),
    ...(data && { data: data.slice() }),
    nextIndex,
    nextValue: turnKey(nextKey, input),
  };
}
