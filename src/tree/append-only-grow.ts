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

/** A level of `count` nodes with room for one neighbour on each side: none is copied to put neighbours beside it. */
export function levelRoom(count: number): Digest {
  return new Uint8Array((count + 2) * DIGEST_BYTES);
}

/** The nodes of a level in its {@link levelRoom}. */
export function nodesIn(room: Digest): Digest {
  return room.subarray(DIGEST_BYTES, room.length - DIGEST_BYTES);
}

export interface Growth extends JobOptions {
  /** What is there: the leaves before the new ones, and their complete subtrees. */
  readonly head: Pick<Head, 'size' | 'peaks'>;
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
  const { head, leaves, zeros, signal, onProgress } = growth;
  const added = nodesIn(leaves).length / DIGEST_BYTES;
  const rooms = [leaves, ...roomsAbove(added, head, zeros.length - 1)];
  const layers: Layer[] = [{ first: head.size, nodes: nodesIn(leaves) }];
  for (let height = 0; height + 1 < zeros.length; height++) {
    throwIfAborted(signal);
    const left = head.peaks.get(height);
    const parents = nodesIn(rooms[height + 1]!);
    try {
      await hashLayer(hasher, withNeighbours(rooms[height]!, left, zeros[height]!), parents, signal);
    } catch (error) {
      throw height === 0 ? amongNewLeaves(error, hasher, left !== undefined) : error;
    }
    layers.push({ first: layers[height]!.first >> 1n, nodes: parents });
    onProgress?.({ done: added - Math.floor(added / 2 ** (height + 1)), total: added, phase: 'levels' });
  }
  return layers;
}

/** Rooms of the levels above the leaves, in one allocation: most levels of a small batch have a single node. */
function roomsAbove(added: number, { peaks }: Growth['head'], depth: number): Digest[] {
  const ends = [0];
  let count = added;
  for (let height = 0; height < depth; height++) {
    count = Math.ceil((count + (peaks.has(height) ? 1 : 0)) / 2);
    ends.push(ends[height]! + (count + 2) * DIGEST_BYTES);
  }
  const all = new Uint8Array(ends[depth]!);
  return ends.slice(1).map((end, height) => all.subarray(ends[height]!, end));
}

/** A level as pairs: its nodes, the old one to their left where they begin with a right child, an empty one at the end. */
function withNeighbours(room: Digest, left: Uint8Array | undefined, zero: Digest): Digest {
  const start = left ? 0 : DIGEST_BYTES;
  if (left) room.set(left);
  const end = room.length - DIGEST_BYTES;
  const isOdd = (end - start) % (2 * DIGEST_BYTES) !== 0;
  if (isOdd) room.set(zero, end);
  return room.subarray(start, isOdd ? room.length : end);
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
