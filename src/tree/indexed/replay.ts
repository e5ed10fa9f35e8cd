/**
 * A batch done again from its witnesses, without the tree: what a reader of them, or a circuit, computes.
 */
import type { JobOptions } from '../../backend/types.js';
import { assertLength, concatBytes, DIGEST_BYTES, type Digest, digestAt, equalBytes } from '../../bytes.js';
import type { Hasher } from '../../hasher.js';
import { growLayers, levelRoom, nodesIn } from '../append-only-grow.js';
import { hashLayer } from '../layers.js';
import { copyDigest, DIGEST_WORDS, wordsOf } from '../node-words.js';
import { wholeNumber } from '../shape.js';
import { compareKeys } from './keys.js';
import { emptyNode, hashRowsOf, type Leaf, type LeafForm, leafForm, writeRow } from './leaf-form.js';
import type { IndexedBatch, IndexedProof, IndexedScheme } from './types.js';
import { type Entry, readEntries } from './values.js';
import { isLowLeaf, isPadding, readLeaf } from './verify.js';

/** The tree before the batch, as the reader knows it. */
export interface ReplayClaim {
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** Leaves, padding included. */
  readonly size: number | bigint;
  /** Levels above the leaves, 1 to 64. */
  readonly depth: number;
  readonly scheme: IndexedScheme;
  /** Whether it is an updatable tree; default false. */
  readonly updatable?: boolean;
}

/** What a reader gets of a batch. */
export type ReplayedBatch = Pick<
  IndexedBatch,
  'sortedValues' | 'originalIndices' | 'lowLeafWitnesses' | 'subtreeSiblings'
>;

/**
 * The root after a batch, derived from the root before it and the batch's witnesses; undefined when they are wrong.
 *
 * Each witness must lead to the root that the step before it left, each value must belong behind its low leaf, and the
 * place of the new leaves must have been empty. With siblings of a subtree of height above 0 the batch must fill just
 * that subtree.
 *
 * @throws {TypeError} for arguments of the wrong type. @throws {RangeError} for a claim that no tree can make, and for
 *   lists whose lengths do not fit each other.
 * @throws {CambiumError} `NOT_CANONICAL` for a part that is no element; `ABORTED`; what the hasher throws.
 * @example
 * ```ts
 * const root = await tree.root();
 * const { size, depth, scheme } = tree;
 * const batch = await tree.insert(values);
 * await replayBatch(hasher, { root, size, depth, scheme }, batch); // batch.root
 * ```
 */
export async function replayBatch(
  hasher: Hasher,
  claim: ReplayClaim,
  batch: ReplayedBatch,
  options: Pick<JobOptions, 'signal'> = {},
): Promise<Digest | undefined> {
  const form = leafForm(hasher.spec, claim);
  const depth = Number(wholeNumber(claim.depth, 'depth', 1n, 64n));
  const size = wholeNumber(claim.size, 'size', 0n, 1n << BigInt(depth));
  assertLength(claim.root, DIGEST_BYTES, 'root');
  const entries = readEntries(batch.sortedValues, form);
  checkLists(batch, entries.length, depth);
  const rewrites = replayLeaves(form, size, entries, batch);
  if (!rewrites || size + BigInt(entries.length) > 1n << BigInt(depth)) return undefined;
  const nodes = await leafNodes(hasher, form, rewrites, options);
  const root = await replayRewrites(hasher, nodes, rewrites, { root: claim.root, depth, ...options });
  if (!root || entries.length === 0) return root;
  return await replayAppend(hasher, form, nodes.added, {
    root,
    size,
    depth,
    siblings: batch.subtreeSiblings,
    ...options,
  });
}

/** What the witnesses say about the leaves. */
interface Rewrites {
  readonly witnesses: readonly IndexedProof[];
  readonly before: readonly Leaf[];
  readonly after: readonly Leaf[];
  /** In the order of the batch. */
  readonly added: readonly (Leaf | undefined)[];
}

/** Old and new nodes of the rewritten leaves, and the nodes of the new ones. */
interface Nodes {
  readonly before: Digest;
  readonly after: Digest;
  readonly added: Digest;
}

function checkLists(batch: ReplayedBatch, count: number, depth: number): void {
  for (const name of ['originalIndices', 'lowLeafWitnesses'] as const) {
    if (!Array.isArray(batch[name])) throw new TypeError(`${name}: expected an array`);
    if (batch[name].length !== count) {
      throw new RangeError(
        `${name}: expected ${count}, one for each sorted value, got ${batch[name].length}`,
      );
    }
  }
  checkSiblings(batch.subtreeSiblings, 'subtreeSiblings', depth);
  for (const [i, { siblings }] of batch.lowLeafWitnesses.entries()) {
    const name = `lowLeafWitnesses[${i}].siblings`;
    checkSiblings(siblings, name, depth);
    if (siblings.length !== depth) throw new RangeError(`${name}: expected ${depth}, got ${siblings.length}`);
  }
}

function checkSiblings(siblings: unknown, name: string, most: number): void {
  if (!Array.isArray(siblings)) throw new TypeError(`${name}: expected an array`);
  if (siblings.length > most)
    throw new RangeError(`${name}: expected at most ${most}, got ${siblings.length}`);
  for (const [i, sibling] of siblings.entries()) assertLength(sibling, DIGEST_BYTES, `${name}[${i}]`);
}

/** The leaves of the batch; undefined when values, order or low leaves are wrong. */
function replayLeaves(
  form: LeafForm,
  size: bigint,
  entries: readonly Entry[],
  { originalIndices, lowLeafWitnesses }: ReplayedBatch,
): Rewrites | undefined {
  const real = entries.filter(({ isEmpty }) => !isEmpty);
  const ascends = real.some((entry, i) => i > 0 && compareKeys(real[i - 1]!.key, entry.key) <= 0);
  const places = new Set(originalIndices);
  const isOrder = originalIndices.every((i) => Number.isInteger(i) && i >= 0 && i < entries.length);
  // Padding comes last, since zero is the least value.
  if (ascends || !isOrder || places.size !== entries.length) return undefined;
  if (real.some((entry, i) => entry.position !== i)) return undefined;

  const witnesses = lowLeafWitnesses.slice(0, real.length);
  const before = witnesses.map(({ leaf }, i) => readLeaf(form, leaf, `lowLeafWitnesses[${i}].leaf`));
  const added: (Leaf | undefined)[] = Array(entries.length).fill(undefined);
  const after: Leaf[] = [];
  for (const [i, { key, data }] of real.entries()) {
    const low = before[i]!;
    const index = wholeNumber(witnesses[i]!.index, `lowLeafWitnesses[${i}].index`, 0n, (1n << 64n) - 1n);
    if (index >= size || isPadding(low, index)) return undefined;
    if (form.updatable && compareKeys(low.key, key) === 0) {
      after.push({ ...low, data });
      continue;
    }
    if (!isLowLeaf(low, key)) return undefined;
    const place = originalIndices[i]!;
    added[place] = { ...low, key, data };
    after.push({ ...low, nextIndex: size + BigInt(place), nextKey: key });
  }
  return { witnesses, before, after, added };
}

async function leafNodes(
  hasher: Hasher,
  form: LeafForm,
  { before, after, added }: Rewrites,
  { signal }: Pick<JobOptions, 'signal'>,
): Promise<Nodes> {
  const leaves = [...before, ...after, ...added.filter((leaf) => leaf !== undefined)];
  const rows = new Uint8Array(leaves.length * form.rowBytes);
  for (const [i, leaf] of leaves.entries()) writeRow(form, leaf, rows, i * form.rowBytes);
  const hashed = await hashRowsOf(hasher, form, rows, signal);
  const bytes = before.length * DIGEST_BYTES;
  const empty = emptyNode(hasher, form);
  const nodes = new Uint8Array(added.length * DIGEST_BYTES);
  let next = 2 * before.length;
  for (const [i, leaf] of added.entries()) {
    nodes.set(leaf ? digestAt(hashed, next++) : empty, i * DIGEST_BYTES);
  }
  return { before: hashed.subarray(0, bytes), after: hashed.subarray(bytes, 2 * bytes), added: nodes };
}

/** The tree during the replay. */
interface Running extends Pick<JobOptions, 'signal'> {
  readonly root: Uint8Array;
  readonly depth: number;
}

/** The root behind the last rewrite; undefined when some path does not begin where the one before it ended. */
async function replayRewrites(
  hasher: Hasher,
  { before, after }: Nodes,
  { witnesses }: Rewrites,
  { root, depth, signal }: Running,
): Promise<Digest | undefined> {
  const count = witnesses.length;
  // All paths at once, level by level: the old nodes first, then the new ones beside the same siblings.
  let nodes = concatBytes(before, after);
  for (let level = 0; level < depth && count > 0; level++) {
    const pairs = new Uint8Array(2 * nodes.length);
    const [from, to] = [wordsOf(nodes), wordsOf(pairs)];
    for (let i = 0; i < 2 * count; i++) {
      const { index, siblings } = witnesses[i % count]!;
      const isRight = bitOf(index, level);
      copyDigest(from, i * DIGEST_WORDS, to, (2 * i + isRight) * DIGEST_WORDS);
      pairs.set(siblings[level]!, (2 * i + 1 - isRight) * DIGEST_BYTES);
    }
    nodes = new Uint8Array(nodes.length);
    await hashLayer(hasher, pairs, nodes, signal);
  }
  let running = root;
  for (let i = 0; i < count; i++) {
    if (!equalBytes(digestAt(nodes, i), running)) return undefined;
    running = digestAt(nodes, count + i);
  }
  return new Uint8Array(running);
}

/** Digits of a bigint cost many times those of a number. */
function bitOf(index: number | bigint, bit: number): number {
  if (typeof index === 'number') return Math.floor(index / 2 ** bit) % 2;
  return Number((index >> BigInt(bit)) & 1n);
}

/** The root with the new leaves in their place; undefined when that was not empty, or not where the siblings are. */
async function replayAppend(
  hasher: Hasher,
  form: LeafForm,
  added: Digest,
  { root, size, depth, siblings, signal }: Running & { size: bigint; siblings: readonly Uint8Array[] },
): Promise<Digest | undefined> {
  const height = depth - siblings.length;
  const count = added.length / DIGEST_BYTES;
  const place = size >> BigInt(height);
  // The siblings of a subtree say nothing about leaves outside of it.
  if (height > 0 && (count !== 2 ** height || place << BigInt(height) !== size)) return undefined;
  const zeros = [emptyNode(hasher, form)];
  for (let level = 0; level < depth; level++) zeros.push(hasher.hashPair(zeros[level]!, zeros[level]!));

  let empty = zeros[height]!;
  const peaks = new Map<number, Uint8Array>();
  for (const [level, sibling] of siblings.entries()) {
    const isRight = (place >> BigInt(level)) & 1n;
    if (isRight) peaks.set(level, sibling);
    // Whatever is to the right of the last leaf is empty.
    else if (!equalBytes(sibling, zeros[height + level]!)) return undefined;
    empty = isRight ? hasher.hashPair(sibling, empty) : hasher.hashPair(empty, sibling);
  }
  if (!equalBytes(empty, root)) return undefined;
  const grow = async (
    leaves: Digest,
    from: number,
    to: number,
    head: { size: bigint; peaks: typeof peaks },
  ) => {
    const room = levelRoom(leaves.length / DIGEST_BYTES);
    nodesIn(room).set(leaves);
    const layers = await growLayers(hasher, { head, leaves: room, zeros: zeros.slice(from, to + 1), signal });
    return layers.at(-1)!.nodes;
  };
  const subtree = await grow(added, 0, height, { size: 0n, peaks: new Map() });
  return (await grow(subtree, height, depth, { size: place, peaks })).slice();
}
