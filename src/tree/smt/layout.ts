/**
 * Where a sparse Merkle tree of fixed depth keeps its nodes.
 *
 * The levels are cut into bands of eight, from the root downward. A page holds what is not empty below one node of a
 * band's upper edge. Where a subtree below a page has one leaf alone, there is no further page: the record of that leaf
 * holds the chain of nodes above it, since a lone leaf shares none of them. Pages stay once they are needed: a tree that
 * shrinks keeps at most one page a band for each leaf.
 */
import type { Digest } from '../../bytes.js';

/** Levels of one band. */
export const BAND_LEVELS = 8;

/** Heights of a band: its pages hang below nodes of height `top`, and their lowest nodes have height `bottom`. */
export interface Band {
  readonly top: number;
  readonly bottom: number;
}

/** The bands of a tree, from the root downward; the lowest one can be thinner. */
export function bandsOf(depth: number): readonly Band[] {
  return Array.from({ length: Math.ceil(depth / BAND_LEVELS) }, (_, band) => {
    const top = depth - band * BAND_LEVELS;
    return { top, bottom: Math.max(0, top - BAND_LEVELS) };
  });
}

/** Positions of leaves as two words each: bigints are too slow for every node. */
export interface Paths {
  readonly count: number;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

/** The least height at which two positions have one node; 0 where they are the same. */
export function meetingHeight(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  const high = aHigh ^ bHigh;
  return high ? 64 - Math.clz32(high) : 32 - Math.clz32(aLow ^ bLow);
}

/** The bits of a position from a height on, as a number: `count` of them, at most nine. */
export function bitsFrom(high: number, low: number, height: number, count: number): number {
  let bits: number;
  if (height >= 32) bits = height === 64 ? 0 : high >>> (height - 32);
  else bits = height ? (low >>> height) | (high << (32 - height)) : low;
  return bits & ((1 << count) - 1);
}

/** The node of a position at a height, within the page of its band: as in a heap whose root is 1. */
export function heapIndex(high: number, low: number, height: number, { top }: Band): number {
  const levels = top - height;
  return (1 << levels) | bitsFrom(high, low, height, levels);
}

/** The key of the page that holds a position in a band. */
export function pageKey(prefix: Uint8Array, band: number, { top }: Band, high: number, low: number): Digest {
  const above = top >= 32 ? 0 : low & ~(2 ** top - 1);
  const aboveHigh = top <= 32 ? high : top === 64 ? 0 : high & ~(2 ** (top - 32) - 1);
  return pathKey(prefix, PAGE_KIND + band, aboveHigh, above);
}

/** The key of a leaf's record. */
export function recordKey(prefix: Uint8Array, high: number, low: number): Digest {
  return pathKey(prefix, RECORD_KIND, high, low);
}

const PAGE_KIND = 0x70;
const RECORD_KIND = 0x6c;
/** Kind and position. */
const PATH_BYTES = 9;

function pathKey(prefix: Uint8Array, kind: number, high: number, low: number): Digest {
  const key = new Uint8Array(prefix.length + PATH_BYTES);
  key.set(prefix);
  let at = prefix.length;
  key[at++] = kind;
  for (let shift = 24; shift >= 0; shift -= 8) key[at++] = high >>> shift;
  for (let shift = 24; shift >= 0; shift -= 8) key[at++] = low >>> shift;
  return key;
}
