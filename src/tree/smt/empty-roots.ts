import type { Digest } from '../../bytes.js';
import type { HashSpec } from '../../hash/types.js';
import { wholeNumber } from '../shape.js';
import { zeroDigests } from '../zeros.js';

/** Highest tree whose empty root is published. */
const MOST = 255;

/**
 * Roots of empty trees: of height 0, which is the empty leaf, to height `height`.
 *
 * @param spec the hash, for example `hasher.spec`; the roots differ from hash to hash.
 * @param height 0 to 255; default 64.
 * @returns `height + 1` digests of 32 bytes.
 * @throws {TypeError} @throws {RangeError} when `height` is out of range.
 * @example
 * ```ts
 * const roots = await emptySubtreeRoots(hashes.get('rpo')!);
 * roots[64]; // the root of an empty Smt
 * ```
 */
export async function emptySubtreeRoots(spec: HashSpec, height = 64): Promise<Digest[]> {
  const most = Number(wholeNumber(height, 'height', 0n, BigInt(MOST)));
  return (await zeroDigests(spec, most)).slice(0, most + 1).map((root) => root.slice());
}
