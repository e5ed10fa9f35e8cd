/** Jobs on the caller's thread and in workers: the digests are the same whoever hashed them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenedCpu, openCpuBackend } from '../../src/backend/cpu/index.ts';
import { Pool } from '../../src/backend/cpu/pool.ts';
import type { ChunkJob, Padding } from '../../src/backend/types.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import { ENGINES, expectBytes, pairsOf, randomBytes, shared, shifted } from '../support/cpu.ts';
import { type NaivePadding, naiveRoot } from '../support/naive-tree.ts';

const spec = hashSpec('sha256');
const zeros: Uint8Array<ArrayBuffer>[] = [new Uint8Array(32)];
for (let height = 0; height < 64; height++) {
  zeros.push(pairsOf(Buffer.concat([zeros[height]!, zeros[height]!])));
}

/** Ways to open the backend: threads, engine, and how work travels. */
const WAYS: Record<string, () => Promise<{ opened: OpenedCpu; pool?: Pool }>> = {
  'no threads, hashtree': async () => ({ opened: await open({ threads: 0, engine: ENGINES.hashtree! }) }),
  'no threads, WASM': async () => ({ opened: await open({ threads: 0, engine: ENGINES['wasm simd']! }) }),
  'one worker, hashtree': async () => ({ opened: await open({ threads: 1, engine: ENGINES.hashtree! }) }),
  'one worker, WASM': async () => ({ opened: await open({ threads: 1, engine: ENGINES['wasm simd']! }) }),
  'three workers, scalar': async () => ({
    opened: await open({ threads: 3, engine: ENGINES['wasm scalar']! }),
  }),
  'two workers by messages': async () => {
    const pool = new Pool(2, false);
    return { opened: await open({ pool, engine: ENGINES['wasm simd']! }), pool };
  },
};

async function open(options: Parameters<typeof openCpuBackend>[2]): Promise<OpenedCpu> {
  return await openCpuBackend(spec, await spec.load(), options);
}

const job = (leaves: Uint8Array, levels: number, more: Partial<ChunkJob> = {}): ChunkJob => ({
  source: { kind: 'digests', digests: leaves },
  leafCount: leaves.length / 32,
  levels,
  padding: 'zero',
  zeros,
  samples: 0,
  ...more,
});

/** All levels over `leaves`, one after the other. */
function naiveLayers(leaves: Uint8Array, levels: number, padding: Padding): Uint8Array[] {
  const layers = [leaves];
  for (let level = 0; level < levels; level++) {
    const nodes = layers.at(-1)!;
    const odd = (nodes.length / 32) % 2 === 1;
    const last = nodes.subarray(nodes.length - 32);
    const beside = { zero: zeros[level]!, duplicate: last, promote: undefined, none: undefined }[padding];
    const even = odd ? nodes.subarray(0, nodes.length - 32) : nodes;
    const parts = [pairsOf(even)];
    if (odd) parts.push(beside ? pairsOf(Buffer.concat([last, beside])) : new Uint8Array(last));
    layers.push(new Uint8Array(Buffer.concat(parts)));
  }
  return layers;
}

describe.each(Object.entries(WAYS))('%s', (_, way) => {
  let backend: OpenedCpu['backend'];
  let pool: Pool | undefined;
  beforeAll(async () => {
    const made = await way();
    backend = made.opened.backend;
    pool = made.pool;
  });
  afterAll(async () => {
    await backend.close();
    pool?.close();
  });

  it('hashes layers around the sizes of blocks', async () => {
    const nodes = randomBytes(64 * 20_001);
    const right = pairsOf(nodes);
    for (const count of [0, 1, 2, 7, 300, 1023, 1024, 1025, 4097, 20_001]) {
      const out = new Uint8Array(32 * count);
      expect(await backend.pairs({ nodes: nodes.subarray(0, 64 * count), out, samples: 1 })).toEqual([]);
      expectBytes(out, right.subarray(0, 32 * count), `${count} pairs`);
    }
  });

  it('hashes layers in place, at odd addresses and in shared memory', async () => {
    const nodes = randomBytes(64 * 9000);
    const right = pairsOf(nodes);
    for (const input of [shifted(nodes, 0), shifted(nodes, 5), shared(nodes)]) {
      await backend.pairs({ nodes: input, out: input.subarray(0, 32 * 9000), samples: 0 });
      expectBytes(input.subarray(0, 32 * 9000), right);
    }
  });

  it('folds chunks of any size with every padding', async () => {
    const all = randomBytes(32 * 10_001);
    for (const count of [1, 2, 3, 5, 8, 33, 100, 1000, 4095, 4096, 4097, 6145, 10_001]) {
      const leaves = all.subarray(0, 32 * count);
      for (const padding of ['zero', 'promote', 'duplicate'] as const) {
        const right = naiveLayers(leaves, 64, padding);
        for (const levels of [0, 1, 3, 14, 64]) {
          const top = await backend.chunk(job(leaves, levels, { padding }));
          expect(top.layers.length).toBe(1);
          expectBytes(top.layers[0]!, right[levels]!, `${count} leaves, ${padding}, ${levels}`);
          const keepFrom = Math.min(levels, count % 3);
          const kept = await backend.chunk(job(leaves, levels, { padding, keepFrom }));
          expect(kept.layers.length).toBe(levels + 1 - keepFrom);
          kept.layers.forEach((layer, i) => {
            expectBytes(layer, right[keepFrom + i]!, `${count} leaves, ${padding}, level ${keepFrom + i}`);
          });
        }
      }
    }
  });

  it('folds as the recursive definition says', async () => {
    const leaves = Array.from({ length: 5000 }, () => randomBytes(32));
    for (const padding of ['zero', 'promote', 'duplicate'] satisfies NaivePadding[]) {
      const { layers } = await backend.chunk(job(new Uint8Array(Buffer.concat(leaves)), 13, { padding }));
      expectBytes(layers[0]!, naiveRoot(leaves, 13, padding) as Uint8Array);
    }
  });

  it('hashes messages to leaves, long ones between short ones', async () => {
    const lengths = Uint32Array.from({ length: 6000 }, (_, i) => (i * i) % 1337);
    lengths[17] = 400_000;
    lengths[5999] = 200_001;
    const messages = randomBytes(lengths.reduce((sum, length) => sum + length, 0));
    const source = { kind: 'messages', messages, lengths } as const;
    const digests: Buffer[] = [];
    let start = 0;
    for (const length of lengths) {
      digests.push(
        createHash('sha256')
          .update(messages.subarray(start, start + length))
          .digest(),
      );
      start += length;
    }
    const right = naiveLayers(Buffer.concat(digests), 13, 'zero');
    const { layers } = await backend.chunk(job(new Uint8Array(32 * 6000), 13, { source, keepFrom: 0 }));
    expectBytes(layers[0]!, right[0]!);
    expectBytes(layers[13]!, right[13]!);
  });

  it('runs jobs at once', async () => {
    const jobs = Array.from({ length: 50 }, (_, i) => randomBytes(64 * (1 + i * 60)));
    const outs = await Promise.all(
      jobs.map(async (nodes) => {
        const out = new Uint8Array(nodes.length / 2);
        await backend.pairs({ nodes, out, samples: 0 });
        return out;
      }),
    );
    outs.forEach((out, i) => {
      expectBytes(out, pairsOf(jobs[i]!));
    });
  });

  it('counts hashes and lets timers run in long jobs', async () => {
    const before = backend.counters.hashes;
    const nodes = new Uint8Array(64 << 19);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const start = performance.now();
    await backend.pairs({ nodes, out: new Uint8Array(32 << 19), samples: 0 });
    const elapsed = performance.now() - start;
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(Math.min(3, Math.floor(elapsed / 50)));
    expect(backend.counters.hashes - before).toBe(1 << 19);
    await backend.chunk(job(new Uint8Array(32 * 5001), 13));
    const tree = 2501 + 1251 + 626 + 313 + 157 + 79 + 40 + 20 + 10 + 5 + 3 + 2 + 1;
    expect(backend.counters.hashes - before).toBe((1 << 19) + tree);
  });

  it('stops when it is told to', async () => {
    const nodes = new Uint8Array(64 << 19);
    const controller = new AbortController();
    const running = backend.pairs({
      nodes,
      out: new Uint8Array(32 << 19),
      samples: 0,
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 3);
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(backend.chunk(job(nodes, 1, { signal: controller.signal }))).rejects.toMatchObject({
      code: 'ABORTED',
    });
    const again = randomBytes(64 * 3000);
    const out = new Uint8Array(32 * 3000);
    await backend.pairs({ nodes: again, out, samples: 0 });
    expectBytes(out, pairsOf(again));
  });
});

describe('the CPU backend', () => {
  it('refuses work after it was closed, and finishes what is under way', async () => {
    const { backend } = await open({ threads: 1 });
    const nodes = randomBytes(64 * 50_000);
    const out = new Uint8Array(32 * 50_000);
    const running = backend.pairs({ nodes, out, samples: 0 });
    const closing = backend.close();
    await expect(backend.pairs({ nodes, out, samples: 0 })).rejects.toMatchObject({ code: 'CLOSED' });
    await running;
    await closing;
    await backend.close();
    expectBytes(out, pairsOf(nodes));
  });

  it('refuses an odd node without a padding rule', async () => {
    const { backend } = await open({ threads: 0 });
    await expect(backend.chunk(job(randomBytes(96), 2, { padding: 'none' }))).rejects.toThrow(RangeError);
  });

  it('refuses sources that it has no code for', async () => {
    const { backend } = await open({ threads: 0 });
    const source = { kind: 'device', buffer: {}, byteOffset: 0 } as const;
    await expect(backend.chunk(job(new Uint8Array(64), 1, { source }))).rejects.toThrow(TypeError);
  });

  it('sends no reference code to workers', async () => {
    const { backend, engine, threads } = await open({ threads: 2, engine: ENGINES.reference! });
    expect([engine.name, threads]).toEqual(['reference', 0]);
    const nodes = randomBytes(64 * 50);
    const out = new Uint8Array(32 * 50);
    await backend.pairs({ nodes, out, samples: 0 });
    expectBytes(out, pairsOf(nodes));
  });

  it('shares one pool among hashes', async () => {
    const truncated = hashSpec('sha256-truncated');
    const a = await open({ threads: 2 });
    const b = await openCpuBackend(truncated, await truncated.load(), { threads: 2 });
    const nodes = randomBytes(64 * 30_000);
    const outs = [new Uint8Array(32 * 30_000), new Uint8Array(32 * 30_000)] as const;
    await Promise.all([
      a.backend.pairs({ nodes, out: outs[0], samples: 0 }),
      b.backend.pairs({ nodes, out: outs[1], samples: 0 }),
    ]);
    const right = pairsOf(nodes);
    expectBytes(outs[0], right);
    for (let i = 0; i < 30_000; i += 997) {
      expectBytes(outs[1].subarray(32 * i + 1, 32 * i + 32), right.subarray(32 * i, 32 * i + 31));
    }
    await a.backend.close();
    await b.backend.pairs({ nodes, out: outs[0], samples: 0 });
    expectBytes(outs[0], outs[1]);
    await b.backend.close();
  });
});
