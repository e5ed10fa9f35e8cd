/** Which shards a root is cut into: aligned subtrees, and what is folded above them. */
import type { Padding } from '../backend/types.js';
import { DIGEST_BYTES } from '../bytes.js';
import { checkDepth, checkPadding, depthFor, MAX_DEPTH, wholeNumber } from '../tree/shape.js';

/** Fewest leaves of a shard: below, handing it out costs more than hashing it. */
export const LEAST_SHARD: number = 2 ** 16;
/** Most leaves of a shard. */
const MOST_SHARD = 2 ** 32;
const DEFAULT_SHARD = 2 ** 20;

/** How bytes are leaves: digests as they are, or runs of bytes that are hashed, the last one perhaps shorter. */
export type LeafBytes = 'raw32' | { readonly blocks: number };

/** The shape of a tree over shards. */
export interface ShardPlan {
  readonly leafBytes: LeafBytes;
  readonly padding: Padding;
  /** Number of leaves, at least 1. */
  readonly leaves: number;
  /** Levels above the leaves. */
  readonly depth: number;
  /** Leaves of each shard but the last one, which may have fewer. */
  readonly shardLeaves: number;
  /** The level of the shards' roots. */
  readonly height: number;
  readonly shards: number;
}

/** One shard: where its bytes lie. */
export interface Shard {
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

export interface PlanOptions {
  /** How bytes are leaves; default `raw32`. */
  readonly leafBytes?: LeafBytes | undefined;
  /** What stands beside an odd node; default `zero`. */
  readonly padding?: Padding | undefined;
  /** Levels above the leaves, under padding `zero` only; default: as many as the leaves need. */
  readonly depth?: number | undefined;
  /** Leaves of a shard, a power of two from 2^16 to 2^32; default 2^20. */
  readonly shardLeaves?: number | undefined;
}

const bytesPerLeaf = (leafBytes: LeafBytes): number =>
  leafBytes === 'raw32' ? DIGEST_BYTES : leafBytes.blocks;

/**
 * Plans the shards of `bytes` bytes.
 *
 * @throws {TypeError} @throws {RangeError} that names the option, or for bytes that are no leaves of this form.
 */
export function planShards(bytes: number, options: PlanOptions): ShardPlan {
  const { leafBytes = 'raw32', shardLeaves = DEFAULT_SHARD } = options;
  const padding = checkPadding(options.padding ?? 'zero');
  if (leafBytes !== 'raw32') wholeNumber(leafBytes.blocks, 'leafBytes.blocks', 1n, 2n ** 30n);
  wholeNumber(shardLeaves, 'shardLeaves', BigInt(LEAST_SHARD), BigInt(MOST_SHARD));
  if (!Number.isInteger(Math.log2(shardLeaves))) {
    throw new RangeError(`shardLeaves: expected a power of two, got ${shardLeaves}`);
  }
  if (leafBytes === 'raw32' && bytes % DIGEST_BYTES) {
    throw new RangeError(`source: ${bytes} bytes are no multiple of ${DIGEST_BYTES}`);
  }
  const leaves = Math.ceil(bytes / bytesPerLeaf(leafBytes));
  const depth = treeDepth(leaves, padding, options.depth);
  return {
    leafBytes,
    padding,
    leaves,
    depth,
    shardLeaves,
    height: Math.min(Math.log2(shardLeaves), depth),
    shards: Math.ceil(leaves / shardLeaves),
  };
}

function treeDepth(leaves: number, padding: Padding, asked: number | undefined): number {
  const least = depthFor(BigInt(leaves));
  if (asked !== undefined) {
    checkDepth(asked);
    if (padding !== 'zero') throw new RangeError(`depth: it goes with padding 'zero', not '${padding}'`);
    if (least > asked) {
      throw new RangeError(`depth: ${leaves} leaves do not fit below ${asked} levels (at most ${MAX_DEPTH})`);
    }
    return asked;
  }
  if (padding === 'none' && leaves !== 2 ** least) {
    throw new RangeError(`source: padding 'none' wants a power of two of leaves, got ${leaves}`);
  }
  return least;
}

/** Shard `index` of a plan over `bytes` bytes. */
export function shardOf(plan: ShardPlan, bytes: number, index: number): Shard {
  const width = plan.shardLeaves * bytesPerLeaf(plan.leafBytes);
  return { index, from: index * width, to: Math.min(bytes, (index + 1) * width) };
}
