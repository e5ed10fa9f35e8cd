/** A page stays alive during long work, and gets the right root when its workers do not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHasher, merkleRoot, toHex } from '../../src/index.ts';
import { leavesOf } from '../consumer/leaves.ts';
import type { HeldAnswer } from '../consumer/site/page-jobs.ts';
import { openSite, type Policy, type RunJob, type Site } from '../support/site.ts';

/** A task of at least this length is a long one to a browser. */
const LONG_MS = 50;
/** Other processes may take the core away in the middle of a task, so the best of so many runs counts. */
const RUNS = 4;

let site: Site;
const runs = new Map<Policy, RunJob>();
beforeAll(async () => {
  site = await openSite();
  for (const policy of ['plain', 'isolated', 'no-blob-workers'] as const)
    runs.set(policy, await site.open(policy));
});
afterAll(() => site?.close());

/** The root by Node's CPU side. */
async function rootOf(leaves: number): Promise<string> {
  const hasher = await createHasher('sha256', { backend: 'cpu' });
  const root = toHex(await merkleRoot(hasher, leavesOf(leaves)));
  await hasher.close();
  return root;
}

describe("[browser] the page's thread", () => {
  it('is watched', async () => {
    const { longTasks } = await runs.get('plain')!<HeldAnswer>('page', 'heldFor', { milliseconds: 80 });
    expect(longTasks).toHaveLength(1);
    expect(longTasks[0]).toBeGreaterThanOrEqual(LONG_MS);
  });

  it.each<Policy>(['plain', 'isolated', 'no-blob-workers'])(
    'has no task over 50 ms during the root of 2^20 leaves, policy %s',
    async (policy) => {
      const leaves = 2 ** 20;
      const root = await rootOf(leaves);
      let longTasks: readonly number[] = [Number.POSITIVE_INFINITY];
      for (let i = 0; i < RUNS && longTasks.length > 0; i++) {
        const answer = await runs.get(policy)!<HeldAnswer>('page', 'longRoot', { leaves });
        expect(answer.root).toBe(root);
        // A timer of 10 ms that is let through has run about as often as the time allows.
        expect(answer.turns).toBeGreaterThan(answer.milliseconds / LONG_MS);
        longTasks = answer.longTasks;
      }
      expect(longTasks).toEqual([]);
    },
  );
});

describe.each<Policy>(['plain', 'isolated'])('[browser] workers that end in mid job, policy %s', (policy) => {
  it.each(['terminated', 'failed'])('%s', async (how) => {
    const leaves = 300_000;
    const run = runs.get(policy)!;
    const { roots, started } = await run<{ roots: string[]; started: number }>('page', 'dyingWorkers', {
      leaves,
      how,
    });
    expect(new Set(roots)).toEqual(new Set([await rootOf(leaves)]));
    // They were replaced.
    expect(started).toBeGreaterThan(2);
  });
});
