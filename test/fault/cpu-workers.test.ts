/** Workers that die, cannot start, or lack what they need: no block is lost. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { platform } from '#platform';
import { openCpuBackend } from '../../src/backend/cpu/index.ts';
import { Pool } from '../../src/backend/cpu/pool.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import { ENGINES, expectBytes, pairsOf, randomBytes } from '../support/cpu.ts';

const spec = hashSpec('sha256');
const COUNT = 60_000;
const LEAVES = 2 ** 16;

async function open(pool: Pool) {
  const engine = ENGINES['wasm simd']!;
  return (await openCpuBackend(spec, await spec.load(), { pool, engine })).backend;
}

type CpuBackend = Awaited<ReturnType<typeof open>>;

async function expectRight(backend: CpuBackend, during?: () => void): Promise<void> {
  const nodes = randomBytes(64 * COUNT);
  const out = new Uint8Array(32 * COUNT);
  const running = backend.pairs({ nodes, out, samples: 0 });
  during?.();
  await running;
  expectBytes(out, pairsOf(nodes));
}

/** Waits until the pool's workers run. */
async function started(pool: Pool, backend: CpuBackend): Promise<void> {
  while (!pool.running) await expectRight(backend);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each([true, false])('workers with shared memory: %s', (sharedMemory) => {
  it('may be killed in mid job, again and again', async () => {
    const pool = new Pool(2, sharedMemory);
    const backend = await open(pool);
    await started(pool, backend);
    for (let round = 0; round < 4; round++) {
      await expectRight(backend, () => {
        const victims = [...pool.workers.values()];
        setTimeout(() => victims[round % victims.length]!.terminate(), round);
      });
    }
    // The next job starts new ones.
    await vi.waitFor(async () => {
      await expectRight(backend);
      expect(pool.workers.size).toBe(2);
      expect(pool.running).toBe(true);
    }, 20_000);
    await backend.close();
    pool.close();
  });

  it('may be killed in the middle of a tree', async () => {
    const pool = new Pool(2, sharedMemory);
    const backend = await open(pool);
    await started(pool, backend);
    const digests = randomBytes(32 * LEAVES);
    const job = {
      leafCount: LEAVES,
      levels: 16,
      padding: 'none',
      zeros: [],
      samples: 0,
      keepFrom: 1,
    } as const;
    for (let round = 0; round < 4; round++) {
      const tree = backend.chunk({ ...job, source: { kind: 'digests', digests } });
      const victims = [...pool.workers.values()];
      setTimeout(() => victims[round % victims.length]?.terminate(), round);
      let below: Uint8Array = digests;
      for (const layer of (await tree).layers) {
        expectBytes(layer, pairsOf(below));
        below = layer;
      }
      expect(below.length).toBe(32);
    }
    await backend.close();
    pool.close();
  });

  it('may all be killed before they answer', async () => {
    const pool = new Pool(2, sharedMemory);
    const backend = await open(pool);
    await expectRight(backend, () => {
      for (const worker of pool.workers.values()) worker.terminate();
    });
    await backend.close();
    pool.close();
  });

  it('may be unable to start', async () => {
    vi.spyOn(platform, 'startWorker').mockImplementation(() => {
      throw new Error('refused by policy');
    });
    const pool = new Pool(2, sharedMemory);
    const backend = await open(pool);
    await expectRight(backend);
    expect(pool.workers.size).toBe(0);
    await backend.close();
    pool.close();
  });

  it('may die of their source', async () => {
    const start = platform.startWorker;
    const spy = vi
      .spyOn(platform, 'startWorker')
      .mockImplementation(() => start('throw new Error("broken")'));
    const pool = new Pool(1, sharedMemory);
    const backend = await open(pool);
    for (let i = 0; i < 8; i++) {
      await expectRight(backend);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(spy.mock.calls.length).toBeGreaterThan(0);
    expect(spy.mock.calls.length).toBeLessThanOrEqual(3);
    await backend.close();
    pool.close();
  });

  it('may lack the native package', async () => {
    const pool = new Pool(1, sharedMemory);
    const add = pool.addEngine.bind(pool);
    vi.spyOn(pool, 'addEngine').mockImplementation((recipe) =>
      add({ ...recipe, native: 'file:///nowhere.js' }),
    );
    const backend = await open(pool);
    await started(pool, backend);
    await expectRight(backend);
    await backend.close();
    pool.close();
  });
});
