/** Jobs cut into blocks. */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { hashableRows, rowRange } from '../rows.js';
import type { Matrix, SyncEngine } from '../types.js';
import { foldLevels, MESSAGES, PAIRS, type Request, ROWS, TREE } from './request.js';
import { SLOT_INPUT_BYTES, SLOT_OUTPUT_BYTES } from './ring.js';
import type { Block } from './run-blocks.js';

const PAIR_BYTES = 2 * DIGEST_BYTES;
/** Blocks are multiples of this, so that no kernel has lanes left over in the middle of a layer. */
const LANES = 4;
/** Most pairs of a block: still in the second-level cache when they are hashed after they were copied. */
export const MOST_PAIRS = 2048;
/** Most leaves of a subtree: with all levels, what a second-level cache holds, and a slot. */
export const MOST_LEAVES = 8192;
/** The last blocks of a layer shrink to this part of the others, so that all threads end at about the same time. */
const LAST_PART = 8;

/** A layer of pairs, for so many threads. */
export function* pairBlocks(
  engine: number,
  nodes: Uint8Array,
  out: Uint8Array,
  pairsPerBlock: number,
  threads: number,
): Generator<Block> {
  const total = nodes.length / PAIR_BYTES;
  const least = Math.ceil(pairsPerBlock / LAST_PART);
  let count = 0;
  for (let first = 0; first < total; first += count) {
    const left = total - first;
    const share = threads > 1 ? Math.ceil(left / (2 * threads * LANES)) * LANES : left;
    count = Math.min(left, pairsPerBlock, Math.max(least, share));
    const source = nodes.subarray(first * PAIR_BYTES, (first + count) * PAIR_BYTES);
    const target = out.subarray(first * DIGEST_BYTES, (first + count) * DIGEST_BYTES);
    yield {
      hashes: count,
      request: { engine, kind: PAIRS, count, bytes: 0, levels: 0, rowElements: 0 },
      run: (hash) => hash.hashPairs(source, target),
      fill: (input) => input.set(source),
      finish: (output) => target.set(output.subarray(0, target.length)),
    };
  }
}

/** Messages; `weigh` gives a message's cost in pair hashes, `weightPerBlock` is in the same unit. */
export function* messageBlocks(
  engine: number,
  { messages, lengths }: { readonly messages: Uint8Array; readonly lengths: Uint32Array },
  out: Uint8Array,
  weigh: (length: number) => number,
  weightPerBlock: number,
): Generator<Block> {
  let start = 0;
  for (let first = 0; first < lengths.length; ) {
    let bytes = 0;
    let weight = 0;
    let end = first;
    while (end < lengths.length && weight < weightPerBlock) {
      const next = bytes + lengths[end]!;
      if (end > first && !fits(end + 1 - first, next)) break;
      bytes = next;
      weight += weigh(lengths[end++]!);
    }
    const count = end - first;
    const content = messages.subarray(start, start + bytes);
    const their = lengths.subarray(first, end);
    const target = out.subarray(first * DIGEST_BYTES, end * DIGEST_BYTES);
    const request: Request = { engine, kind: MESSAGES, count, bytes, levels: 0, rowElements: 0 };
    yield {
      hashes: weight,
      ...(fits(count, bytes) && { request }),
      run: (hash) => hash.hashMessages!(content, their, target),
      fill(input) {
        new Uint32Array(input.buffer, input.byteOffset, count).set(their);
        input.set(content, 4 * count);
      },
      finish: (output) => target.set(output.subarray(0, target.length)),
    };
    start += bytes;
    first = end;
  }
}

const fits = (count: number, bytes: number): boolean =>
  4 * count + bytes <= SLOT_INPUT_BYTES && count * DIGEST_BYTES <= SLOT_OUTPUT_BYTES;

/** Rows of field elements, which are laid out block by block; `weight` is a row's cost in pair hashes. */
export function* rowBlocks(
  engine: number,
  matrix: Matrix,
  out: Uint8Array,
  weight: number,
  rowsPerBlock: number,
): Generator<Block> {
  for (let first = 0; first < matrix.rows; first += rowsPerBlock) {
    const count = Math.min(rowsPerBlock, matrix.rows - first);
    const { rows, rowElements } = hashableRows(rowRange(matrix, first, count));
    const target = out.subarray(first * DIGEST_BYTES, (first + count) * DIGEST_BYTES);
    const fit = rows.length <= SLOT_INPUT_BYTES && target.length <= SLOT_OUTPUT_BYTES;
    yield {
      hashes: count * weight,
      ...(fit && { request: { engine, kind: ROWS, count, bytes: rows.length, levels: 0, rowElements } }),
      run: (hash) => hash.hashRows!(rows, rowElements, target),
      fill: (input) => input.set(rows),
      finish: (output) => target.set(output.subarray(0, target.length)),
    };
  }
}

/** Subtrees of whole leaves: `leavesPerBlock` a multiple of 2^levels. Nothing is left over at their ends. */
export function* treeBlocks(
  engine: number,
  leaves: Uint8Array,
  levels: number,
  leavesPerBlock: number,
  /** Where level k (1 to `levels`) belongs; absent where nobody wants it. */
  layers: readonly (Digest | undefined)[],
): Generator<Block> {
  const scratch = new Uint8Array(leavesPerBlock * DIGEST_BYTES);
  const total = leaves.length / DIGEST_BYTES;
  for (let first = 0; first < total; first += leavesPerBlock) {
    const count = Math.min(leavesPerBlock, total - first);
    const source = leaves.subarray(first * DIGEST_BYTES, (first + count) * DIGEST_BYTES);
    const finish = (output: Uint8Array): void => {
      let at = 0;
      for (let level = 1; level <= levels; level++) {
        const bytes = (count >> level) * DIGEST_BYTES;
        layers[level]?.set(output.subarray(at, at + bytes), (first >> level) * DIGEST_BYTES);
        at += bytes;
      }
    };
    yield {
      hashes: count - (count >> levels),
      request: { engine, kind: TREE, count, bytes: 0, levels, rowElements: 0 },
      run(hash: SyncEngine) {
        foldLevels(hash, source, levels, scratch);
        finish(scratch);
      },
      fill: (input) => input.set(source),
      finish,
    };
  }
}
