/** Devices with little memory: jobs are done in parts, and the parts that fit are remembered. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { GpuErrorFilterLike } from '../../src/backend/gpu/types.ts';
import { createHasher, type Hasher, type HasherOptions } from '../../src/hasher.ts';
import { merkleRoot } from '../../src/tree/merkle.ts';
import { expectBytes } from '../support/cpu.ts';
import { FakeGpu } from '../support/fake-gpu.ts';
import { altered, alteredGpu, noise } from '../support/gpu.ts';

const MIB = 2 ** 20;
/** Not a power of two: the last chunk is a short one. */
const leaves = noise(5 * MIB + 32 * 5);
const lengths = Uint32Array.from({ length: 300 }, (_, i) => (i % 7 ? 20_000 : i));
const messages = noise(lengths.reduce((sum, length) => sum + length, 0));

const open = (options: HasherOptions): Promise<Hasher> =>
  createHasher('sha256', { threads: 0, gpuThreshold: 0, crossCheck: 'off', ...options });

/** Roots and layers of the CPU. */
let right: { root: Uint8Array; kept: Uint8Array; layer: Uint8Array; messages: Uint8Array };
const keep = { levels: 20, keepFrom: 3 };

async function all(hasher: Hasher): Promise<typeof right> {
  const own = leaves.slice(0, 4 * MIB);
  return {
    root: await merkleRoot(hasher, leaves),
    kept: Buffer.concat((await hasher.hashTree(leaves, keep)).layers),
    layer: await hasher.hashPairs(own, own.subarray(0, own.length / 2)),
    messages: await merkleRoot(hasher, { messages, lengths }, { padding: 'promote' }),
  };
}

async function expectRight(hasher: Hasher): Promise<void> {
  const got = await all(hasher);
  for (const name of ['root', 'kept', 'layer', 'messages'] as const)
    expectBytes(got[name], right[name], name);
}

beforeAll(async () => {
  const cpu = await open({ backend: 'cpu' });
  right = await all(cpu);
  await cpu.close();
});

describe('memory for', () => {
  it.each([8 * MIB, 2 * MIB])(
    '%i bytes: the right digests, on the GPU alone',
    { timeout: 300_000 },
    async (memory) => {
      const fake = new FakeGpu({ memory });
      const hasher = await open({ gpu: fake, backend: 'gpu' });
      await expectRight(hasher);
      expect(hasher.info.counters.hashesCpu).toBe(0);
      // What fits is known by now: nothing is refused again.
      const { dispatches } = hasher.info.counters;
      expectBytes(await merkleRoot(hasher, leaves), right.root);
      const once = hasher.info.counters.dispatches - dispatches;
      expectBytes(await merkleRoot(hasher, leaves), right.root);
      expect(hasher.info.counters.dispatches - dispatches).toBe(2 * once);
      expect(fake.devices.length).toBe(1);
      await hasher.close();
      expect(fake.devices[0]!.memory).toBeLessThanOrEqual(memory);
    },
  );

  it('next to nothing: an error, and under auto the CPU', { timeout: 300_000 }, async () => {
    const options = { memory: Number.POSITIVE_INFINITY };
    const gpu = new FakeGpu(options);
    const [strict, auto] = [await open({ gpu, backend: 'gpu' }), await open({ gpu })];
    options.memory = 0;
    const refused = { code: 'OUT_OF_DEVICE_MEMORY' };
    await expect(strict.hashPairs(leaves.subarray(0, 4 * MIB))).rejects.toMatchObject(refused);
    await expect(merkleRoot(strict, leaves)).rejects.toMatchObject(refused);
    await expectRight(auto);
    options.memory = Number.POSITIVE_INFINITY;
    await expectRight(strict);
    await Promise.all([strict.close(), auto.close()]);
  });
});

describe('[gpu] memory', () => {
  it('that a real device runs out of', { timeout: 300_000 }, async () => {
    let [held, refusals] = [0, 0];
    const small = await alteredGpu((device) => {
      const scopes: { filter: GpuErrorFilterLike; failed: boolean }[] = [];
      return altered(device, {
        createBuffer(descriptor) {
          const buffer = device.createBuffer(descriptor);
          held += descriptor.size;
          const tooMuch = held > 8 * MIB;
          if (tooMuch) {
            refusals++;
            for (const scope of scopes) scope.failed ||= scope.filter === 'out-of-memory';
          }
          let alive = true;
          const free = (): void => {
            if (alive) held -= descriptor.size;
            alive = false;
          };
          // Nobody will ever destroy a buffer that was not made.
          if (tooMuch) free();
          const destroy = buffer.destroy.bind(buffer);
          buffer.destroy = () => {
            free();
            destroy();
          };
          return buffer;
        },
        pushErrorScope(filter) {
          scopes.push({ filter, failed: false });
          device.pushErrorScope(filter);
        },
        async popErrorScope() {
          const { failed } = scopes.pop()!;
          const error = await device.popErrorScope();
          return failed ? { message: 'no memory left' } : error;
        },
      });
    });
    const hasher = await open({ gpu: small, backend: 'gpu' });
    await expectRight(hasher);
    expect(refusals).toBeGreaterThan(1);
    expect(hasher.info.counters.hashesCpu).toBe(0);
    await hasher.close();
  });
});
