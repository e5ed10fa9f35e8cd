/**
 * Hashes of trees whose runs without a branch are one edge: one message for each node that has changed, by height.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { throwIfAborted } from '../../errors.js';
import { copyBytes } from './bits.js';
import { type Draft, INNER, NONE } from './draft.js';
import type { MessageLayers } from './message-layer.js';
import { cellPathBytes, HARD, MOST_NODE_BYTES, SOFT, writeCellPath } from './node-bytes.js';

/** The nodes that were hashed, with their bytes where somebody wants them. */
export interface HashedNodes {
  readonly count: number;
  readonly nodes: ArrayLike<number>;
  /** `bytes` from `starts[i]` to `starts[i + 1]` are node `nodes[i]`. */
  readonly starts: Uint32Array;
  readonly bytes: Digest;
}

/** Fewer nodes than this, as of a single change, are hashed one by one: an order costs more than it gains. */
const FEW = 64;

/** Computes the hashes of all nodes below and with `top` that are dirty; at once where they are few. */
export function hashNodes(
  layers: MessageLayers,
  draft: Draft,
  top: number,
  { signal, withBytes }: { readonly signal: AbortSignal | undefined; readonly withBytes: boolean },
): HashedNodes | Promise<HashedNodes> {
  const dirty = collect(draft, top);
  if (dirty.count < FEW && layers.onCaller) return hashOneByOne(layers, draft, dirty, withBytes);
  return hashByHeight(layers, draft, dirty, signal);
}

const NO_BYTES: Digest = /* @__PURE__ */ new Uint8Array(0);
const NO_STARTS: Uint32Array = /* @__PURE__ */ new Uint32Array(0);

/** Each node after its children. */
function hashOneByOne(
  layers: MessageLayers,
  draft: Draft,
  { nodes, count }: Collected,
  withBytes: boolean,
): HashedNodes {
  const bytes = withBytes ? new Uint8Array(count * MOST_NODE_BYTES) : NO_BYTES;
  const starts = withBytes ? new Uint32Array(count + 1) : NO_STARTS;
  let hashAt = draft.allocate(count * DIGEST_BYTES);
  let at = 0;
  for (let i = 0; i < count; i++, hashAt += DIGEST_BYTES) {
    const node = nodes[i]!;
    const message = layers.message(nodeBytes(draft, node));
    writeNode(draft, node, message, 0);
    copyBytes(layers.hashOne(message), 0, draft.pool, hashAt, DIGEST_BYTES);
    draft.hashAt[node] = hashAt;
    draft.dirty[node] = 0;
    if (!withBytes) continue;
    bytes.set(message, at);
    at += message.length;
    starts[i + 1] = at;
  }
  return { count, nodes, starts, bytes };
}

async function hashByHeight(
  layers: MessageLayers,
  draft: Draft,
  dirty: Collected,
  signal: AbortSignal | undefined,
): Promise<HashedNodes> {
  const { nodes, ends } = byHeight(draft, dirty);
  const { count } = dirty;
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

/** Bytes of an inner node. */
function nodeBytes(draft: Draft, node: number): number {
  const bit = draft.bit[node]!;
  const left = draft.left[node]!;
  const right = draft.right[node]!;
  if (left === NONE || right === NONE) {
    return DIGEST_BYTES + cellPathBytes(bit, draft.bit[left === NONE ? right : left]!) + 1;
  }
  const paths = cellPathBytes(bit, draft.bit[left]!) + cellPathBytes(bit, draft.bit[right]!);
  return 2 * DIGEST_BYTES + paths + 1;
}

/** Writes the bytes of an inner node whose children have their hashes; returns where they end. */
function writeNode(draft: Draft, node: number, out: Uint8Array, at: number): number {
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

/** Dirty nodes, each after its children. */
interface Collected {
  readonly count: number;
  /** Plain arrays: a typed one costs more than all that a single change puts into it. */
  readonly nodes: readonly number[];
  /** Of the same positions: how many dirty nodes there are on the way down to a clean one, at most. */
  readonly heights: readonly number[];
  readonly highest: number;
}

function collect(draft: Draft, top: number): Collected {
  const nodes: number[] = [];
  const heights: number[] = [];
  const visit = (node: number): number => {
    if (node === NONE || draft.dirty[node] === 0 || draft.state[node] !== INNER) return 0;
    const height = 1 + Math.max(visit(draft.left[node]!), visit(draft.right[node]!));
    nodes.push(node);
    heights.push(height);
    return height;
  };
  const highest = visit(top);
  return { count: nodes.length, nodes, heights, highest };
}

/** Nodes in the order of their heights, and there in that of their lengths: kernels hash lanes of one length. */
function byHeight(
  draft: Draft,
  { count, nodes, heights, highest }: Collected,
): { nodes: Int32Array; ends: number[] } {
  const all: Uint32Array = new Uint32Array(count);
  for (let i = 0; i < count; i++) all[i] = i;
  const byLength = countingSort(all, MOST_NODE_BYTES + 1, (i) => nodeBytes(draft, nodes[i]!)).order;
  const { order, ends } = countingSort(byLength, highest + 1, (i) => heights[i]!);
  const sorted = new Int32Array(count);
  for (let i = 0; i < count; i++) sorted[i] = nodes[order[i]!]!;
  return { nodes: sorted, ends: ends.slice(1) };
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
