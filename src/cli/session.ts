/** A hasher for the length of one command, and the tree of one input. */
import { createHasher, type Hasher } from '../hasher.js';
import { buildTree, type MerkleTree } from '../tree/merkle.js';
import { MAX_DEPTH } from '../tree/shape.js';
import { InputError } from './exit.js';
import { type Input, openInput } from './input.js';
import { inputLeaves } from './leaves.js';
import type { HasherFlags, TreeFlags } from './options.js';
import { withProgress } from './progress.js';

/** What was hashed, and how. */
export interface GrownTree {
  readonly tree: MerkleTree;
  readonly hasher: Hasher;
  readonly input: Input;
  /** From the first read to the root; opening the backends is not in it. */
  readonly seconds: number;
}

/** Opens a hasher, works with it, closes it. */
export async function withHasher<T>(flags: HasherFlags, work: (hasher: Hasher) => Promise<T>): Promise<T> {
  const { hash, backend, threads } = flags;
  const hasher = await createHasher(hash, {
    backend,
    // The library counts the workers beside the caller.
    ...(threads !== undefined && { threads: threads - 1 }),
  });
  try {
    return await work(hasher);
  } finally {
    await hasher.close();
  }
}

/**
 * Reads an input, builds its tree, and works with that.
 *
 * @param keep what stays in memory: for proofs it takes the layers.
 * @throws {InputError} for flags or an input that make no tree.
 */
export async function withTree<T>(
  path: string,
  flags: TreeFlags,
  keep: 'root' | 'layers',
  signal: AbortSignal,
  work: (grown: GrownTree) => Promise<T>,
): Promise<T> {
  const { padding, depth, leaves: format } = flags;
  if (depth !== undefined && padding !== 'zero') {
    throw new InputError(`--depth goes with --padding zero, not ${padding}`);
  }
  const input = await openInput(path, signal);
  return await withHasher(flags, async (hasher) => {
    const keepFrom = keep === 'root' ? (depth ?? MAX_DEPTH) : 0;
    const grow = () =>
      buildTree(hasher, inputLeaves(input, format, hasher, signal), { padding, depth, keepFrom, signal });
    const start = performance.now();
    const tree = await (flags.json ? grow() : withProgress(input, grow));
    return await work({ tree, hasher, input, seconds: (performance.now() - start) / 1000 });
  });
}
