import { CambiumError } from '../errors.js';
import type { KeyRange, NodeStore } from '../store/types.js';

/** A store that fails on demand. */
export interface FaultyStore extends NodeStore {
  /** Reads and commits since {@link failAt}. */
  readonly calls: number;
  /** From now on, call number `step` (from 0) fails, and only that one; without a number none does. */
  failAt(step?: number): void;
}

/**
 * A view of a store, one of whose calls fails with `STORE_FAILED` as a broken disk would make it: a read gives nothing,
 * a commit changes nothing.
 */
export function faultyStore(store: NodeStore): FaultyStore {
  let calls = 0;
  let failing = -1;
  const step = (): void => {
    if (calls++ === failing) throw new CambiumError('STORE_FAILED', 'the database failed: as asked for');
  };
  return {
    supports: { ...store.supports, snapshots: false },
    get calls() {
      return calls;
    },
    failAt(next = -1) {
      calls = 0;
      failing = next;
    },
    async getMany(keys) {
      step();
      return await store.getMany(keys);
    },
    ...(store.getSync && {
      getSync(key: Uint8Array) {
        step();
        return store.getSync!(key);
      },
    }),
    async commit(ops, options) {
      step();
      await store.commit(ops, options);
    },
    async *iterate(range) {
      step();
      yield* store.iterate(range);
    },
    ...(store.iterateSync && {
      iterateSync(range?: KeyRange) {
        step();
        return store.iterateSync!(range);
      },
    }),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
