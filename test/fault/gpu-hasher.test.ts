/** What a hasher makes of a GPU that fails or computes wrong digests, on a WebGPU that claims to be hardware. */
import { describe, expect, it } from 'vitest';
import { createHasher, type Hasher, type HasherOptions } from '../../src/hasher.ts';
import { merkleRoot } from '../../src/tree/merkle.ts';
import { expectBytes } from '../support/cpu.ts';
import { FakeGpu, type FakeOptions, type Fault } from '../support/fake-gpu.ts';
import { engine, levelsByRule, noise } from '../support/gpu.ts';

type Options = { -readonly [K in keyof FakeOptions]: FakeOptions[K] };

const open = (options: HasherOptions): Promise<Hasher> =>
  createHasher('sha256', { threads: 0, gpuThreshold: 0, ...options });

const PAIRS = 600;
const nodes = noise(64 * PAIRS);
const parents = new Uint8Array(32 * PAIRS);
engine.hashPairs(nodes, parents);
const leaves = noise(32 * 1100, 7);
const layers = levelsByRule(leaves, 11, 'zero');
const lengths = new Uint32Array(600).fill(100);
const messages = noise(100 * 600, 3);
const digests = new Uint8Array(32 * 600);
engine.hashMessages!(messages, lengths, digests);
const messageRoot = levelsByRule(digests, 10, 'zero')[10]!;

/** Every way to a job, with what is right. */
const JOBS: Record<string, (hasher: Hasher) => Promise<readonly [got: Uint8Array, right: Uint8Array]>> = {
  'a layer': async (hasher) => [await hasher.hashPairs(nodes), parents],
  async 'a layer in place'(hasher) {
    const own = nodes.slice();
    return [await hasher.hashPairs(own, own.subarray(0, own.length / 2)), parents];
  },
  'a root': async (hasher) => [await merkleRoot(hasher, leaves), layers[11]!],
  async 'a tree with its layers'(hasher) {
    const tree = await hasher.hashTree(leaves, { levels: 11, keepFrom: 0 });
    return [Buffer.concat(tree.layers), Buffer.concat(layers)];
  },
  'a tree of messages': async (hasher) => [await merkleRoot(hasher, { messages, lengths }), messageRoot],
  'messages alone': async (hasher) => [await hasher.hashMessages(messages, lengths), digests],
};
const NAMES = Object.keys(JOBS);

async function expectRight(hasher: Hasher, job: string): Promise<void> {
  const [got, right] = await JOBS[job]!(hasher);
  expectBytes(got, right, job);
}

describe('a GPU that fails, under auto', () => {
  const faults: readonly Fault[] = ['throws', 'out-of-memory', 'internal', 'loses'];

  it.each(faults)('at any call that %s: the CPU answers', { timeout: 300_000 }, async (fault) => {
    let onCpu = 0;
    for (let step = 0, reached = true; reached; step++) {
      const options: Options = {};
      const hasher = await open({ gpu: new FakeGpu(options), crossCheck: 'off' });
      expect(hasher.info).toMatchObject({ gpu: { software: false } });
      let calls = 0;
      reached = false;
      options.fault = () => {
        if (calls++ !== step) return undefined;
        reached = true;
        return fault;
      };
      await expectRight(hasher, NAMES[step % NAMES.length]!);
      const { counters, gpuRefused } = hasher.info;
      if (counters.hashesCpu) onCpu++;
      // A lost device is opened again; what is not known to pass is not tried again, and says so.
      if (fault === 'loses') expect(gpuRefused).toBeUndefined();
      else if (fault !== 'out-of-memory' && counters.hashesCpu) expect(gpuRefused).toMatch(/^[A-Z_]+: /);
      options.fault = undefined;
      await expectRight(hasher, 'a root');
      await hasher.close();
    }
    expect(onCpu).toBeGreaterThan(3);
  });

  it('while it is opened: the CPU alone', async () => {
    const hasher = await open({ gpu: new FakeGpu({ fault: () => 'throws' }) });
    expect(hasher.info.gpu).toBeUndefined();
    expect(hasher.info.gpuRefused).toContain('KERNEL_COMPILE');
    for (const job of NAMES) await expectRight(hasher, job);
    await hasher.close();
    const refused = open({ gpu: new FakeGpu({ fault: () => 'throws' }), backend: 'gpu' });
    await expect(refused).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      cause: { code: 'KERNEL_COMPILE' },
    });
  });
});

describe('a device of the user that is lost', () => {
  it.each(['unknown', 'destroyed'])('(%s) is not replaced', async (reason) => {
    const fake = new FakeGpu();
    const device = await fake.device();
    const strict = await open({ gpu: device, backend: 'gpu' });
    const auto = await open({ gpu: device });
    await expectRight(strict, 'a root');
    device.lose(reason);
    await device.lost;
    for (const job of NAMES) {
      await expect(JOBS[job]!(strict), job).rejects.toMatchObject({ code: 'DEVICE_LOST' });
      await expectRight(auto, job);
    }
    expect(auto.info.counters.hashesGpu).toBe(0);
    expect(fake.devices.length).toBe(1);
    await Promise.all([strict.close(), auto.close()]);
    await expect(open({ gpu: device, backend: 'gpu' })).rejects.toMatchObject({
      cause: { code: 'DEVICE_LOST' },
    });
    const next = await open({ gpu: await fake.device(), backend: 'gpu' });
    await expectRight(next, 'a root');
    await next.close();
  });
});

describe.each(['auto', 'gpu'] as const)('a GPU that computes wrong digests, under %s', (backend) => {
  const flip = (digest: Uint8Array): void => {
    digest[31]! ^= 1;
  };

  it.each(['sample', 'full'] as const)('is caught by the check %s', async (crossCheck) => {
    for (const job of NAMES) {
      const options: Options = {};
      const hasher = await open({ gpu: new FakeGpu(options), backend, crossCheck });
      await expectRight(hasher, job);
      options.spoil = flip;
      await expect(JOBS[job]!(hasher), job).rejects.toMatchObject({ code: 'CROSS_CHECK_MISMATCH' });
      expect(hasher.info.gpuRefused).toContain('CROSS_CHECK_MISMATCH');
      if (backend === 'auto') {
        const before = hasher.info.counters.hashesGpu;
        for (const later of NAMES) await expectRight(hasher, later);
        expect(hasher.info.counters.hashesGpu).toBe(before);
      } else {
        options.spoil = undefined;
        await expectRight(hasher, job);
      }
      await hasher.close();
    }
  });

  it('in one node alone is caught by the check full', async () => {
    for (const job of NAMES) {
      const options: Options = {};
      const hasher = await open({ gpu: new FakeGpu(options), backend, crossCheck: 'full' });
      await expectRight(hasher, job);
      let left = 5;
      options.spoil = (digest) => {
        if (left-- === 0) flip(digest);
      };
      await expect(JOBS[job]!(hasher), job).rejects.toMatchObject({ code: 'CROSS_CHECK_MISMATCH' });
      await hasher.close();
    }
  });

  it('leaves none of them behind', async () => {
    const options: Options = {};
    const hasher = await open({ gpu: new FakeGpu(options), backend });
    options.spoil = flip;
    const out = new Uint8Array(32 * PAIRS);
    await expect(hasher.hashPairs(nodes, out)).rejects.toMatchObject({ code: 'CROSS_CHECK_MISMATCH' });
    expect(out.every((byte) => byte === 0)).toBe(true);
    await hasher.close();
  });
});

describe('a check of wrong digests that is off', () => {
  it('lets them pass', async () => {
    const options: Options = {};
    const hasher = await open({ gpu: new FakeGpu(options), backend: 'gpu', crossCheck: 'off' });
    options.spoil = (digest) => digest.fill(0);
    expect((await hasher.hashPairs(nodes)).every((byte) => byte === 0)).toBe(true);
    expect(hasher.info.counters.hashesCpu).toBe(0);
    await hasher.close();
  });
});
