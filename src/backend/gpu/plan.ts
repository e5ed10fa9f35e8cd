/**
 * Arithmetic of chunks: how many leaves fit, where each level lies, how wide a dispatch is.
 *
 * Nothing here shifts bits: counts go beyond 2^32, and a shift would cut them.
 */
import { DIGEST_BYTES } from '../../bytes.js';
import type { Padding } from '../types.js';
import type { GpuLimitsLike } from './types.js';

/** Leaves of a chunk where nothing stands against it: 32 MiB, within every default limit. */
const CHUNK_LEAVES = 2 ** 20;
/** Offsets of bindings are multiples of this on every device. */
const ALIGNMENT = 256;
/** Nodes per alignment unit: parts of a layer begin at multiples of it. */
export const ALIGNED_NODES: number = ALIGNMENT / DIGEST_BYTES;
/** Items of a workgroup, where a hash does not say otherwise: one to an invocation. */
export const GROUP: number = 64;
/** Nodes that the fused top takes at most. */
export const TOP_NODES: number = 512;

const alignUp = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
/** The largest power of two that is not above `n`. */
export const powerBelow = (n: number): number => 2 ** Math.floor(Math.log2(n));

/** Where a level lies: even and odd levels never share a buffer, the fused top has one of its own. */
export interface Place {
  readonly store: 'even' | 'odd' | 'top';
  readonly offset: number;
}

export interface LevelPlan {
  /** Nodes of the level. */
  readonly count: number;
  /** Nodes of the level that are hashes; the others were promoted. 0 for leaves. */
  readonly hashed: number;
  /** What stands beside the last node when the level above is made. */
  readonly beside: 'nothing' | 'zero' | 'itself' | 'promoted';
  readonly place: Place;
}

export interface TreePlan {
  /** Level 0, the leaves, to the top. */
  readonly levels: readonly LevelPlan[];
  /** The level whose nodes go through the fused top, if any does. */
  readonly topFrom: number | undefined;
  /** Bytes of each store; 0 for one that is not used. */
  readonly bytes: { readonly even: number; readonly odd: number; readonly top: number };
}

/**
 * The largest power of two of leaves that a chunk may have: its leaves fit a binding, and all its levels a buffer.
 */
export function chunkLeavesFor(limits: GpuLimitsLike): number {
  const bytes = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize / 4);
  return Math.max(2 * ALIGNED_NODES, Math.min(CHUNK_LEAVES, powerBelow(bytes / DIGEST_BYTES)));
}

/** Workgroups in two dimensions, so that `groups` of them run; a few may have nothing to do. */
export function dispatchShape(groups: number, limits: GpuLimitsLike): readonly [x: number, y: number] {
  const x = Math.min(groups, limits.maxComputeWorkgroupsPerDimension);
  return [x, Math.ceil(groups / x)];
}

/** Most items of one dispatch: what its two dimensions and the bindings of a layer of pairs allow. */
export function dispatchItems(limits: GpuLimitsLike, perGroup: number = GROUP): number {
  const geometry = limits.maxComputeWorkgroupsPerDimension ** 2 * perGroup;
  const binding = Math.floor(limits.maxStorageBufferBindingSize / (2 * DIGEST_BYTES) / ALIGNED_NODES);
  return Math.max(ALIGNED_NODES, Math.min(geometry, binding * ALIGNED_NODES));
}

/** What an odd level needs; `none` has no odd level but its root. */
function besideOf(count: number, padding: Padding): LevelPlan['beside'] {
  if (count % 2 === 0) return 'nothing';
  if (padding === 'zero') return 'zero';
  if (padding === 'duplicate') return 'itself';
  if (padding === 'promote') return 'promoted';
  throw new RangeError(`leaves: padding 'none' wants a power of two, but a level has ${count} nodes`);
}

/** The lowest level from which no level is odd and 512 nodes or fewer are left, when at least two levels follow. */
function topLevel(counts: readonly number[]): number | undefined {
  const levels = counts.length - 1;
  const from = counts.findIndex((count, k) => count <= TOP_NODES && count % 2 ** (levels - k) === 0);
  return from >= 0 && levels - from >= 2 ? from : undefined;
}

/**
 * Plans `levels` levels above `count` leaves.
 *
 * Levels below `keepFrom` take turns at the start of two buffers; from there on each level has a place of its own.
 *
 * @param fused whether the fused top may be used.
 */
export function planTree(
  count: number,
  levels: number,
  padding: Padding,
  keepFrom: number,
  fused: boolean,
): TreePlan {
  const counts = [count];
  for (let k = 0; k < levels; k++) counts.push(Math.ceil(counts[k]! / 2));
  const topFrom = fused ? topLevel(counts) : undefined;
  const bytes = { even: 0, odd: 0, top: 0 };
  const ends: number[] = [];
  const plans: LevelPlan[] = [];
  counts.forEach((nodes, k) => {
    const beside = k < levels ? besideOf(nodes, padding) : 'nothing';
    const inTop = topFrom !== undefined && k > topFrom;
    const store = inTop ? 'top' : k % 2 ? 'odd' : 'even';
    // The level two below is no longer needed, unless it is kept.
    const offset = inTop ? bytes.top : k <= keepFrom + 1 ? 0 : ends[k - 2]!;
    const slots = beside === 'zero' || beside === 'itself' ? nodes + 1 : nodes;
    const end = offset + slots * DIGEST_BYTES;
    ends[k] = alignUp(end);
    bytes[store] = Math.max(bytes[store], inTop ? end : ends[k]!);
    const below = plans[k - 1];
    const hashed = below ? nodes - (below.beside === 'promoted' ? 1 : 0) : 0;
    plans.push({ count: nodes, hashed, beside, place: { store, offset } });
  });
  return { levels: plans, topFrom, bytes };
}
