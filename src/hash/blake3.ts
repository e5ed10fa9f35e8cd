/** BLAKE3, plain hash mode: chunks of 1 024 bytes, and a binary tree over them. */
import { concatBytes } from '../bytes.js';
import { blakeRounds, blakeWords32, readWords, type Schedule, writeWords } from './blake.js';
import { lazy } from './lazy.js';
import { primeRoots } from './prime-roots.js';
import type { CpuKernels, Digest, GpuKernels, HashModule, KernelLoader } from './types.js';

const BLOCK_BYTES = 64;

/** Bytes of a chunk: sixteen blocks, chained. */
export const CHUNK_BYTES = 1024;

/** Bits of the last word of a compression's state. */
export const flags = { chunkStart: 1, chunkEnd: 2, parent: 4, root: 8 } as const;

/** The chaining value before the first block of a chunk, and before a parent: that of SHA-256. */
export const iv: readonly bigint[] = /* @__PURE__ */ primeRoots(8, 2, 32);

/** From one round to the next, word `permutation[i]` takes place i. */
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

function permutedRounds(rounds: number): Schedule {
  let order = PERMUTATION.map((_, i) => i);
  return Array.from({ length: rounds }, () => {
    const now = order;
    order = PERMUTATION.map((i) => now[i]!);
    return now;
  });
}

/** The message words of the seven rounds. */
export const schedule: Schedule = /* @__PURE__ */ permutedRounds(7);

/** All that one compression takes in. */
interface Node {
  readonly chaining: readonly bigint[];
  readonly block: Uint8Array;
  /** Number of the chunk; 0 for parents. */
  readonly counter: number;
  readonly flags: number;
}

/** The chaining value of a node; its first eight words. */
function compress(node: Node, extraFlags = 0): bigint[] {
  const { chaining, block, counter } = node;
  const tail = [BigInt(counter % 2 ** 32), BigInt(Math.floor(counter / 2 ** 32)), BigInt(block.length)];
  const v = [...chaining, ...iv.slice(0, 4), ...tail, BigInt(node.flags | extraFlags)];
  blakeRounds(blakeWords32, v, readWords(32, block, 16), schedule);
  return chaining.map((_, i) => v[i]! ^ v[i + 8]!);
}

/** The last compression of chunk `counter`, still to be made: only the root gets the flag of the root. */
function chunkNode(chunk: Uint8Array, counter: number): Node {
  const blocks = Math.max(1, Math.ceil(chunk.length / BLOCK_BYTES));
  let node: Node | undefined;
  for (let i = 0; i < blocks; i++) {
    node = {
      chaining: node ? compress(node) : iv,
      block: chunk.subarray(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES),
      counter,
      flags: (i === 0 ? flags.chunkStart : 0) | (i === blocks - 1 ? flags.chunkEnd : 0),
    };
  }
  return node!;
}

/** The node over bytes of which chunk `counter` is the first: the left half is the largest full tree that leaves a right one. */
function treeNode(bytes: Uint8Array, counter: number): Node {
  if (bytes.length <= CHUNK_BYTES) return chunkNode(bytes, counter);
  const chunks = Math.ceil(bytes.length / CHUNK_BYTES);
  const left = 2 ** Math.ceil(Math.log2(chunks) - 1);
  const parts = [
    treeNode(bytes.subarray(0, left * CHUNK_BYTES), counter),
    treeNode(bytes.subarray(left * CHUNK_BYTES), counter + left),
  ];
  const block = writeWords(
    32,
    parts.flatMap((part) => compress(part)),
  );
  return { chaining: iv, block, counter: 0, flags: flags.parent };
}

/**
 * BLAKE3 of a message of any length, 32 bytes.
 *
 * @example
 * ```ts
 * toHex(blake3(new TextEncoder().encode('abc'))); // '0x6437b3ac…d5bd9d85'
 * ```
 */
export function blake3(message: Uint8Array): Digest {
  return writeWords(32, compress(treeNode(message, 0), flags.root));
}

export const reference: HashModule = {
  id: 'blake3',
  hash: blake3,
  hashPair: (left, right) => blake3(concatBytes(left, right)),
  messageBlocks: (length) => Math.max(1, Math.ceil(length / BLOCK_BYTES)),
};

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/blake3.js');
/** Once, because backends know kernels by their identity. Longer messages keep the chaining values of their subtrees. */
export const gpu: KernelLoader<GpuKernels> = /* @__PURE__ */ lazy(async () => ({
  ...(await import('../generated/gpu/blake3.js')),
  flatBytes: CHUNK_BYTES,
}));
