/**
 * Hashes of single nodes, for verifiers.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import type { Hasher } from '../../hasher.js';
import { bitAt, KEY_BITS } from './bits.js';
import { type LevelsFormat, levelMessage } from './hash-levels.js';
import { HARD, MOST_NODE_BYTES, SOFT, writeCellPath } from './node-bytes.js';

/** An edge of a proof. */
export interface Cell {
  /** Hash of the node below; of a leaf the leaf itself. */
  readonly hash: Uint8Array;
  /** Where it ends: 256 at a leaf. */
  readonly bit: number;
  /** 32 bytes, of which the first `bit` bits count. */
  readonly path: Uint8Array;
}

/** How a layout hashes the nodes of a proof. */
export interface CellHash {
  readonly emptyRoot: Digest | null;
  /** Hash of the node that branches at `bit`; undefined where no node can be like that. */
  node(bit: number, left: Cell | undefined, right: Cell | undefined): Digest | undefined;
  /** Root of a tree whose top is this cell. */
  root(top: Cell): Digest | undefined;
}

/** Nodes hashed as Monotree does. */
export function nodeCellHash(caller: Pick<Hasher, 'hash'>): CellHash {
  const node: CellHash['node'] = (bit, left, right) => {
    const first = left ?? right;
    if (!first) return undefined;
    const bytes = new Uint8Array(MOST_NODE_BYTES);
    bytes.set(first.hash);
    let at = writeCellPath(bytes, DIGEST_BYTES, first.path, 0, bit, first.bit);
    if (left && right) {
      at = writeCellPath(bytes, at, right.path, 0, bit, right.bit);
      bytes.set(right.hash, at);
      at += DIGEST_BYTES;
    }
    bytes[at] = left && right ? HARD : SOFT;
    return caller.hash(bytes.subarray(0, at + 1));
  };
  return {
    emptyRoot: null,
    node,
    root: (top) => (top.bit === 0 ? (top.hash as Digest) : node(0, top, undefined)),
  };
}

/** The digest of a cell's node as it stands at `depth`, where every level is hashed. */
export function raiseCell(
  caller: Pick<Hasher, 'hash'>,
  { leafTag, innerTag, empty }: LevelsFormat,
  cell: Cell,
  depth: number,
): Digest {
  const { bit, path } = cell;
  if (bit === KEY_BITS) return caller.hash(levelMessage(leafTag, path, cell.hash));
  let raised = new Uint8Array(cell.hash);
  for (let level = bit - 1; level >= depth; level--) {
    const isRight = bitAt(path, 0, level) === 1;
    raised = caller.hash(levelMessage(innerTag, isRight ? empty : raised, isRight ? raised : empty));
  }
  return raised;
}

/** Every level of a path hashed. */
export function levelCellHash(caller: Pick<Hasher, 'hash'>, format: LevelsFormat): CellHash {
  const raise = (cell: Cell, depth: number): Digest => raiseCell(caller, format, cell, depth);
  return {
    emptyRoot: format.empty,
    // A node with one child does not exist: where there is no branch, the path is longer.
    node: (bit, left, right) =>
      left &&
      right &&
      caller.hash(levelMessage(format.innerTag, raise(left, bit + 1), raise(right, bit + 1))),
    root: (top) => raise(top, 0),
  };
}
