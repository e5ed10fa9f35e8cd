/**
 * What an insertion does to the leaves, before anything is hashed.
 */
import { toHex } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import type { NodeStore } from '../../store/types.js';
import { compareKeys, keyOfNumber, turnKey, ZERO_KEY } from './keys.js';
import type { Leaf, LeafForm } from './leaf-form.js';
import { type IndexAt, lowLeaves } from './ordered-index.js';
import { descending, type Entry } from './values.js';

/** One leaf rewritten, or put where none was. */
export interface Rewrite {
  readonly before: Leaf | undefined;
  readonly after: Leaf;
}

/** A batch: rewrites of old leaves in their order, then new leaves side by side. */
export interface BatchPlan {
  /** From the greatest value to the least, padding last. */
  readonly sorted: readonly Entry[];
  /** One for each sorted value that is no padding. */
  readonly rewrites: readonly Rewrite[];
  /** Leaves behind the last one, in the order of the batch; undefined where one stays empty. */
  readonly added: readonly (Leaf | undefined)[];
}

/** The tree that a plan is for. */
export interface PlanAt {
  readonly store: NodeStore;
  readonly index: IndexAt;
  readonly form: LeafForm;
  /** Leaves in it. */
  readonly size: number;
}

/** Leaves as earlier rewrites of a plan left them. */
class Changed {
  readonly #leaves = new Map<number, Leaf>();

  now(leaf: Leaf): Leaf {
    return this.#leaves.get(leaf.index) ?? leaf;
  }

  set(leaf: Leaf): Leaf {
    this.#leaves.set(leaf.index, leaf);
    return leaf;
  }
}

/**
 * Plans a batch: values from the greatest to the least, so that a low leaf is always one of the old leaves.
 *
 * @throws {CambiumError} `KEY_EXISTS` for a value that is there, unless the tree is updatable.
 */
export async function planBatch(at: PlanAt, entries: readonly Entry[]): Promise<BatchPlan> {
  const sorted = descending(entries);
  const real = sorted.filter(({ isEmpty }) => !isEmpty);
  const found = await lowLeaves(
    at.store,
    at.index,
    real.map(({ key }) => key),
  );
  const changed = new Changed();
  const added: (Leaf | undefined)[] = Array(entries.length).fill(undefined);
  const rewrites = real.map((entry, i) => {
    const before = changed.now(found[i]!);
    if (compareKeys(before.key, entry.key) === 0)
      return { before, after: changed.set(updated(at.form, before, entry)) };
    const leaf = newLeaf(entry, at.size + entry.position, before);
    added[entry.position] = leaf;
    return { before, after: changed.set(pointedAt(before, leaf)) };
  });
  return { sorted, rewrites, added };
}

/**
 * Plans an insertion one by one: for each value that is not zero the rewrite of its low leaf, and where it is new that of
 * the empty position behind the last leaf.
 *
 * @throws {CambiumError} `KEY_EXISTS` for a value that is there, or twice, unless the tree is updatable.
 */
export async function planSequence(
  at: PlanAt,
  entries: readonly Entry[],
): Promise<readonly (readonly [low: Rewrite, added: Rewrite | undefined])[]> {
  const real = entries.filter(({ isEmpty }) => !isEmpty);
  const order = [...real].sort((a, b) => compareKeys(b.key, a.key));
  const found = await lowLeaves(
    at.store,
    at.index,
    order.map(({ key }) => key),
  );
  const old = new Map(order.map(({ position }, i) => [position, found[i]!]));
  const changed = new Changed();
  /** New leaves so far, ascending by key. */
  const inserted: Leaf[] = [];
  return real.map((entry) => {
    const place = placeOf(inserted, entry);
    const [below, among] = [old.get(entry.position)!, inserted[place - 1]];
    const before = changed.now(among && compareKeys(among.key, below.key) > 0 ? among : below);
    if (compareKeys(before.key, entry.key) === 0) {
      return [{ before, after: changed.set(updated(at.form, before, entry)) }, undefined];
    }
    const leaf = newLeaf(entry, at.size + inserted.length, before);
    inserted.splice(place, 0, leaf);
    return [
      { before, after: changed.set(pointedAt(before, leaf)) },
      { before: undefined, after: changed.set(leaf) },
    ];
  });
}

/** How many leaves have a key that is not above that of the entry. */
function placeOf(leaves: readonly Leaf[], { key }: Entry): number {
  let [low, high] = [0, leaves.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(leaves[middle]!.key, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function newLeaf({ key, data }: Entry, index: number, { nextIndex, nextKey }: Leaf): Leaf {
  return { index, key, data, nextIndex, nextKey };
}

function pointedAt(low: Leaf, { index, key }: Leaf): Leaf {
  return { ...low, nextIndex: index, nextKey: key };
}

function updated({ updatable, input }: LeafForm, leaf: Leaf, { position, data }: Entry): Leaf {
  if (updatable) return { ...leaf, data };
  const value = toHex(turnKey(leaf.key, input));
  throw new CambiumError('KEY_EXISTS', `values: entry ${position} is in the tree already: ${value}`);
}

/** The leaves of a new tree: the values 0 to `count` - 1, each pointing to the next. */
export function prefilledLeaves(count: number, updatable: boolean): Leaf[] {
  return Array.from({ length: count }, (_, index) => {
    const nextIndex = index + 1 < count ? index + 1 : 0;
    const data = updatable ? ZERO_KEY : undefined;
    return { index, key: keyOfNumber(index), data, nextIndex, nextKey: keyOfNumber(nextIndex) };
  });
}
