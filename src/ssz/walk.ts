/** From the root of kept nodes to a node by its generalized index. */
import { buildNode } from './build.js';
import { gindexDepth } from './gindex.js';
import { type ChunkTree, type KeptNode, Leaf, Pair } from './node.js';
import type { Work } from './work.js';
import { zeroRoot } from './zeros.js';

/**
 * The digest of node `gindex`: 32 bytes, not to be written to.
 *
 * @throws {RangeError} when nothing lies there: below a packed chunk, or below what does not exist.
 */
export function* digestOf(root: KeptNode, gindex: bigint): Work<Uint8Array> {
  const total = gindexDepth(gindex);
  let node = root;
  let left = total;
  while (left > 0) {
    if (node instanceof Leaf) throw nothingBelow(gindex);
    if (node instanceof Pair) {
      left--;
      node = (gindex >> BigInt(left)) & 1n ? node.right : node.left;
      continue;
    }
    const taken = Math.min(left, node.depth);
    left -= taken;
    const index = BigInt.asUintN(taken, gindex >> BigInt(left));
    if (left === 0) return nodeIn(node, node.depth - taken, index);
    node = yield* childOf(node, index, gindex);
  }
  return node.digest;
}

/** The nodes of the value that a chunk is the root of. */
export function* expand(tree: ChunkTree, chunk: number): Work<KeptNode | undefined> {
  const known = tree.children.get(chunk);
  if (known) return known;
  const encoding = tree.encodingOf(chunk);
  if (!encoding) return undefined;
  const child = yield* buildNode(encoding);
  tree.children.set(chunk, child);
  return child;
}

function nodeIn(tree: ChunkTree, level: number, index: bigint): Uint8Array {
  return index < tree.width(level) ? tree.at(level, Number(index)) : zeroRoot(level);
}

function* childOf(tree: ChunkTree, index: bigint, gindex: bigint): Work<KeptNode> {
  const child = index < tree.count ? yield* expand(tree, Number(index)) : undefined;
  if (!child) throw nothingBelow(gindex);
  return child;
}

function nothingBelow(gindex: bigint): RangeError {
  return new RangeError(`gindex: ${gindex} lies below a chunk of this value`);
}
