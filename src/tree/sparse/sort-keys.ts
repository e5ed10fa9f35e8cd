/**
 * Keys in order: what a batch does first.
 */
import { compareKeys, KEY_BYTES } from './bits.js';

/** Up to this many, keys are put in place one by one. */
const FEW = 48;

/** Two passes over digits of this many bits leave hardly two random keys that are not in order. */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/**
 * Positions of `n x 32` bytes of keys in bytewise order. Of equal keys only the last one is kept.
 */
export function sortKeys(keys: Uint8Array): Uint32Array {
  const count = keys.length / KEY_BYTES;
  if (count < 2) return new Uint32Array(count);
  const order = count > FEW ? sortByPrefix(keys, count) : positions(count);
  if (count > FEW) sortRuns(keys, order);
  else insertionSort(keys, order, 0, count);
  return dropRepeated(keys, order);
}

function positions(count: number): Uint32Array {
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  return order;
}

/** The first bits of a key, as many as two digits have. */
function prefixOf(keys: Uint8Array, position: number): number {
  const at = position * KEY_BYTES;
  return ((keys[at]! << 16) | (keys[at + 1]! << 8) | keys[at + 2]!) >> (24 - 2 * DIGIT_BITS);
}

/** A stable radix sort by the prefix. */
function sortByPrefix(keys: Uint8Array, count: number): Uint32Array {
  let from = positions(count);
  let to: Uint32Array = new Uint32Array(count);
  const prefixes = new Uint32Array(count);
  for (let i = 0; i < count; i++) prefixes[i] = prefixOf(keys, i);
  for (const shift of [0, DIGIT_BITS]) {
    const starts = new Uint32Array(DIGITS + 1);
    for (let i = 0; i < count; i++) starts[((prefixes[i]! >> shift) & (DIGITS - 1)) + 1]!++;
    for (let digit = 0; digit < DIGITS; digit++) starts[digit + 1]! += starts[digit]!;
    for (let i = 0; i < count; i++) {
      const position = from[i]!;
      to[starts[(prefixes[position]! >> shift) & (DIGITS - 1)]!++] = position;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Puts runs of the same prefix in order: keys that somebody chose can all be one run. */
function sortRuns(keys: Uint8Array, order: Uint32Array): void {
  for (let start = 0, end: number; start < order.length; start = end) {
    const prefix = prefixOf(keys, order[start]!);
    end = start + 1;
    while (end < order.length && prefixOf(keys, order[end]!) === prefix) end++;
    if (end - start > FEW) {
      order.subarray(start, end).sort((a, b) => compareKeys(keys, a * KEY_BYTES, keys, b * KEY_BYTES));
    } else insertionSort(keys, order, start, end);
  }
}

function insertionSort(keys: Uint8Array, order: Uint32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const position = order[i]!;
    let hole = i;
    for (; hole > start; hole--) {
      const before = order[hole - 1]!;
      if (compareKeys(keys, before * KEY_BYTES, keys, position * KEY_BYTES) <= 0) break;
      order[hole] = before;
    }
    order[hole] = position;
  }
}

function dropRepeated(keys: Uint8Array, order: Uint32Array): Uint32Array {
  let kept = 0;
  for (let i = 0; i < order.length; i++) {
    const next = order[i + 1];
    const isRepeated =
      next !== undefined && compareKeys(keys, order[i]! * KEY_BYTES, keys, next * KEY_BYTES) === 0;
    if (!isRepeated) order[kept++] = order[i]!;
  }
  return order.subarray(0, kept);
}
