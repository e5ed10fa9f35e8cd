/**
 * The hashing of an append: level by level, each changed node once.
 */
import type { JobOptions } from '../backend/types.js';
import { DIGEST_BYTES, type Digest } from '../bytes.js';
import { CambiumError, throwIfAborted } from '../errors.js';
import type { Hasher } from '../hasher.js';
import type { Head } from './append-only-head.js';
import type { Layer } from './append-only-pages.js';
import { hashLayer } from './layers.js';

/** A level's nodes, with room for one neighbour on each side: no level is copied to put its neighbours beside it. */
interface Level {
  readonly room: Digest;
  readonly count: number;
}

/** Room for a level of `count` nodes. */
export function levelRoom(count: number): Digest {
  return new Uint8Array((count + 2) * DIGEST_BYTES);
}

/** The nodes of a level in its {@link levelRoom}. */
export function nodesIn(room: Digest): Digest {
  return room.subarray(DIGEST_BYTES, room.length - DIGEST_BYTES);
}

export interface Growth extends JobOptions {
  readonly head: Head;
  /** The new leaves in their {@link levelRoom}. */
  readonly leaves: Digest;
  /** `zeros[k]` is an empty subtree of height k, from 0 to the depth. */
  readonly zeros: readonly Digest[];
}

/**
 * All nodes that the new leaves change, from the leaves to the root.
 *
 * The node to the left of the changed ones is always complete, hence a peak of the old tree; what lies to their right
 * is empty. So nothing is read, and each level costs one hash per changed parent.
 *
 * @throws {CambiumError} `ABORTED`; `NOT_CANONICAL` with the position of the leaf; what the hasher throws.
 */
export async function growLayers(hasher: Hasher, growth: Growth): Promise<Layer[]> {
  const { head, zeros, signal, onProgress } = growth;
  const depth = zeros.length - 1;
  const added = growth.leaves.length / DIGEST_BYTES - 2;
  const layers: Layer[] = [{ first: head.size, nodes: nodesIn(growth.leaves) }];
  let level: Level = { room: growth.leaves, count: added };
  for (let height = 0; height < depth; height++) {
    throwIfAborted(signal);
    const first = head.size >> BigInt(height);
    const hasLeft = (first & 1n) === 1n;
    if (hasLeft) level.room.set(head.peaks.get(height)!);
    const hasRight = (Number(hasLeft) + level.count) % 2 === 1;
    if (hasRight) level.room.set(zeros[height]!, level.room.length - DIGEST_BYTES);
    const pairs = level.room.subarray(
      hasLeft ? 0 : DIGEST_BYTES,
      level.room.length - (hasRight ? 0 : DIGEST_BYTES),
    );
    const count = pairs.length / (2 * DIGEST_BYTES);
    const parents: Level = { room: levelRoom(count), count };
    try {
      await hashLayer(hasher, pairs, nodesIn(parents.room), signal);
    } catch (error) {
      throw height === 0 ? amongNewLeaves(error, hasher, hasLeft) : error;
    }
    layers.push({ first: first >> 1n, nodes: nodesIn(parents.room) });
    level = parents;
    onProgress?.({ done: added - Math.floor(added / 2 ** (height + 1)), total: added, phase: 'levels' });
  }
  return layers;
}

/** Gives the position of an element among the new leaves, where the hasher saw the last old leaf before them. */
function amongNewLeaves(error: unknown, { spec }: Hasher, hasLeft: boolean): unknown {
  if (!(error instanceof CambiumError) || error.index === undefined || spec.input === 'bytes') return error;
  const index = error.index - (hasLeft ? DIGEST_BYTES / spec.input.elementBytes : 0);
  return new CambiumError(error.code, `leaves: element ${index} is not below the modulus`, {
    cause: error,
    index,
  });
}
