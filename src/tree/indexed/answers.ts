/**
 * What an insertion tells of itself.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import type { Changed } from './change.js';
import { turnKey, ZERO_KEY } from './keys.js';
import { type LeafForm, toPublic } from './leaf-form.js';
import type { BatchPlan, Rewrite } from './plan.js';
import type { IndexedBatch, IndexedLeaf, IndexedProof, IndexedSequence } from './types.js';
import { entryBytes } from './values.js';

/** What a batch tells beside the new state. */
export function batchWitnesses(
  form: LeafForm,
  depth: number,
  { sorted, rewrites }: BatchPlan,
  { paths, siblings }: Changed,
): Omit<IndexedBatch, 'root' | 'size'> {
  const filler = fillerAt(form, depth);
  const each = entryBytes(form);
  const sortedValues = new Uint8Array(sorted.length * each);
  for (const [i, { key, data }] of sorted.entries()) {
    sortedValues.set(turnKey(key, form.input), i * each);
    if (data) sortedValues.set(data, i * each + DIGEST_BYTES);
  }
  return {
    sortedValues,
    originalIndices: sorted.map(({ position }) => position),
    lowLeafWitnesses: sorted.map((_, i) =>
      i < rewrites.length ? witness(form, rewrites[i]!, () => paths.of(i)) : filler(),
    ),
    subtreeSiblings: siblings,
  };
}

/** What an insertion one by one tells beside the new state. */
export function sequenceWitnesses(
  form: LeafForm,
  depth: number,
  rewrites: readonly Rewrite[],
  { paths }: Changed,
): Omit<IndexedSequence, 'root' | 'size'> {
  const filler = fillerAt(form, depth);
  const lowLeafWitnesses: IndexedProof[] = [];
  const insertionWitnesses: IndexedProof[] = [];
  for (const [step, rewrite] of rewrites.entries()) {
    if (!rewrite.before) continue;
    lowLeafWitnesses.push(witness(form, rewrite, () => paths.of(step)));
    const next = rewrites[step + 1];
    const isNew = next !== undefined && !next.before;
    insertionWitnesses.push(isNew ? witness(form, next, () => paths.of(step + 1)) : filler());
  }
  return { lowLeafWitnesses, insertionWitnesses };
}

/** A witness whose siblings are cut out when they are read: as views they take more time and memory than as digests. */
function witness(form: LeafForm, { before, after }: Rewrite, path: () => Digest[]): IndexedProof {
  let siblings: Digest[] | undefined;
  return {
    leaf: before ? toPublic(form, before) : emptyLeaf(form),
    index: after.index,
    get siblings() {
      siblings ??= path();
      return siblings;
    },
  };
}

/** A leaf of zeros: what a position holds before it is taken. */
function emptyLeaf({ updatable }: LeafForm): IndexedLeaf {
  const zero = (): Digest => ZERO_KEY.slice();
  return { value: zero(), ...(updatable && { data: zero() }), nextIndex: 0, nextValue: zero() };
}

/** Stands where there is nothing to prove, so that lists keep their length. */
function fillerAt(form: LeafForm, depth: number): () => IndexedProof {
  return () => ({
    leaf: emptyLeaf(form),
    index: 0,
    siblings: Array.from({ length: depth }, () => new Uint8Array(DIGEST_BYTES)),
  });
}
