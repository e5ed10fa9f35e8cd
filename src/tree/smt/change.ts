/**
 * A change of leaves, from what lies on their paths to what the store is to write.
 */
import type { JobOptions } from '../../backend/types.js';
import type { Hasher } from '../../hasher.js';
import { bytesOf } from '../node-words.js';
import { Draft, type LeafEdit } from './draft.js';
import { hashLevels } from './hash-levels.js';
import type { Paths } from './layout.js';
import { type Found, readPaths, type SmtAt } from './read.js';
import type { LeafRecord } from './record.js';
import type { Head, Planned } from './state.js';

/** What becomes of the leaves, and how many more there are of each. */
export interface CountedEdit extends LeafEdit {
  readonly moreLeaves: number;
  readonly moreEntries: number;
}

/** Decides what becomes of the leaves on the paths; `leaves` are those that are there. */
export type Editor = (leaves: readonly (LeafRecord | undefined)[]) => Promise<CountedEdit>;

/**
 * Hashes a change of ascending, distinct leaves.
 *
 * @returns undefined where no leaf changes.
 * @throws {CambiumError} `ABORTED`, `STORE_CORRUPT`; what hasher and store throw.
 */
export async function planChange(
  hasher: Hasher,
  at: SmtAt,
  head: Head,
  paths: Paths,
  editor: Editor,
  options: JobOptions,
): Promise<Planned | undefined> {
  const found = await readPaths(at, paths, head.leaves === 0);
  const edit = await editor(ownLeaves(paths, found));
  if (!edit.changed.includes(1)) return undefined;
  const draft = new Draft(at, paths, found, edit);
  const root = await hashLevels(hasher, at, draft, options);
  return {
    root: root ? bytesOf(root.slice()) : at.zeros[at.depth]!,
    leaves: head.leaves + edit.moreLeaves,
    entries: head.entries + edit.moreEntries,
    ops: draft.ops(),
  };
}

/** The leaf at the end of each path, where it is not empty. */
export function ownLeaves(
  { count, high, low }: Paths,
  { leaves, leafOf }: Found,
): (LeafRecord | undefined)[] {
  return Array.from({ length: count }, (_, path) => {
    const leaf = leaves[leafOf[path]!];
    return leaf && leaf.high === high[path] && leaf.low === low[path] ? leaf.record : undefined;
  });
}
