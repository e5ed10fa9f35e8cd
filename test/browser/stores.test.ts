/** Stores and trees over IndexedDB, through browser-level, in a browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SuiteAnswer } from '../consumer/site/store-jobs.ts';
import { openSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site?.close());

/** With shared memory and without. */
const POLICIES =
  process.env.CAMBIUM_TEST_ALL === '1' ? (['isolated', 'plain'] as const) : (['isolated'] as const);

describe('[browser] browser-level', () => {
  it.each(POLICIES)(
    'passes the suites of stores and trees, page %s',
    { timeout: 120_000 },
    async (policy) => {
      const run = await site.open(policy);
      const answers = await run<SuiteAnswer[]>('page', 'suites');
      expect(answers.filter(({ error }) => error !== undefined)).toEqual([]);
      expect(answers.length).toBeGreaterThan(30);
    },
  );
});
