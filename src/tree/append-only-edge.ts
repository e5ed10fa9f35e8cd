/**
 * The right edge of a tree of some size: the nodes that are not complete yet, or empty.
 */
import { DIGEST_BYTES, type Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import type { Layer } from './append-only-pages.js';

/** `edge[k]` is the node at index `size >> k` of level k, from the leaves to the root. */
export type Edge = readonly Digest[];

/** Up to this height the edge is empty: a whole number of subtrees of that height has been filled. */
function emptyHeight(size: bigint): number {
  const bits = size.toString(2);
  return size === 0n ? Number.POSITIVE_INFINITY : bits.length - 1 - bits.lastIndexOf('1');
}

/** The edge folded from the tree's complete subtrees: at most one hash a level. The tree must not be full. */
export function foldEdge(
  hash: Pick<Hasher, 'hashPair'>,
  size: bigint,
  peaks: ReadonlyMap<number, Uint8Array>,
  zeros: readonly Digest[],
): Edge {
  const edge = [zeros[0]!];
  const empty = emptyHeight(size);
  for (let height = 0; height + 1 < zeros.length; height++) {
    const peak = peaks.get(height);
    if (peak) edge.push(hash.hashPair(peak, edge[height]!));
    else if (height <= empty) edge.push(zeros[height + 1]!);
    else edge.push(hash.hashPair(edge[height]!, zeros[height]!));
  }
  return edge;
}

/** The edge after an append that changed `layers`, without hashing. */
export function edgeOf(size: bigint, layers: readonly Layer[], zeros: readonly Digest[]): Edge {
  const empty = emptyHeight(size);
  return layers.map(({ nodes }, height) => (height <= empty ? zeros[height]! : nodes.slice(-DIGEST_BYTES)));
}
