/**
 * A planned change of an indexed tree, hashed and worded for the store.
 */
import type { JobOptions } from '../../backend/types.js';
import { DIGEST_BYTES, type Digest, digestAt } from '../../bytes.js';
import type { Hasher } from '../../hasher.js';
import type { NodeStore, StoreOp } from '../../store/types.js';
import { Changes } from './changes.js';
import { hashRowsOf, type Leaf, type LeafForm, writeRow } from './leaf-form.js';
import { hashLevels } from './levels.js';
import { type IndexAt, leafOp } from './ordered-index.js';
import { beside, PageSet, type PagesAt } from './pages.js';
import type { Rewrite } from './plan.js';
import { distinct, run } from './positions.js';
import { type Paths, Steps } from './steps.js';

/** The tree that is changed. */
export interface ChangeAt extends PagesAt {
  readonly hasher: Hasher;
  readonly store: NodeStore;
  readonly form: LeafForm;
  readonly index: IndexAt;
  /** Leaves in it. */
  readonly size: number;
}

/** What is to become of the leaves. */
export interface Change {
  /** Leaves rewritten one after the other. */
  readonly rewrites: readonly Rewrite[];
  /** Leaves put behind the last one together; undefined where one stays empty. */
  readonly added: readonly (Leaf | undefined)[];
  /** Whether each rewrite has a path of its own; else only what the last ones leave is hashed. */
  readonly witnesses: boolean;
  /** Values that are inserted, for progress. */
  readonly total: number;
  /** The siblings of the first added position are wanted from this level on. */
  readonly siblingsFrom?: number;
}

/** What a change has come to. */
export interface Changed {
  /** Undefined where nothing changed. */
  readonly root: Digest | undefined;
  readonly ops: readonly StoreOp[];
  /** The siblings that each rewrite found; none without witnesses. */
  readonly paths: Paths;
  /** What {@link Change.siblingsFrom} asked for. */
  readonly siblings: readonly Digest[];
}

/**
 * Hashes a change.
 *
 * @throws {CambiumError} `ABORTED`, `STORE_CORRUPT`; what hasher and store throw.
 */
export async function hashChange(at: ChangeAt, change: Change, options: JobOptions): Promise<Changed> {
  const { hasher, store, depth, size } = at;
  const { rewrites, added, total, siblingsFrom = depth } = change;
  const last = new Map(rewrites.map(({ after }) => [after.index, after]));
  for (const leaf of added) if (leaf) last.set(leaf.index, leaf);
  const steps = change.witnesses ? rewrites.map(({ after }) => after) : [];
  const positions = steps.map(({ index }) => index);
  const changedAt = change.witnesses ? run(size, added.length) : changedPositions(last, size, added.length);
  const changed = Array.from(changedAt, (position) => last.get(position));
  const nodes = await leafNodes(at, [...steps, ...changed], options);
  const touched = distinct(concatPositions(positions, changedAt));
  const pages = await PageSet.read(store, at, touched, size);
  const stepBytes = steps.length * DIGEST_BYTES;
  const job = {
    steps: new Steps(positions, nodes.subarray(0, stepBytes), depth, added.length ? size : undefined),
    changes: new Changes(changedAt, nodes.subarray(stepBytes)),
  };
  const siblings: Digest[] = [];
  const onSteps = (level: number): void => {
    if (level < siblingsFrom || added.length === 0) return;
    siblings.push(pages.node(level, beside(Math.floor(size / 2 ** level))));
  };
  const root = await hashLevels(hasher, { ...options, ...job, pages, depth, total, onSteps });
  return {
    root,
    ops: root ? [...pages.ops(), ...Array.from(last.values(), (leaf) => leafOp(at.index, leaf))] : [],
    paths: job.steps.paths,
    siblings,
  };
}

/** The nodes of leaves, those of empty ones included; one job for all others. */
async function leafNodes(
  { hasher, form, zeros }: ChangeAt,
  leaves: readonly (Leaf | undefined)[],
  { signal }: JobOptions,
): Promise<Digest> {
  const { rowBytes } = form;
  const real = leaves.filter((leaf) => leaf !== undefined);
  const rows = new Uint8Array(real.length * rowBytes);
  for (const [i, leaf] of real.entries()) writeRow(form, leaf, rows, i * rowBytes);
  const hashed = await hashRowsOf(hasher, form, rows, signal);
  if (real.length === leaves.length) return hashed;
  const nodes = new Uint8Array(leaves.length * DIGEST_BYTES);
  let next = 0;
  for (const [i, leaf] of leaves.entries()) {
    nodes.set(leaf ? digestAt(hashed, next++) : zeros[0]!, i * DIGEST_BYTES);
  }
  return nodes;
}

/** Old leaves that changed, and all new positions. */
function changedPositions(last: ReadonlyMap<number, Leaf>, size: number, added: number): Float64Array {
  const old = [...last.keys()].filter((index) => index < size);
  return concatPositions(distinct(old), run(size, added));
}

function concatPositions(first: ArrayLike<number>, second: Float64Array): Float64Array {
  const all = new Float64Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
