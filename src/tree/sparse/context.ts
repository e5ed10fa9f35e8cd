/**
 * What all operations on one tree share, and the reads that need no proof.
 */
import { concatBytes, type Digest, digestAt } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { readMany } from '../../store/read.js';
import type { NodeStore } from '../../store/types.js';
import { bitAt, commonBits, KEY_BITS, KEY_BYTES } from './bits.js';
import { Draft, ENTRY_BYTES, LEAF, NONE } from './draft.js';
import type { EntryForm } from './entries.js';
import type { SparseLayout } from './layout.js';
import { Loader } from './load.js';
import { unpack } from './page.js';
import type { Shelf, State } from './shelf.js';
import { sortKeys } from './sort-keys.js';

/** What all views of one tree share. */
export interface TreeContext {
  readonly store: NodeStore;
  readonly prefix: Uint8Array;
  readonly layout: SparseLayout;
  readonly shelf: Shelf;
  readonly form: EntryForm;
  /** Drafts that nobody uses right now. */
  readonly spare: Draft[];
}

/** Runs work with a draft of its own. */
export async function withDraft<T>(
  { spare }: Pick<TreeContext, 'spare'>,
  work: (draft: Draft) => Promise<T>,
): Promise<T> {
  const draft = spare.pop() ?? new Draft();
  try {
    return await work(draft);
  } finally {
    draft.reset();
    spare.push(draft);
  }
}

/** Store key of the bytes that a user keeps beside a leaf. */
export function valueKey(prefix: Uint8Array, path: Uint8Array, leaf: Uint8Array): Digest {
  return concatBytes(prefix, VALUE_KIND, path, leaf);
}

const VALUE_KIND = /* @__PURE__ */ Uint8Array.of(0x76);

/** The bytes beside the leaf of a key. */
export async function getValue(
  context: TreeContext,
  state: State,
  path: Digest,
): Promise<Digest | undefined> {
  const leaf = await context.shelf.find(context.store, state, path);
  if (!leaf) return undefined;
  const [value] = await readMany(context.store, [valueKey(context.prefix, path, leaf)]);
  if (!value && context.form.hashed)
    throw new CambiumError('STORE_CORRUPT', 'a value of the tree is missing');
  return value;
}

/** Leaves of many paths, `n x 32` bytes, in their order. */
export async function getLeaves(
  context: TreeContext,
  state: State,
  paths: Digest,
): Promise<(Digest | undefined)[]> {
  return await withDraft(context, async (draft) => {
    const order = sortKeys(paths);
    const at = draft.allocate(order.length * ENTRY_BYTES);
    for (let i = 0; i < order.length; i++) draft.pool.set(digestAt(paths, order[i]!), at + i * ENTRY_BYTES);
    const top = context.shelf.open(draft, state);
    const loading = new Loader(context.store, context.shelf, draft).loadKeys(top, at, order.length);
    if (loading) await loading;
    return Array.from({ length: paths.length / KEY_BYTES }, (_, i) => leafIn(draft, top, digestAt(paths, i)));
  });
}

/** The leaf of a key whose path has been loaded. */
function leafIn(draft: Draft, top: number, key: Uint8Array): Digest | undefined {
  let node = top;
  while (node !== NONE && draft.state[node] !== LEAF) {
    const bit = draft.bit[node]!;
    if (commonBits(draft.pool, draft.keyAt[node]!, key, 0, 0, bit) < bit) return undefined;
    unpack(draft, node);
    node = bitAt(key, 0, bit) ? draft.right[node]! : draft.left[node]!;
  }
  if (node === NONE) return undefined;
  const isKey = commonBits(draft.pool, draft.keyAt[node]!, key, 0, 0, KEY_BITS) === KEY_BITS;
  return isKey ? draft.digest(draft.hashAt[node]!) : undefined;
}

/** Values of many paths, `n x 32` bytes, whose leaves are known. */
export async function valuesOf(
  { store, prefix }: TreeContext,
  paths: Digest,
  leaves: readonly (Digest | undefined)[],
): Promise<(Digest | undefined)[]> {
  const present = leaves.flatMap((leaf, i) => (leaf ? [i] : []));
  const found = await readMany(
    store,
    present.map((i) => valueKey(prefix, digestAt(paths, i), leaves[i]!)),
  );
  const values = leaves.map((): Digest | undefined => undefined);
  for (const [at, i] of present.entries()) {
    const value = found[at];
    if (!value) throw new CambiumError('STORE_CORRUPT', 'a value of the tree is missing');
    values[i] = value;
  }
  return values;
}
