/**
 * Hashes of trees whose runs without a branch are one edge: one message for each node that has changed, by height.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { throwIfAborted } from '../../errors.js';
import { copyBytes, pathBytes } from './bits.js';
import { type Draft, INNER, NONE } from './draft.js';
import type { MessageLayers } from './message-layer.js';
import { cellPathBytes, HARD, MOST_NODE_BYTES, SOFT, writeCellPath } from './node-bytes.js';

/** The nodes that were hashed, with their bytes. */
export interface HashedNodes {
  readonly count: number;
  readonly nodes: Int32Array;
  /** `bytes` from `starts[i]` to `starts[i + 1]` are node `nodes[i]`. */
  readonly starts: Uint32Array;
  readonly bytes: Digest;
}

/** Fewer nodes than this are not worth an order by length. */
const FEW = 64;

/** Computes the hashes of all nodes below and with `top` that are dirty. */
export async function hashNodes(
  layers: MessageLayers,
  draft: Draft,
  top: number,
  signal: AbortSignal | undefined,
): Promise<HashedNodes> {
  const { nodes, ends } = byHeight(draft, collect(draft, top));
  const count = nodes.length;
  const starts = new Uint32Array(count + 1);
  const lengths = new Uint32Array(count);
  const bytes: Digest = new Uint8Array(count * MOST_NODE_BYTES);
  const hashes = draft.allocate(count * DIGEST_BYTES);
  let first = 0;
  for (const end of ends) {
    throwIfAborted(signal);
    let at = starts[first]!;
    for (let i = first; i < end; i++) {
      const after = writeNode(draft, nodes[i]!, bytes, at);
      lengths[i] = after - at;
      at = after;
      starts[i + 1] = at;
    }
    const messages = bytes.subarray(starts[first], at);
    const hashing = layers.hash(messages, lengths.subarray(first, end), signal);
    const digests = hashing instanceof Promise ? await hashing : hashing;
    draft.pool.set(digests, hashes + first * DIGEST_BYTES);
    for (let i = first; i < end; i++) {
      draft.hashAt[nodes[i]!] = hashes + i * DIGEST_BYTES;
      draft.dirty[nodes[i]!] = 0;
    }
    first = end;
  }
  return { count, nodes, starts, bytes };
}

/** Writes the bytes of an inner node whose children have their hashes; returns where they end. */
export function writeNode(draft: Draft, node: number, out: Uint8Array, at: number): number {
  const { pool, keyAt, hashAt } = draft;
  const bit = draft.bit[node]!;
  const left = draft.left[node]!;
  const right = draft.right[node]!;
  const first = left === NONE ? right : left;
  copyBytes(pool, hashAt[first]!, out, at, DIGEST_BYTES);
  let after = writeCellPath(out, at + DIGEST_BYTES, pool, keyAt[first]!, bit, draft.bit[first]!);
  if (left === NONE || right === NONE) {
    out[after] = SOFT;
    return after + 1;
  }
  after = writeCellPath(out, after, pool, keyAt[right]!, bit, draft.bit[right]!);
  copyBytes(pool, hashAt[right]!, out, after, DIGEST_BYTES);
  out[after + DIGEST_BYTES] = HARD;
  return after + DIGEST_BYTES + 1;
}

interface Collected {
  readonly nodes: Int32Array;
  /** Of the same positions: how many dirty nodes there are on the way down to a clean one, at most. */
  readonly heights: Uint16Array;
  readonly highest: number;
}

function collect(draft: Draft, top: number): Collected {
  const nodes = new Int32Array(draft.count);
  const heights = new Uint16Array(draft.count);
  let count = 0;
  const visit = (node: number): number => {
    if (node === NONE || draft.dirty[node] === 0 || draft.state[node] !== INNER) return 0;
    const height = 1 + Math.max(visit(draft.left[node]!), visit(draft.right[node]!));
    nodes[count] = node;
    heights[count++] = height;
    return height;
  };
  const highest = visit(top);
  return { nodes: nodes.subarray(0, count), heights, highest };
}

/** Nodes in the order of their heights, where there are many in that of their lengths, too: kernels hash lanes of one length. */
function byHeight(
  draft: Draft,
  { nodes, heights, highest }: Collected,
): { nodes: Int32Array; ends: number[] } {
  const count = nodes.length;
  let order: Uint32Array = Uint32Array.from({ length: count }, (_, i) => i);
  if (count >= FEW) {
    order = countingSort(order, MOST_NODE_BYTES, (i) => pathsBytes(draft, nodes[i]!)).order;
  }
  const { order: sorted, ends } = countingSort(order, highest + 1, (i) => heights[i]!);
  return { nodes: Int32Array.from(sorted, (i) => nodes[i]!), ends: ends.slice(1) };
}

function pathsBytes(draft: Draft, node: number): number {
  const bit = draft.bit[node]!;
  const left = draft.left[node]!;
  const right = draft.right[node]!;
  if (left === NONE || right === NONE) return cellPathBytes(bit, draft.bit[left === NONE ? right : left]!);
  return pathBytes(bit, draft.bit[left]!) + pathBytes(bit, draft.bit[right]!);
}

/** A stable sort by small numbers; `ends[k]` is where those of number `k` end. */
export function countingSort(
  from: Uint32Array,
  numbers: number,
  numberOf: (item: number) => number,
): { order: Uint32Array; ends: number[] } {
  const ends = new Array<number>(numbers).fill(0);
  for (let i = 0; i < from.length; i++) ends[numberOf(from[i]!)]!++;
  for (let number = 1; number < numbers; number++) ends[number]! += ends[number - 1]!;
  const order = new Uint32Array(from.length);
  for (let i = from.length - 1; i >= 0; i--) order[--ends[numberOf(from[i]!)]!] = from[i]!;
  // The loop has moved every end to its start.
  return { order, ends: [...ends.slice(1), from.length] };
}
