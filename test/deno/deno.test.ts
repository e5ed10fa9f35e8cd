/** A third WebGPU: wgpu, whose compiler is naga. And Deno as a host of the CPU side. */
import { beforeAll, describe, expect, it } from 'vitest';
import { hashes } from '../../src/index.ts';
import { jobs, type TreeAnswer, type TreeArgs } from '../consumer/jobs.ts';
import { runDeno, treesInDeno } from '../support/deno.ts';

/** SwiftShader's vendor, Google, as PCI numbers it. With another one the environment was not heeded. */
const GOOGLE = 0x1ae0;

const leavesFor = (id: string): number => (hashes.get(id as 'sha256')!.input === 'bytes' ? 3000 : 32);

/** What Node's CPU side answers. */
async function inNode(args: TreeArgs): Promise<Omit<TreeAnswer, 'info'>> {
  const { info: _, ...answer } = await jobs.tree(args);
  return answer;
}

describe('[deno] every hash', () => {
  const ids = [...hashes.keys()];
  let answers: ReturnType<typeof treesInDeno>;
  beforeAll(() => {
    const both = ids.flatMap((id) =>
      (['cpu', 'gpu'] as const).map((backend) => ({ id, backend, leaves: leavesFor(id) })),
    );
    answers = treesInDeno(both, ['--unstable-webgpu']);
    // All hashes in one process: on a busy machine longer than a hook may take otherwise.
  }, 300_000);

  it.runIf(process.platform === 'linux')('runs on SwiftShader', () => {
    const { vendor } = runDeno('adapter.ts', [], ['--unstable-webgpu']) as { vendor: string };
    expect(Number(vendor)).toBe(GOOGLE);
  });

  it.each(ids)('%s on the CPU and the GPU as in Node', async (id) => {
    const expected = await inNode({ id, backend: 'cpu', leaves: leavesFor(id) });
    const [cpu, gpu] = answers.slice(2 * ids.indexOf(id));
    expect(cpu).toMatchObject({ value: expected });
    expect(gpu).toMatchObject({ value: { ...expected, info: { counters: { hashesCpu: 0 } } } });
  });
});

describe('[deno] as a host', () => {
  const args: TreeArgs = { id: 'sha256', backend: 'cpu', leaves: 150_000, threads: 2 };

  it.each([
    ['runs workers without any permission', [], 'wasm simd'],
    ['uses native code where it may', ['--allow-all'], 'hashtree'],
  ])('%s', async (_, flags, engine) => {
    const expected = await inNode(args);
    const info = { cpu: { engine, threads: 2 } };
    expect(treesInDeno([args], flags)).toMatchObject([{ value: { ...expected, info } }]);
  });
});
