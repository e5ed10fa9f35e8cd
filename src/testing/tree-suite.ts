/**
 * The tests that every tree kept in a store must pass, whatever it does with its nodes.
 */
import { toHex } from '../bytes.js';
import type { NodeStore } from '../store/types.js';
import { faultyStore } from './faulty-store.js';
import { failureOf, type TestRunner } from './runner.js';
import type { OpenStore } from './store-suite.js';

/** A tree under test. */
export interface TreeUnderTest {
  /**
   * Change number `step`, one commit. The same steps in the same order make the same tree; a tree that refuses a change
   * rejects.
   */
  change(step: number, options: { readonly signal?: AbortSignal }): Promise<unknown>;
  /** All that a caller can see of the tree: root, size, proofs. */
  state(): Promise<unknown>;
}

/** Opens a tree of the name `name` in the store. */
export type OpenTree = (store: NodeStore, name: string) => Promise<TreeUnderTest>;

/** Changes that a test makes before it looks. */
const STEPS = 6;

/**
 * Registers the tree suite with a test runner: trees reopened, sharing a store, changed from several sides at once,
 * aborted, and on a store that fails at every step it can fail at.
 *
 * @param runner `describe`, `it` and `expect` of vitest, jest, Bun or Deno.
 * @param name Title of the suite.
 * @param openStore Opens a fresh, empty store for each test.
 * @param openTree Opens the tree.
 */
export function treeSuite(runner: TestRunner, name: string, openStore: OpenStore, openTree: OpenTree): void {
  const { describe, it, expect } = runner;

  const check = (
    title: string,
    body: (store: NodeStore, reopen: () => Promise<NodeStore>) => Promise<void>,
  ) =>
    it(title, async () => {
      const { store, reopen, dispose } = await openStore();
      try {
        await body(store, async () => (reopen ? await reopen() : store));
      } finally {
        await dispose();
      }
    });

  /** What the tree looks like after each number of steps. */
  const history = async (store: NodeStore, tree: string): Promise<unknown[]> => {
    const opened = await openTree(store, tree);
    const states = [await opened.state()];
    for (let step = 0; step < STEPS; step++) {
      await opened.change(step, {});
      states.push(await opened.state());
    }
    return states;
  };

  describe(name, () => {
    check('is the same after it is opened again', async (store, reopen) => {
      const states = await history(store, 'tree');
      expect(await (await openTree(await reopen(), 'tree')).state()).toEqual(states.at(-1));
    });

    check('shares its store with trees of other names', async (store) => {
      const names = ['a', 'ab', 'ä', 'b'];
      const alone = await history(store, 'alone');
      const trees = await Promise.all(names.map((tree) => openTree(store, tree)));
      for (let step = 0; step < STEPS; step++) {
        for (const [i, tree] of trees.entries()) {
          await tree.change(step, {});
          expect(await tree.state()).toEqual(alone[step + 1]);
          const next = trees[i + 1];
          if (next) expect(await next.state()).toEqual(alone[step]);
        }
      }
    });

    check('queues what is asked at once, also through two handles', async (store) => {
      const states = await history(store, 'in turn');
      const handles = [await openTree(store, 'at once'), await openTree(store, 'at once')];
      await Promise.all(Array.from({ length: STEPS }, (_, step) => handles[step % 2]!.change(step, {})));
      for (const handle of handles) expect(await handle.state()).toEqual(states.at(-1));
    });

    check('stays as it was when a change is aborted', async (store) => {
      const states = await history(store, 'plain');
      const tree = await openTree(store, 'tree');
      for (let step = 0; step < STEPS; step++) {
        const signal = AbortSignal.abort(new Error('enough'));
        expect(await failureOf(() => tree.change(step, { signal }))).toBe('ABORTED');
        expect(await tree.state()).toEqual(states[step]);
        await tree.change(step, {});
      }
      expect(await tree.state()).toEqual(states.at(-1));
    });

    check('stays as it was when the store fails, at whatever step', async (store) => {
      const states = await history(store, 'plain');
      const faulty = faultyStore(store);
      const tree = await openTree(faulty, 'tree');
      for (let step = 0; step < STEPS; step++) {
        const before = await dump(store);
        // Every call of the change fails once; then it is made, and takes no more calls than were tried.
        for (let call = 0; ; call++) {
          faulty.failAt(call);
          const failure = await failureOf(() => tree.change(step, {}));
          const calls = faulty.calls;
          faulty.failAt();
          if (failure === 'nothing') {
            expect(calls).toBe(call);
            break;
          }
          expect(failure).toBe('STORE_FAILED');
          expect(await tree.state()).toEqual(states[step]);
          expect(await dump(store)).toEqual(before);
        }
        expect(await tree.state()).toEqual(states[step + 1]);
      }
    });

    check('says so when its store is closed', async (store) => {
      const tree = await openTree(store, 'tree');
      await tree.change(0, {});
      await store.close();
      expect(await failureOf(() => tree.change(1, {}))).toBe('CLOSED');
      expect(await failureOf(() => tree.state())).toBe('CLOSED');
      expect(await failureOf(() => openTree(store, 'tree'))).toBe('CLOSED');
    });
  });
}

async function dump(store: NodeStore): Promise<string[]> {
  const entries: string[] = [];
  for await (const [key, value] of store.iterate()) entries.push(`${toHex(key)} ${toHex(value)}`);
  return entries;
}
