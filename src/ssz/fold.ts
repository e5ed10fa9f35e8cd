/** Many trees of chunks at once, level by level: every level of all of them is one layer to hash. */
import { DIGEST_BYTES, type Digest } from '../bytes.js';
import { copyBytes } from './copy.js';
import type { Work } from './work.js';
import { zeroRoot } from './zeros.js';

type Counts = Uint32Array;

/**
 * Roots of trees of `depth` levels over groups of chunks that stand one after the other in `nodes`: `n x 32` bytes.
 *
 * What lies beyond a group's chunks is never hashed nor stored: `sum over the levels of ceil(count / 2^(level + 1))`
 * hashes a group.
 *
 * @param nodes overwritten.
 */
export function* foldGroups(nodes: Digest, counts: Counts, depth: number): Work<Digest> {
  let layer = nodes;
  let level = 0;
  // Groups of one even width have nothing to pad: most often these are many containers of one type.
  let width = commonWidth(counts);
  for (; level < depth && width % 2 === 0 && width > 0; level++) {
    layer = yield* foldPairs(layer);
    width /= 2;
  }
  let widths = level ? new Uint32Array(counts.length).fill(width) : counts;
  for (; level < depth && widths.some((each) => each > 1); level++) {
    layer = evened(layer, widths, zeroRoot(level));
    layer = yield* foldPairs(layer);
    widths = widths.map((each) => (each + 1) >>> 1);
  }
  return withEmptyGroups(yield* climb(layer, level, depth), counts, depth);
}

/** Nodes of one level to another, alone among zeros: how most of a list with a large limit looks. */
function* climb(nodes: Digest, from: number, to: number): Work<Digest> {
  if (from >= to || !nodes.length) return nodes;
  const pairs = new Uint8Array(2 * nodes.length);
  const out = pairs.subarray(0, nodes.length);
  out.set(nodes);
  for (let level = from; level < to; level++) {
    // Spread in place, from the end so that nothing is overwritten before it has moved.
    for (let at = nodes.length - DIGEST_BYTES; at >= 0; at -= DIGEST_BYTES) {
      if (at) pairs.copyWithin(2 * at, at, at + DIGEST_BYTES);
      pairs.set(zeroRoot(level), 2 * at + DIGEST_BYTES);
    }
    yield { nodes: pairs, out };
  }
  return out;
}

/** Roots of progressive trees over groups of chunks: subtrees of 1, 4, 16, ... chunks to the left of a spine. */
export function* foldProgressive(nodes: Digest, counts: Counts): Work<Digest> {
  const starts = new Float64Array(counts.length);
  let largest = 0;
  for (let i = 0; i < counts.length; i++) {
    if (i > 0) starts[i] = starts[i - 1]! + counts[i - 1]!;
    largest = Math.max(largest, counts[i]!);
  }
  const roots = new Uint8Array(counts.length * DIGEST_BYTES);
  for (let k = subtreeCount(largest) - 1; k >= 0; k--) {
    const before = subtreeStart(k);
    const members = [...counts.keys()].filter((i) => counts[i]! > before);
    const widths = Uint32Array.from(members, (i) => Math.min(counts[i]! - before, 4 ** k));
    const chunks = new Uint8Array(DIGEST_BYTES * widths.reduce((sum, width) => sum + width, 0));
    let at = 0;
    members.forEach((i, m) => {
      const length = widths[m]! * DIGEST_BYTES;
      copyBytes(chunks, at, nodes, (starts[i]! + before) * DIGEST_BYTES, length);
      at += length;
    });
    const lefts = yield* foldGroups(chunks, widths, 2 * k);
    const pairs = new Uint8Array(members.length * 2 * DIGEST_BYTES);
    members.forEach((i, m) => {
      copyBytes(pairs, 64 * m, lefts, DIGEST_BYTES * m, DIGEST_BYTES);
      copyBytes(pairs, 64 * m + 32, roots, DIGEST_BYTES * i, DIGEST_BYTES);
    });
    const parents = yield* foldPairs(pairs);
    members.forEach((i, m) => {
      copyBytes(roots, DIGEST_BYTES * i, parents, DIGEST_BYTES * m, DIGEST_BYTES);
    });
  }
  return roots;
}

/** Hashes each root with a number as a chunk: a length or a selector. */
export function* mixInNumbers(roots: Digest, numbers: ArrayLike<number>): Work<Digest> {
  const pairs = new Uint8Array(2 * roots.length);
  for (let i = 0; i < numbers.length; i++) {
    copyBytes(pairs, 64 * i, roots, 32 * i, DIGEST_BYTES);
    writeNumber(pairs, 64 * i + 32, numbers[i]!);
  }
  return yield* foldPairs(pairs);
}

/** Hashes each root with the same chunk. */
export function* mixInChunk(roots: Digest, chunk: Uint8Array): Work<Digest> {
  const pairs = new Uint8Array(2 * roots.length);
  for (let at = 0; at < roots.length; at += DIGEST_BYTES) {
    copyBytes(pairs, 2 * at, roots, at, DIGEST_BYTES);
    copyBytes(pairs, 2 * at + 32, chunk, 0, DIGEST_BYTES);
  }
  return yield* foldPairs(pairs);
}

/** Parents of pairs, in the first half of the same bytes. */
export function* foldPairs(pairs: Digest): Work<Digest> {
  const out = pairs.subarray(0, pairs.length / 2);
  if (out.length) yield { nodes: pairs, out };
  return out;
}

/** Chunks before subtree `k` of a progressive tree: (4^k - 1) / 3. */
export function subtreeStart(k: number): number {
  return (4 ** k - 1) / 3;
}

/** Subtrees of a progressive tree of this many chunks. */
export function subtreeCount(chunks: number): number {
  let k = 0;
  while (subtreeStart(k) < chunks) k++;
  return k;
}

/** A whole number in little-endian order. */
export function writeNumber(target: Uint8Array, at: number, value: number): void {
  for (let rest = value, i = at; rest > 0; rest = Math.floor(rest / 256)) target[i++] = rest % 256;
}

/** The width of all groups, or 1 where they differ. */
function commonWidth(counts: Counts): number {
  const first = counts[0] ?? 1;
  for (const count of counts) if (count !== first) return 1;
  return first;
}

/** The layer with a zero root behind every group of odd width; the same bytes where there is none. */
function evened(layer: Digest, widths: Counts, zero: Digest): Digest {
  let odd = 0;
  for (const width of widths) odd += width % 2;
  if (!odd) return layer;
  const even = new Uint8Array(layer.length + odd * DIGEST_BYTES);
  let from = 0;
  let to = 0;
  for (const width of widths) {
    const length = width * DIGEST_BYTES;
    copyBytes(even, to, layer, from, length);
    from += length;
    to += length;
    if (width % 2) {
      copyBytes(even, to, zero, 0, DIGEST_BYTES);
      to += DIGEST_BYTES;
    }
  }
  return even;
}

function withEmptyGroups(roots: Digest, counts: Counts, depth: number): Digest {
  if (!counts.includes(0)) return roots;
  const all = new Uint8Array(counts.length * DIGEST_BYTES);
  let from = 0;
  counts.forEach((count, i) => {
    if (count === 0) {
      all.set(zeroRoot(depth), i * DIGEST_BYTES);
      return;
    }
    copyBytes(all, i * DIGEST_BYTES, roots, from, DIGEST_BYTES);
    from += DIGEST_BYTES;
  });
  return all;
}
