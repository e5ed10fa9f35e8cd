/** WebGPU that is absent, throws, has no adapter, or never answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobs, type TreeAnswer, type TreeArgs, type WithoutGpuAnswer } from '../consumer/jobs.ts';
import { openSite, type RunJob, type Site } from '../support/site.ts';

const ARGS: TreeArgs = { id: 'sha256', backend: 'cpu', leaves: 1000 };

let site: Site;
let run: RunJob;
beforeAll(async () => {
  site = await openSite();
  run = await site.open('plain');
});
afterAll(() => site?.close());

describe('[browser] WebGPU', () => {
  it.each([
    ['absent', /no WebGPU/],
    ['throwing', /blocked by the test/],
    ['returning null', /no adapter/],
    ['never answering', /no answer within/],
  ])('%s', async (how, why) => {
    const { info: _, ...expected } = await jobs.tree(ARGS);
    const answers = await Promise.all(
      (['page', 'worker'] as const).map((where) =>
        run<WithoutGpuAnswer>(where, 'withoutGpu', { ...ARGS, how }),
      ),
    );
    for (const { auto, gpu } of answers) {
      expect(auto).toMatchObject(expected);
      expect(auto.info.gpu).toBeUndefined();
      expect(auto.info.gpuRefused).toMatch(why);
      expect(gpu).toBe('BACKEND_UNAVAILABLE');
    }
  });

  it.each(['page', 'worker'] as const)('comes back with the next hasher in the %s', async (where) => {
    const { info } = await run<TreeAnswer>(where, 'tree', { ...ARGS, backend: 'gpu' });
    expect(info.counters).toMatchObject({ hashesCpu: 0 });
  });
});
