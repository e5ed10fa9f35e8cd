import type { EntryTable } from './entry-table.js';
import type { KeyRange } from './types.js';

/** Entries at which a run is cut in two. */
const RUN_ENTRIES = 512;

/** What is known of an entry number; a number that waits is in the list once, even when its entry is gone by now. */
const WAITING = 1;
const SORTED = 2;

interface Place {
  readonly run: number;
  readonly at: number;
}

const isBefore = (a: Place, b: Place): boolean => a.run < b.run || (a.run === b.run && a.at < b.at);

/**
 * The entries of a table in bytewise order of their keys: sorted runs of entry numbers.
 *
 * New entries wait unsorted until somebody asks for an order: a tree that never walks its keys does not pay for them.
 */
export class KeyOrder {
  readonly #table: EntryTable;
  readonly #runs: number[][] = [];
  #waiting: number[] = [];
  #state = new Uint8Array(0);

  constructor(table: EntryTable) {
    this.#table = table;
  }

  /** Makes room for all entry numbers of the table, so that {@link add} cannot fail. */
  reserve(): void {
    if (this.#state.length >= this.#table.capacity) return;
    const state = new Uint8Array(this.#table.capacity);
    state.set(this.#state);
    this.#state = state;
  }

  /** Takes note of an entry that is new in the table. */
  add(entry: number): void {
    if (this.#state[entry] === WAITING) return;
    this.#state[entry] = WAITING;
    this.#waiting.push(entry);
  }

  /** Forgets an entry that is about to leave the table. */
  remove(entry: number): void {
    if (this.#state[entry] !== SORTED) return;
    this.#state[entry] = 0;
    const { run, at } = this.#seek(this.#table.key(entry), false);
    this.#runs[run]!.splice(at, 1);
    if (this.#runs[run]!.length === 0) this.#runs.splice(run, 1);
  }

  /** Entry numbers of a range, at most `limit`. */
  range({ gte, gt, lte, lt, reverse, limit = Number.POSITIVE_INFINITY }: KeyRange): number[] {
    this.#sortWaiting();
    const from = gte ?? gt;
    const to = lte ?? lt;
    const first = from ? this.#seek(from, gt !== undefined) : { run: 0, at: 0 };
    const end = to ? this.#seek(to, lte !== undefined) : { run: this.#runs.length, at: 0 };
    return reverse ? this.#walkDown(end, first, limit) : this.#walkUp(first, end, limit);
  }

  #walkUp(first: Place, end: Place, limit: number): number[] {
    const entries: number[] = [];
    let place = first;
    while (entries.length < limit && isBefore(place, end)) {
      const { run, at } = place;
      const entry = this.#runs[run]![at];
      if (entry !== undefined) entries.push(entry);
      place = entry === undefined ? { run: run + 1, at: 0 } : { run, at: at + 1 };
    }
    return entries;
  }

  #walkDown(end: Place, first: Place, limit: number): number[] {
    const entries: number[] = [];
    let place = end;
    while (entries.length < limit && isBefore(first, place)) {
      const { run, at } = place;
      if (at > 0) entries.push(this.#runs[run]![at - 1]!);
      place = at > 0 ? { run, at: at - 1 } : { run: run - 1, at: this.#runs[run - 1]!.length };
    }
    return entries;
  }

  /** The first place whose key is at or above `key`; with `after`, above it. */
  #seek(key: Uint8Array, after: boolean): Place {
    const liesBefore = (entry: number): boolean => {
      const order = this.#table.compare(entry, key);
      return order < 0 || (after && order === 0);
    };
    // The place is in the last run whose first key lies before it, or directly behind that run.
    const run = Math.max(0, partition(this.#runs.length, (i) => liesBefore(this.#runs[i]![0]!)) - 1);
    const entries = this.#runs[run] ?? [];
    const at = partition(entries.length, (i) => liesBefore(entries[i]!));
    return at === entries.length && run + 1 < this.#runs.length ? { run: run + 1, at: 0 } : { run, at };
  }

  #sortWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const entry of waiting) {
      this.#state[entry] = 0;
      if (this.#table.has(entry)) this.#insert(entry);
    }
  }

  #insert(entry: number): void {
    this.#state[entry] = SORTED;
    const { run, at } = this.#seek(this.#table.key(entry), false);
    const entries = this.#runs[run];
    if (!entries) {
      this.#runs.push([entry]);
      return;
    }
    entries.splice(at, 0, entry);
    if (entries.length >= RUN_ENTRIES) this.#runs.splice(run + 1, 0, entries.splice(RUN_ENTRIES / 2));
  }
}

/** How many of the numbers from 0 to `count` satisfy a condition that holds up to some number and not beyond. */
function partition(count: number, holds: (i: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
