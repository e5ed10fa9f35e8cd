/**
 * The order in which the changes of a batch are made.
 */

import { KEY_BYTES } from './bits.js';
import type { Entries } from './entries.js';
import { sortKeys } from './sort-keys.js';

/** Changes that are made in one walk: positions among the entries in the order of their keys, each key once. */
export interface Run {
  readonly order: Uint32Array;
  /** 1 for removals; absent when there are none. */
  readonly removed?: Uint8Array;
}

const ONE_INSERT: readonly Run[] = [{ order: /* @__PURE__ */ Uint32Array.of(0) }];
const ONE_REMOVAL: readonly Run[] = [
  { order: /* @__PURE__ */ Uint32Array.of(0), removed: /* @__PURE__ */ Uint8Array.of(1) },
];

/**
 * All changes as one run, where only the last one to a key counts; with `oneKind` as runs of nothing but inserts and of
 * nothing but removals, since in that case a root depends on their order.
 */
export function runsOf(entries: Entries, oneKind: boolean): readonly Run[] {
  const { count, keys, removed } = entries;
  if (count === 0) return [];
  if (count === 1) return removed ? ONE_REMOVAL : ONE_INSERT;
  if (!removed) return [{ order: sortKeys(keys) }];
  if (!oneKind) {
    const order = sortKeys(keys);
    return [{ order, removed: Uint8Array.from(order, (position) => removed[position]!) }];
  }
  const runs: Run[] = [];
  for (let start = 0, end = 0; start < count; start = end) {
    while (end < count && removed[end] === removed[start]) end++;
    const order = sortKeys(keys.subarray(start * KEY_BYTES, end * KEY_BYTES)).map((i) => i + start);
    runs.push(removed[start] ? { order, removed: new Uint8Array(order.length).fill(1) } : { order });
  }
  return runs;
}
