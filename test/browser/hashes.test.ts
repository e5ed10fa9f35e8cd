/** Every hash in a browser, on both backends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashes } from '../../src/index.ts';
import { jobs, type TreeAnswer, type TreeArgs } from '../consumer/jobs.ts';
import { openSite, type RunJob, type Site } from '../support/site.ts';

/** Field hashes take microseconds to milliseconds each on the software adapter. */
const leavesFor = (id: string): number => (hashes.get(id as 'sha256')!.input === 'bytes' ? 3000 : 32);

let site: Site;
let run: RunJob;
beforeAll(async () => {
  site = await openSite();
  run = await site.open('plain');
});
afterAll(() => site?.close());

describe('[browser] every hash', () => {
  it('is packed', async () => {
    expect(await run('page', 'ids')).toEqual([...hashes.keys()]);
  });

  it.each([...hashes.keys()])('%s on the CPU and the GPU as in Node', async (id) => {
    const args: TreeArgs = { id, backend: 'cpu', leaves: leavesFor(id) };
    const { info: _, ...expected } = await jobs.tree(args);
    const cpu = await run<TreeAnswer>('page', 'tree', args);
    expect(cpu).toMatchObject(expected);
    // This Chromium has relaxed SIMD: the best build of every hash runs.
    const kernels = await hashes.get(id)!.cpu?.();
    expect(cpu.info.cpu.engine).toBe(kernels ? `wasm ${kernels.builds[0]!.feature}` : 'reference');
    const gpu = await run<TreeAnswer>('page', 'tree', { ...args, backend: 'gpu' });
    expect(gpu).toMatchObject(expected);
    expect(gpu.info.gpu).toMatchObject({ vendor: 'google', architecture: 'swiftshader' });
    expect(gpu.info.counters.hashesCpu).toBe(0);
    expect(gpu.info.counters.hashesGpu).toBeGreaterThanOrEqual(args.leaves - 1);
  });
});
