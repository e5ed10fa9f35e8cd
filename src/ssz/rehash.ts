/**
 * Re-hashing what changed: every pair above a change once, in as many layers as the longest way from a change to the
 * root is long, whatever values those ways run through.
 */
import { DIGEST_BYTES, type Digest } from '../bytes.js';
import { copyBytes } from './copy.js';
import { foldPairs } from './fold.js';
import { ChunkTree, type Encoding, type KeptNode, Leaf, Pair } from './node.js';
import { rootsOf } from './roots.js';
import type { SszType } from './types.js';
import type { Work } from './work.js';

interface Task {
  readonly left: Uint8Array;
  readonly right: Uint8Array;
  readonly out: Uint8Array;
  /** Chunks of the values around, when the parent is a value's root. */
  readonly slots: readonly Uint8Array[];
}

/** Brings all digests up to date. */
export function* rehash(root: KeptNode): Work<void> {
  const replaced = new Map<SszType, { readonly slot: Uint8Array; readonly encoding: Encoding }[]>();
  gatherReplaced(root, replaced);
  for (const [type, values] of replaced) yield* writeReplaced(type, values);
  const ranks: Task[][] = [];
  schedule(root, [], ranks);
  for (const tasks of ranks) {
    const pairs = new Uint8Array(tasks.length * 2 * DIGEST_BYTES);
    tasks.forEach(({ left, right }, i) => {
      copyBytes(pairs, 64 * i, left, 0, DIGEST_BYTES);
      copyBytes(pairs, 64 * i + 32, right, 0, DIGEST_BYTES);
    });
    const parents = yield* foldPairs(pairs);
    tasks.forEach(({ out, slots }, i) => {
      for (const target of [out, ...slots]) copyBytes(target, 0, parents, 32 * i, DIGEST_BYTES);
    });
  }
}

/** Replaced values of one type are hashed together. */
function* writeReplaced(
  type: SszType,
  values: readonly { readonly slot: Uint8Array; readonly encoding: Encoding }[],
): Work<void> {
  const starts = new Uint32Array(values.length);
  const ends = new Uint32Array(values.length);
  let length = 0;
  for (const [i, { encoding }] of values.entries()) {
    starts[i] = length;
    length += encoding.end - encoding.start;
    ends[i] = length;
  }
  const joined = new Uint8Array(length);
  for (const [i, { encoding }] of values.entries()) {
    joined.set(encoding.bytes.subarray(encoding.start, encoding.end), starts[i]!);
  }
  const roots: Digest = yield* rootsOf(type, joined, { starts, ends });
  values.forEach(({ slot }, i) => {
    copyBytes(slot, 0, roots, i * DIGEST_BYTES, DIGEST_BYTES);
  });
}

function gatherReplaced(
  node: KeptNode,
  found: Map<SszType, { slot: Uint8Array; encoding: Encoding }[]>,
): void {
  if (node instanceof Leaf) return;
  if (node instanceof Pair) {
    gatherReplaced(node.left, found);
    gatherReplaced(node.right, found);
    return;
  }
  for (const chunk of node.unhashed) {
    const encoding = node.replaced.get(chunk)!;
    const values = found.get(encoding.type) ?? [];
    found.set(encoding.type, values);
    values.push({ slot: node.at(0, chunk), encoding });
    node.dirty.add(chunk);
  }
  node.unhashed.clear();
  for (const chunk of node.touched) gatherReplaced(node.children.get(chunk)!, found);
}

/**
 * Puts the pairs to hash below and at `node` into the ranks.
 *
 * @param slots where the digest is to be copied when it is known.
 * @returns the first rank that may use the digest; undefined when nothing changed.
 */
function schedule(node: KeptNode, slots: readonly Uint8Array[], ranks: Task[][]): number | undefined {
  if (node instanceof ChunkTree) return scheduleTree(node, slots, ranks);
  if (node instanceof Leaf) {
    // A leaf that changes is a length, which no chunk holds.
    const changed = node.dirty;
    node.dirty = false;
    return changed ? 0 : undefined;
  }
  const left = schedule(node.left, [], ranks);
  const right = schedule(node.right, [], ranks);
  if (left === undefined && right === undefined) return undefined;
  const rank = Math.max(left ?? 0, right ?? 0);
  addTask(ranks, rank, { left: node.left.digest, right: node.right.digest, out: node.digest, slots });
  return rank + 1;
}

function scheduleTree(tree: ChunkTree, slots: readonly Uint8Array[], ranks: Task[][]): number | undefined {
  let changed = new Map<number, number>();
  for (const chunk of tree.dirty) changed.set(chunk, 0);
  // The root of a tree of one chunk is that chunk.
  const beyond = tree.depth === 0 ? slots : [];
  for (const chunk of tree.touched) {
    const rank = schedule(tree.children.get(chunk)!, [tree.at(0, chunk), ...beyond], ranks);
    if (rank !== undefined) changed.set(chunk, rank);
  }
  if (tree.dirty.size) for (const slot of beyond) slot.set(tree.digest);
  tree.dirty.clear();
  tree.touched.clear();
  if (!changed.size) return undefined;
  for (let level = 0; level < tree.depth; level++) {
    const parents = new Map<number, number>();
    for (const [index, rank] of changed) {
      const parent = Math.floor(index / 2);
      parents.set(parent, Math.max(rank, parents.get(parent) ?? 0));
    }
    for (const [parent, rank] of parents) {
      addTask(ranks, rank, {
        left: tree.at(level, 2 * parent),
        right: tree.at(level, 2 * parent + 1),
        out: tree.at(level + 1, parent),
        slots: level + 1 === tree.depth ? slots : [],
      });
      parents.set(parent, rank + 1);
    }
    changed = parents;
  }
  return changed.get(0)!;
}

function addTask(ranks: Task[][], rank: number, task: Task): void {
  while (ranks.length <= rank) ranks.push([]);
  ranks[rank]!.push(task);
}
