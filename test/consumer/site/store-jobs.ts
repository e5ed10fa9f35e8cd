/** The exported suites over IndexedDB, in the page itself. */
import { BrowserLevel } from 'browser-level';
import { AppendOnlyTree, createHasher, type Hasher, IndexedTree, toHex } from 'cambium';
import { levelStore } from 'cambium/store/level';
import { type OpenStore, storeSuite, type TestRunner, treeSuite } from 'cambium/testing';
import { leavesOf } from '../leaves.ts';

export interface SuiteAnswer {
  readonly name: string;
  /** Absent where the test passed. */
  readonly error?: string;
}

/** Text that is the same for equal values: byte arrays, undefined and bigints have forms of their own. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (part instanceof Uint8Array) return `bytes ${toHex(part)}`;
    if (part === undefined) return 'undefined';
    return typeof part === 'bigint' ? `${part}n` : part;
  });
}

/** The least that the suites need of a test runner; `run` runs what they registered. */
function collector(): TestRunner & { run(): Promise<SuiteAnswer[]> } {
  const tests: { readonly name: string; readonly body: () => Promise<void> }[] = [];
  let title = '';
  return {
    describe(name, body) {
      title = name;
      body();
    },
    it: (name, body) => void tests.push({ name: `${title}: ${name}`, body }),
    expect(value) {
      const same = (equal: boolean, expected: unknown): void => {
        if (!equal) throw new Error(`expected ${textOf(expected)}, got ${textOf(value)}`);
      };
      return {
        toBe: (expected) => same(Object.is(value, expected), expected),
        toEqual: (expected) => same(textOf(value) === textOf(expected), expected),
      };
    },
    async run() {
      const answers: SuiteAnswer[] = [];
      for (const { name, body } of tests) {
        try {
          await body();
          answers.push({ name });
        } catch (error) {
          answers.push({ name, error: String(error) });
        }
      }
      return answers;
    },
  };
}

let databases = 0;

const browserLevel: OpenStore = async () => {
  const name = `cambium-${databases++}`;
  let db = new BrowserLevel(name);
  return {
    store: levelStore(db),
    async reopen() {
      await db.close();
      db = new BrowserLevel(name);
      return levelStore(db);
    },
    async dispose() {
      await db.close();
      await BrowserLevel.destroy(name);
    },
  };
};

/** What both kinds of tree take in step `step`: other digests each time. */
function batchOf(step: number): Uint8Array {
  return leavesOf(30 * (step + 1)).subarray(32 * 30 * step);
}

function registerTrees(runner: TestRunner, hasher: Hasher): void {
  treeSuite(runner, 'append-only tree', browserLevel, async (store, name) => {
    const tree = await AppendOnlyTree.open(hasher, store, { depth: 20, name });
    return {
      change: (step, options) => tree.append(batchOf(step), options),
      state: async () => [await tree.root(), await tree.prove(3), tree.size],
    };
  });
  treeSuite(runner, 'indexed tree', browserLevel, async (store, name) => {
    const tree = await IndexedTree.open(hasher, store, { depth: 20, scheme: 'typescript', name });
    return {
      change: (step, options) => tree.insert(batchOf(step).subarray(0, 32 * 5), options),
      state: async () => [await tree.root(), await tree.prove(new Uint8Array(32)), tree.size],
    };
  });
}

/** Runs the suites; one answer for each test. */
async function suites(): Promise<SuiteAnswer[]> {
  const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
  const runner = collector();
  storeSuite(runner, 'store', browserLevel);
  registerTrees(runner, hasher);
  try {
    return await runner.run();
  } finally {
    await hasher.close();
  }
}

export const storeJobs: Readonly<Record<string, unknown>> = { suites };
