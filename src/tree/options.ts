import type { JobOptions, Padding } from '../backend/types.js';
import type { HashTreeOptions } from '../hasher.js';
import { checkDepth, checkPadding, wholeNumber } from './shape.js';

/** Shape of a tree whose root is wanted. */
export interface RootOptions extends JobOptions {
  /** Levels above the leaves, 0 to 64, under padding `zero` only; default: as many as the leaves need. */
  readonly depth?: number | undefined;
  /** What stands beside an odd node; default `zero`. */
  readonly padding?: Padding | undefined;
}

/** Shape of a tree that is kept. */
export interface TreeOptions extends RootOptions {
  /**
   * The lowest level to keep, default 0. With a higher one the tree takes less memory, and a proof hashes the lower
   * levels again from the leaves, which then must stay as they are.
   */
  readonly keepFrom?: number | undefined;
}

/**
 * Checks the options of a tree and words them for a hasher.
 *
 * @throws {TypeError} @throws {RangeError} that names the option.
 */
export function treeJob(options: TreeOptions): HashTreeOptions & { readonly fill: Padding } {
  const { depth, keepFrom, signal, onProgress } = options;
  const fill = checkPadding(options.padding ?? 'zero');
  if (depth !== undefined) {
    checkDepth(depth);
    if (fill !== 'zero') throw new RangeError(`depth: it goes with padding 'zero', not '${fill}'`);
  }
  if (keepFrom !== undefined) wholeNumber(keepFrom, 'keepFrom', 0n, BigInt(depth ?? 64));
  return {
    fill,
    signal,
    onProgress,
    ...(depth !== undefined && { levels: depth }),
    ...(keepFrom !== undefined && { keepFrom }),
  };
}
