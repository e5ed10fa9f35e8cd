/**
 * The levels that a tree does not keep, hashed again from its leaves, one aligned subtree at a time.
 */
import type { Padding } from '../backend/types.js';
import { concatBytes, DIGEST_BYTES, type Digest, digestAt } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import type { LeafSource } from '../leaf-source.js';

/** Leaves that are still at hand when a proof is asked. */
export type HeldLeaves = (first: number, count: number) => Uint8Array;

/**
 * Leaf digests of a source in memory, made on demand; undefined for streams and device buffers, which are gone, or
 * out of reach for synchronous code.
 */
export function heldLeaves(hasher: Hasher, source: LeafSource, aligned: number): HeldLeaves | undefined {
  if (source instanceof Uint8Array) {
    return (first, count) => source.subarray(first * DIGEST_BYTES, (first + count) * DIGEST_BYTES);
  }
  if (!('messages' in source)) return undefined;
  const { messages, lengths } = source;
  // One offset for each aligned run is enough to find any message.
  const starts = [0];
  for (let first = 0; first < lengths.length; first += aligned) {
    starts.push(starts.at(-1)! + sum(lengths.subarray(first, first + aligned)));
  }
  return (first, count) => {
    let at = starts[first / aligned]!;
    const digests = new Uint8Array(count * DIGEST_BYTES);
    lengths.subarray(first, first + count).forEach((length, i) => {
      digests.set(hasher.hash(messages.subarray(at, at + length)), i * DIGEST_BYTES);
      at += length;
    });
    return digests;
  };
}

/** Folds an aligned run of leaves to level `levels`; all levels, the leaves first. */
export function foldSubtree(
  hasher: Hasher,
  leaves: Uint8Array,
  levels: number,
  padding: Padding,
  zeros: readonly Digest[],
): readonly Uint8Array[] {
  const layers = [leaves];
  for (let level = 0; level < levels; level++) {
    const nodes = layers[level]!;
    const last = digestAt(nodes, nodes.length / DIGEST_BYTES - 1);
    if ((nodes.length / DIGEST_BYTES) % 2 === 0) layers.push(hasher.hashPairsSync(nodes));
    else if (padding === 'promote') {
      layers.push(concatBytes(hasher.hashPairsSync(nodes.subarray(0, -DIGEST_BYTES)), last));
    } else {
      const beside = padding === 'zero' ? zeros[level]! : last;
      layers.push(hasher.hashPairsSync(concatBytes(nodes, beside)));
    }
  }
  return layers;
}

function sum(lengths: Uint32Array): number {
  return lengths.reduce((total, length) => total + length, 0);
}
