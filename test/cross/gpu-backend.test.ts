import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenGpu } from '../../src/backend/gpu/index.ts';
import { PIECE_BYTES } from '../../src/backend/gpu/message-plan.ts';
import type { ChunkJob, ChunkResult, Padding } from '../../src/backend/types.ts';
import { toHex } from '../../src/bytes.ts';
import { engine, levelsByRule, noise, openSha256, zeroDigests } from '../support/gpu.ts';
import { sha256 } from '../support/naive-tree.ts';

let gpu: OpenGpu;
beforeAll(async () => {
  gpu = await openSha256();
});
afterAll(() => gpu.backend.close());

const zeros = zeroDigests(64);
const levelsFor = (count: number): number => Math.ceil(Math.log2(count));

/** Folds digests on the GPU. */
function fold(leaves: Uint8Array, options: Partial<ChunkJob> = {}): Promise<ChunkResult> {
  const leafCount = leaves.length / 32;
  return gpu.backend.chunk({
    source: { kind: 'digests', digests: leaves },
    leafCount,
    levels: levelsFor(leafCount),
    padding: 'zero',
    zeros,
    samples: 0,
    ...options,
  });
}

async function expectRoot(count: number, padding: Padding, levels: number = levelsFor(count)): Promise<void> {
  const leaves = noise(32 * count, count);
  const { layers } = await fold(leaves, { padding, levels });
  expect(layers.length).toBe(1);
  expect(toHex(layers[0]!), `${count} leaves, ${padding}, ${levels} levels`).toBe(
    toHex(levelsByRule(leaves, levels, padding)[levels]!),
  );
}

describe('[gpu] layers of pairs', () => {
  it('equal those of OpenSSL at widths around powers of two', async () => {
    const widths = [1, 2, 3, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1025, 4095, 4097];
    for (const width of widths) {
      const nodes = noise(64 * width, width);
      const [out, expected] = [new Uint8Array(32 * width), new Uint8Array(32 * width)];
      await gpu.backend.pairs({ nodes, out, samples: 0 });
      engine.hashPairs(nodes, expected);
      expect(Buffer.compare(out, expected), `${width} pairs`).toBe(0);
    }
  });

  it('do nothing for no pairs', async () => {
    const before = { ...gpu.backend.counters };
    const none = new Uint8Array(0);
    expect(await gpu.backend.pairs({ nodes: none, out: none, samples: 3 })).toEqual([]);
    expect(gpu.backend.counters).toEqual(before);
  });

  it('take views at odd offsets, pooled buffers and shared memory', async () => {
    const nodes = noise(64 * 70);
    const expected = new Uint8Array(32 * 70);
    engine.hashPairs(nodes, expected);
    const odd = new Uint8Array(64 * 70 + 3).subarray(3);
    const shared = new Uint8Array(new SharedArrayBuffer(64 * 70 + 5), 5);
    for (const view of [odd, shared, Buffer.from(nodes)]) {
      view.set(nodes);
      const out = new Uint8Array(new SharedArrayBuffer(32 * 70));
      await gpu.backend.pairs({ nodes: view, out, samples: 0 });
      expect(Buffer.compare(out, expected)).toBe(0);
    }
  });

  it('keep 50 concurrent calls apart', async () => {
    const calls = Array.from({ length: 50 }, async (_, i) => {
      const nodes = noise(64 * (i + 1), i + 1);
      const [out, expected] = [new Uint8Array(32 * (i + 1)), new Uint8Array(32 * (i + 1))];
      await gpu.backend.pairs({ nodes, out, samples: 0 });
      engine.hashPairs(nodes, expected);
      return Buffer.compare(out, expected);
    });
    expect(await Promise.all(calls)).toEqual(calls.map(() => 0));
  });
});

describe('[gpu] chunks', () => {
  it('of 1 to 70 leaves with every padding', async () => {
    for (let count = 1; count <= 70; count++) {
      for (const padding of ['zero', 'promote', 'duplicate'] as const) await expectRoot(count, padding);
      if (Number.isInteger(Math.log2(count))) await expectRoot(count, 'none');
    }
  });

  it('around the fused top', async () => {
    for (const count of [256, 384, 511, 512, 513, 1023, 1024, 1025, 4096, 4097]) {
      for (const padding of ['zero', 'promote', 'duplicate'] as const) await expectRoot(count, padding);
    }
  });

  it('with more levels than the leaves need', async () => {
    for (const padding of ['zero', 'promote', 'duplicate'] as const) {
      await expectRoot(1, padding, 64);
      await expectRoot(5, padding, 20);
      await expectRoot(512, padding, 12);
    }
  });

  it('hand back every level from keepFrom on', async () => {
    for (const count of [1, 2, 77, 512, 1024, 1500]) {
      const leaves = noise(32 * count, count);
      const levels = levelsFor(count) + 1;
      const expected = levelsByRule(leaves, levels, 'zero');
      for (let keepFrom = 0; keepFrom <= levels; keepFrom++) {
        const { layers } = await fold(leaves, { keepFrom, levels });
        expect(layers.map(toHex), `${count} from ${keepFrom}`).toEqual(expected.slice(keepFrom).map(toHex));
      }
    }
  });

  it('hand back samples that are hashes of the tree, of every level', async () => {
    for (const count of [2, 300, 512, 700]) {
      for (const padding of ['zero', 'promote', 'duplicate'] as const) {
        const leaves = noise(32 * count, count);
        const levels = levelsFor(count);
        const rule = levelsByRule(leaves, levels, padding);
        const { samples } = await fold(leaves, { padding, samples: 3 });
        expect(new Set(samples.map((sample) => sample.kind === 'pair' && sample.level)).size).toBe(levels);
        for (const sample of samples) {
          if (sample.kind !== 'pair') throw new Error('leaves are not hashed here');
          expect(toHex(sample.parent)).toBe(toHex(sha256(sample.children)));
          expect(toHex(rule[sample.level + 1]!)).toContain(toHex(sample.parent).slice(2));
          expect(toHex(rule[sample.level]!)).toContain(toHex(sample.children).slice(2, 66));
        }
      }
    }
  });

  it('count their hashes, and only theirs', async () => {
    const before = { ...gpu.backend.counters };
    await fold(noise(32 * 1024));
    expect(gpu.backend.counters.hashes - before.hashes).toBe(1023);
    expect(gpu.backend.counters.bytesUp - before.bytesUp).toBe(32 * 1024);
    expect(gpu.backend.counters.bytesDown - before.bytesDown).toBe(32);
    // One layer, which a slow device is given in pieces, and the fused top of nine levels.
    const dispatches = gpu.backend.counters.dispatches - before.dispatches;
    expect(dispatches).toBeGreaterThanOrEqual(2);
    expect(dispatches).toBeLessThan(10);
  });

  it('refuse more leaves than a chunk has', async () => {
    await expect(fold(noise(32), { leafCount: 2 ** 21 })).rejects.toThrow(RangeError);
    await expect(fold(noise(32), { leafCount: 0 })).rejects.toThrow(RangeError);
  });
});

describe('[gpu] messages', () => {
  async function hashMessages(lengths: Uint32Array, options: Partial<ChunkJob> = {}): Promise<ChunkResult> {
    const messages = noise(lengths.reduce((sum, length) => sum + length, 0));
    const expected = new Uint8Array(32 * lengths.length);
    engine.hashMessages!(messages, lengths, expected);
    const { levels = 0 } = options;
    const result = await gpu.backend.chunk({
      source: { kind: 'messages', messages, lengths },
      leafCount: lengths.length,
      levels,
      padding: 'zero',
      zeros,
      samples: 0,
      ...options,
    });
    const rule = levelsByRule(expected, levels, 'zero');
    expect(result.layers.map(toHex)).toEqual(rule.slice(options.keepFrom ?? levels).map(toHex));
    for (const sample of result.samples) {
      if (sample.kind !== 'leaf') continue;
      expect(toHex(sample.digest)).toBe(toHex(expected.subarray(32 * sample.index, 32 * sample.index + 32)));
    }
    return result;
  }

  it('of 1 KiB become leaves of a tree', async () => {
    const { samples } = await hashMessages(new Uint32Array(300).fill(1024), {
      levels: 9,
      keepFrom: 0,
      samples: 2,
    });
    expect(samples.filter(({ kind }) => kind === 'leaf').length).toBe(2);
    expect(samples.length).toBeGreaterThan(10);
  });

  it('longer than one dispatch should run are hashed in pieces, among short ones', async () => {
    const edges = [0, 1, 9, 10, 64].flatMap((less) => [PIECE_BYTES - less, 2 * PIECE_BYTES - less]);
    await hashMessages(Uint32Array.of(3, ...edges, 0, 200, PIECE_BYTES + 1));
  });

  it('in many batches keep their places', async () => {
    await hashMessages(Uint32Array.from({ length: 3000 }, (_, i) => (i * i) % 4000));
  });
});
