import type { Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import type { Proof } from './proof.js';

/**
 * A proof's path as pairs of children, lowest level first: the node on the path and its sibling in their places, as
 * some circuits and contracts want it. One hash a level; of a tree of fixed depth.
 *
 * @returns `[left, right]` for each sibling of the proof, 32 bytes each.
 * @example
 * ```ts
 * const pairs = pathPairs(hasher, await tree.prove(5));
 * hasher.hashPair(...pairs.at(-1)!); // the root
 * ```
 */
export function pathPairs(hash: Pick<Hasher, 'hashPair'>, proof: Proof): (readonly [Digest, Digest])[] {
  const index = BigInt(proof.index);
  let node = proof.leaf;
  return proof.siblings.map((sibling, level) => {
    const isRight = ((index >> BigInt(level)) & 1n) === 1n;
    const pair = isRight ? ([sibling, node] as const) : ([node, sibling] as const);
    // The node above the last pair is the root: not part of a path.
    if (level + 1 < proof.siblings.length) node = hash.hashPair(...pair);
    return pair;
  });
}
