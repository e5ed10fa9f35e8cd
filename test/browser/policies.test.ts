/** What a page's headers allow: shared memory, blob workers, nothing but the page's own files. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobs, type TreeAnswer, type TreeArgs } from '../consumer/jobs.ts';
import { openSite, type Policy, type RunJob, type Site } from '../support/site.ts';

// Enough for several chunks, and for workers to pay.
const ARGS: TreeArgs = { id: 'sha256', backend: 'cpu', leaves: 150_000 };

let site: Site;
let expected: Omit<TreeAnswer, 'info'>;
beforeAll(async () => {
  site = await openSite();
  const { info: _, ...answer } = await jobs.tree(ARGS);
  expected = answer;
});
afterAll(() => site?.close());

describe.each<Policy>(['plain', 'isolated', 'strict', 'no-blob-workers'])('[browser] policy %s', (policy) => {
  let run: RunJob;
  beforeAll(async () => {
    run = await site.open(policy);
  });

  describe.each(['page', 'worker'] as const)('in the %s', (where) => {
    it('is what it says', async () => {
      expect(await run(where, 'allowed')).toEqual({
        sharedMemory: policy === 'isolated',
        blobWorkers: policy !== 'no-blob-workers',
      });
    });

    it.each([0, 1, 2])('CPU with %i workers', async (threads) => {
      const answer = await run<TreeAnswer>(where, 'tree', { ...ARGS, threads });
      expect(answer).toMatchObject(expected);
      expect(answer.info.cpu.engine).toBe('wasm simd');
    });

    it('GPU', async () => {
      const answer = await run<TreeAnswer>(where, 'tree', { ...ARGS, backend: 'gpu' });
      expect(answer).toMatchObject(expected);
      expect(answer.info).toMatchObject({ gpu: { architecture: 'swiftshader' }, counters: { hashesCpu: 0 } });
    });
  });
});
