/** One engine on one thread: every build, every count, any memory. */
import { createHash } from 'node:crypto';
import { sha256 as noble } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/backend/cpu/engine.ts';
import type { SyncEngine } from '../../src/backend/types.ts';
import { hashes, hashSpec } from '../../src/hash/registry.ts';
import type { CpuKernels, HashModule, HashSpec } from '../../src/hash/types.ts';
import { ENGINES, expectBytes, pairsOf, randomBytes, shared, shifted } from '../support/cpu.ts';

const spec = hashSpec('sha256');

async function open(name: string, of: HashSpec = spec): Promise<SyncEngine> {
  return (await openEngine(of, await of.load(), ENGINES[name]!)).engine;
}

/** Small counts cover lanes and what is left of them, the others the blocks that are copied in. */
const COUNTS = [...Array.from({ length: 71 }, (_, i) => i), 1023, 1024, 1025, 2047, 2048, 2049];

describe.each(Object.keys(ENGINES))('%s', (name) => {
  it('has its name', async () => {
    expect((await open(name)).name).toBe(name);
  });

  it('hashes layers of every size', async () => {
    const engine = await open(name);
    const nodes = randomBytes(64 * 2049);
    const right = pairsOf(nodes);
    for (const count of COUNTS) {
      const out = new Uint8Array(32 * count + 32).fill(0xee);
      engine.hashPairs(nodes.subarray(0, 64 * count), out.subarray(0, 32 * count));
      expectBytes(out.subarray(0, 32 * count), right.subarray(0, 32 * count), `${count} pairs`);
      expectBytes(out.subarray(32 * count), new Uint8Array(32).fill(0xee), `behind ${count} pairs`);
    }
  });

  it('hashes in place, at odd addresses, in shared memory and in pooled buffers', async () => {
    const engine = await open(name);
    for (const count of [1, 2, 3, 5, 9, 1100]) {
      const nodes = randomBytes(64 * count);
      const right = pairsOf(nodes);
      const inputs = [
        shifted(nodes, 0),
        shifted(nodes, 1),
        shifted(nodes, 7),
        shared(nodes),
        Buffer.from(nodes),
      ];
      for (const input of inputs) {
        const out = shifted(new Uint8Array(32 * count), 3);
        engine.hashPairs(input, out);
        expectBytes(out, right);
        expectBytes(input, nodes);
        engine.hashPairs(input, input.subarray(0, 32 * count));
        expectBytes(input.subarray(0, 32 * count), right);
      }
    }
  });

  it('hashes one pair into new memory', async () => {
    const engine = await open(name);
    const nodes = randomBytes(128);
    const first = engine.hashPair(nodes.subarray(0, 32), nodes.subarray(32, 64));
    engine.hashPair(nodes.subarray(64, 96), nodes.subarray(96));
    expect(first).toEqual(pairsOf(nodes).subarray(0, 32));
  });

  it('hashes messages of every length', async () => {
    const engine = await open(name);
    const lengths = Uint32Array.from({ length: 301 }, (_, i) => i);
    expectMessages(engine, lengths);
    expectMessages(engine, lengths.reverse());
    // Runs of equal block counts between odd ones out.
    expectMessages(
      engine,
      Uint32Array.from({ length: 203 }, (_, i) => (i % 9 === 4 ? 500 : 100 + (i % 20))),
    );
    expectMessages(engine, new Uint32Array(700));
  });

  it('hashes messages around the size of its memory', async () => {
    const engine = await open(name);
    expectMessages(engine, Uint32Array.of(5, 300_000, 131_072, 0, 65_536, 65_536, 1));
  });
});

function expectMessages(engine: SyncEngine, lengths: Uint32Array): void {
  const messages = randomBytes(lengths.reduce((sum, length) => sum + length, 0) + 1).subarray(1);
  const out = new Uint8Array(32 * lengths.length);
  engine.hashMessages!(messages, lengths, out);
  let start = 0;
  lengths.forEach((length, i) => {
    const message = messages.subarray(start, start + length);
    const digest = out.subarray(32 * i, 32 * i + 32);
    expect(digest, `message ${i} of ${length} bytes`).toEqual(
      new Uint8Array(createHash('sha256').update(message).digest()),
    );
    if (i % 7 === 0) expect(digest).toEqual(noble(message));
    start += length;
  });
}

describe('long messages', () => {
  it('grow the memory and are hashed right, and the next small one too', async () => {
    const engine = await open('wasm simd');
    expectMessages(engine, Uint32Array.of(9_000_001, 3));
    expectMessages(engine, Uint32Array.of(3, 4, 5));
  });
});

describe('every hash of the registry with kernels', () => {
  it.each([...hashes.keys()])('%s: builds agree with the reference', async (id) => {
    const row = hashSpec(id);
    const kernels = await row.cpu?.();
    if (!kernels) return;
    // Opening compares pairs and messages with the reference.
    const names: string[] = [];
    for (const { feature } of kernels.builds) {
      const { engine } = await openEngine(row, await row.load(), { features: [feature], native: false });
      names.push(engine.name);
    }
    const runnable = kernels.builds.filter(({ bytes }) => WebAssembly.validate(bytes()));
    expect(names.filter((name) => name !== 'reference')).toEqual(
      runnable.map(({ feature }) => `wasm ${feature}`),
    );
  });
});

describe('choice of a build', () => {
  /** The reference with one more byte changed: no kernel agrees with it. */
  async function otherHash(): Promise<HashModule> {
    const module = await spec.load();
    return {
      ...module,
      hashPair(left, right) {
        const digest = module.hashPair(left, right);
        digest[31]! ^= 1;
        return digest;
      },
    };
  }

  it('goes on to the next build when one is wrong', async () => {
    const right = await spec.cpu!();
    const truncated = await hashSpec('sha256-truncated').cpu!();
    const kernels: CpuKernels = { builds: [truncated.builds[0]!, ...right.builds.slice(1)] };
    const { engine } = await openEngine({ ...spec, cpu: async () => kernels }, await spec.load(), {
      features: ['simd', 'scalar'],
      native: true,
    });
    expect(engine.name).toBe('wasm scalar');
  });

  it('refuses to run when all are wrong', async () => {
    await expect(openEngine(spec, await otherHash(), ENGINES['wasm simd']!)).rejects.toMatchObject({
      code: 'KERNEL_SELF_TEST',
    });
  });

  it('does not use native code that computes something else', async () => {
    const truncated = hashSpec('sha256-truncated');
    const kernels: CpuKernels = { ...(await truncated.cpu!()), native: 'hashtree' };
    const { engine } = await openEngine(
      { ...truncated, cpu: async () => kernels },
      await truncated.load(),
      ENGINES.hashtree!,
    );
    expect(engine.name).toBe('wasm simd');
  });

  it('passes over bytes that are no module', async () => {
    const right = await spec.cpu!();
    const broken = { feature: 'simd' as const, bytes: () => new Uint8Array([0, 97, 115, 109]) };
    const kernels: CpuKernels = { builds: [broken, right.builds[1]!] };
    const { engine } = await openEngine({ ...spec, cpu: async () => kernels }, await spec.load(), {
      features: ['simd', 'scalar'],
      native: false,
    });
    expect(engine.name).toBe('wasm scalar');
  });

  it('runs a hash without kernels by its reference, and sends it to no worker', async () => {
    const { cpu: _, ...bare } = spec;
    const opened = await openEngine(bare, await otherHash(), ENGINES['wasm simd']!);
    expect(opened.engine.name).toBe('reference');
    expect(opened.recipe).toBeUndefined();
  });
});
