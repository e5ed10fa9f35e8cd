/**
 * Nodes as Monotree 0.4 writes and hashes them.
 *
 * A cell is an edge: bits `from` to `to` of a key, and the hash that it leads to.
 *
 * ```
 * path   from mod 8 (2)  from mod 8 + to - from (2)  the bytes of these bits, other bits zero
 * soft   hash (32)  path  0x00
 * hard   left hash (32)  left path  right path  right hash (32)  0x01
 * ```
 */
import { DIGEST_BYTES } from '../../bytes.js';
import { bitAt, copyBytes, KEY_BITS, KEY_BYTES, pathBytes, writePath } from './bits.js';

export const SOFT = 0;
export const HARD = 1;

/** Most bytes of a node. */
export const MOST_NODE_BYTES: number = 2 * (DIGEST_BYTES + 4 + KEY_BYTES) + 1;

/** Bytes of a cell without its hash. */
export function cellPathBytes(from: number, to: number): number {
  return 4 + pathBytes(from, to);
}

/** Writes the path of a cell and returns where it ends. */
export function writeCellPath(
  out: Uint8Array,
  at: number,
  key: Uint8Array,
  keyAt: number,
  from: number,
  to: number,
): number {
  const start = from & 7;
  const end = start + to - from;
  out[at] = 0;
  out[at + 1] = start;
  out[at + 2] = end >> 8;
  out[at + 3] = end;
  return writePath(out, at + 4, key, keyAt, from, to);
}

/** A cell read from a node. */
export interface CellView {
  /** Address of its hash. */
  hashAt: number;
  /** Address of the bytes of its path. */
  pathAt: number;
  /** Where it ends: 256 at a leaf. */
  to: number;
}

/** A node read from bytes; a soft one has one cell, `left`, whose first bit can be either. */
export interface NodeView {
  hard: boolean;
  readonly left: CellView;
  readonly right: CellView;
}

/** One node read after the other into the same place. */
export const newNodeView = (): NodeView => ({
  hard: false,
  left: { hashAt: 0, pathAt: 0, to: 0 },
  right: { hashAt: 0, pathAt: 0, to: 0 },
});

/** Reads the path of a cell that starts at depth `depth`; returns where it ends, or -1 when it is not well-formed. */
function readCellPath(bytes: Uint8Array, at: number, limit: number, depth: number, cell: CellView): number {
  if (at + 4 > limit) return -1;
  const start = (bytes[at]! << 8) | bytes[at + 1]!;
  const end = (bytes[at + 2]! << 8) | bytes[at + 3]!;
  const to = depth + end - start;
  if (start !== (depth & 7) || end <= start || to > KEY_BITS) return -1;
  const pathAt = at + 4;
  const after = pathAt + pathBytes(depth, to);
  if (after > limit) return -1;
  if (bytes[pathAt]! & ~(0xff >> (depth & 7))) return -1;
  if (to & 7 && bytes[after - 1]! & (0xff >> (to & 7))) return -1;
  cell.pathAt = pathAt;
  cell.to = to;
  return after;
}

/** Bit `bit` of the path of a cell that starts at `depth`. */
export function cellBit(bytes: Uint8Array, cell: CellView, depth: number, bit: number): number {
  return bitAt(bytes, cell.pathAt - (depth >> 3), bit);
}

/** How many bits of a key a cell that starts at `depth` shares with it, from `depth` on. */
export function sharedWithCell(bytes: Uint8Array, cell: CellView, depth: number, key: Uint8Array): number {
  const first = depth >> 3;
  const count = pathBytes(depth, cell.to);
  for (let i = 0; i < count; i++) {
    const difference = (bytes[cell.pathAt + i]! ^ key[first + i]!) & (i ? 0xff : 0xff >> (depth & 7));
    if (!difference) continue;
    return Math.min(cell.to, 8 * (first + i) + Math.clz32(difference) - 24) - depth;
  }
  return cell.to - depth;
}

/** Reads the node at depth `depth`, with all its rules; false when it is none. */
export function readNode(bytes: Uint8Array, depth: number, view: NodeView): boolean {
  const last = bytes.length - 1;
  const kind = bytes[last];
  const { left, right } = view;
  if (kind !== SOFT && kind !== HARD) return false;
  left.hashAt = 0;
  const after = readCellPath(bytes, DIGEST_BYTES, last, depth, left);
  if (after < 0) return false;
  view.hard = kind === HARD;
  if (!view.hard) return after === last;
  const end = readCellPath(bytes, after, last - DIGEST_BYTES, depth, right);
  right.hashAt = last - DIGEST_BYTES;
  if (end !== right.hashAt) return false;
  return cellBit(bytes, left, depth, depth) === 0 && cellBit(bytes, right, depth, depth) === 1;
}

/** Copies the bits of a cell that starts at `depth` behind the first `depth` bits of a key. */
export function extendKey(
  key: Uint8Array,
  keyAt: number,
  bytes: Uint8Array,
  cell: CellView,
  depth: number,
): void {
  const first = keyAt + (depth >> 3);
  const head = key[first]! & (0xff00 >> (depth & 7));
  copyBytes(bytes, cell.pathAt, key, first, pathBytes(depth, cell.to));
  key[first]! |= head;
}
