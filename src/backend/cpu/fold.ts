import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import type { Padding, SyncEngine } from '../types.js';

/** How levels are folded: what stands beside an odd node of level k. */
export interface Fold {
  readonly engine: SyncEngine;
  readonly padding: Padding;
  readonly zeros: readonly Digest[];
}

/**
 * The level above `nodes`, which is level `level`: whole pairs as one layer, then the odd node.
 *
 * @returns the parents, and how many hashes they took.
 */
export function foldOne(
  { engine, padding, zeros }: Fold,
  nodes: Uint8Array,
  level: number,
): { readonly parents: Digest; readonly hashes: number } {
  const count = nodes.length / DIGEST_BYTES;
  const pairs = count >> 1;
  const parents = new Uint8Array((count - pairs) * DIGEST_BYTES);
  const whole = 2 * pairs * DIGEST_BYTES;
  if (pairs > 0) engine.hashPairs(nodes.subarray(0, whole), parents.subarray(0, pairs * DIGEST_BYTES));
  if (count === 2 * pairs) return { parents, hashes: pairs };

  const odd = nodes.subarray(whole);
  if (padding === 'promote') {
    parents.set(odd, pairs * DIGEST_BYTES);
    return { parents, hashes: pairs };
  }
  if (padding === 'none') {
    throw new RangeError(
      `leaves: padding 'none' expects a power of two, got ${count} nodes at level ${level}`,
    );
  }
  const beside = padding === 'zero' ? zeros[level]! : odd;
  parents.set(engine.hashPair(odd, beside), pairs * DIGEST_BYTES);
  return { parents, hashes: pairs + 1 };
}
