import { describe, expect, it } from 'vitest';
import { answered, describeAdapter } from '../../src/backend/gpu/adapter.ts';
import type { OpenGpu } from '../../src/backend/gpu/index.ts';
import { BufferUsage, type GpuDeviceLike, type GpuLike } from '../../src/backend/gpu/types.ts';
import { toHex } from '../../src/bytes.ts';
import {
  altered,
  alteredGpu,
  dawn,
  engine,
  levelsByRule,
  noise,
  openSha256,
  tryOpen,
  zeroDigests,
} from '../support/gpu.ts';

const unavailable = { error: { code: 'BACKEND_UNAVAILABLE' } };

/** Hashes a layer and a tree, and compares both with OpenSSL. */
async function expectRight({ backend }: OpenGpu, pairs = 700): Promise<void> {
  const nodes = noise(64 * pairs);
  const [out, expected] = [new Uint8Array(32 * pairs), new Uint8Array(32 * pairs)];
  await backend.pairs({ nodes, out, samples: 1 });
  engine.hashPairs(nodes, expected);
  expect(Buffer.compare(out, expected)).toBe(0);
  const leafCount = Math.min(backend.chunkLeaves, 1030);
  const digests = noise(32 * leafCount);
  const levels = Math.ceil(Math.log2(leafCount));
  const job = {
    leafCount,
    levels,
    padding: 'zero',
    zeros: zeroDigests(levels),
    samples: 1,
    keepFrom: 0,
  } as const;
  const { layers } = await backend.chunk({ ...job, source: { kind: 'digests', digests } });
  expect(layers.map(toHex)).toEqual(levelsByRule(digests, levels, 'zero').map(toHex));
}

describe('adapters', () => {
  it('that are missing, refuse, throw or stay silent have a reason', async () => {
    const no = (requestAdapter: unknown): GpuLike => ({ requestAdapter }) as GpuLike;
    expect(await tryOpen(no(async () => null))).toMatchObject(unavailable);
    expect(await tryOpen(no(undefined))).toMatchObject(unavailable);
    const blocked = await tryOpen(
      no(() => {
        throw new Error('blocklisted');
      }),
    );
    expect(blocked).toMatchObject(unavailable);
    expect(blocked).toHaveProperty('refused', expect.stringContaining('blocklisted'));
    await expect(answered('requestAdapter', new Promise(() => {}), 20)).rejects.toThrow(
      'no answer within 20 ms',
    );
    await expect(tryOpen({} as GpuLike)).rejects.toThrow(TypeError);
  });

  it('that are software are known', () => {
    const named = (description: string) =>
      describeAdapter({ vendor: '', architecture: '', device: '', description }, false).software;
    expect(named('llvmpipe (LLVM 15.0.6, 256 bits)')).toBe(true);
    expect(named('Microsoft Basic Render Driver')).toBe(true);
    expect(named('SwiftShader driver 5.0.0')).toBe(true);
    expect(named('NVIDIA H200')).toBe(false);
    expect(named('AMD Radeon RX 6800 XT')).toBe(false);
    expect(describeAdapter(undefined, true).software).toBe(true);
    expect(describeAdapter(undefined, false)).toMatchObject({ vendor: '', software: false });
  });
});

describe('[gpu] limits', () => {
  it.each([
    ['the defaults', { maxBufferSize: 2 ** 28, maxStorageBufferBindingSize: 2 ** 27 }],
    ['bindings of 2 GiB - 1', { maxBufferSize: 2 ** 31 - 1, maxStorageBufferBindingSize: 2 ** 31 - 1 }],
    ['three workgroups a dimension', { maxComputeWorkgroupsPerDimension: 3 }],
    ['one workgroup', { maxComputeWorkgroupsPerDimension: 1 }],
    ['bindings of 4 KiB', { maxStorageBufferBindingSize: 4096 }],
    ['buffers of 64 KiB', { maxBufferSize: 65_536, maxStorageBufferBindingSize: 65_536 }],
  ])('%s: the same digests', async (_, limits) => {
    const gpu = await openSha256(await alteredGpu((device) => device, limits));
    await expectRight(gpu);
    await gpu.backend.close();
  });

  it('that a slow device sets: no submit takes longer than its share', async () => {
    /** Milliseconds that a workgroup takes on this device. */
    const SLOWNESS = 4;
    let groups = 0;
    const submits: number[] = [];
    const slow = await alteredGpu((device) => {
      const queue = altered(device.queue, {
        submit(commands) {
          submits.push(groups);
          groups = 0;
          device.queue.submit(commands);
        },
        async onSubmittedWorkDone() {
          await device.queue.onSubmittedWorkDone();
          await new Promise((resolve) => setTimeout(resolve, SLOWNESS * submits.at(-1)!));
          return undefined;
        },
      });
      const createCommandEncoder: GpuDeviceLike['createCommandEncoder'] = (descriptor) => {
        const encoder = device.createCommandEncoder(descriptor);
        return altered(encoder, {
          beginComputePass() {
            const pass = encoder.beginComputePass();
            return altered(pass, {
              dispatchWorkgroups(x, y = 1) {
                groups += x * y;
                pass.dispatchWorkgroups(x, y);
              },
            });
          },
        });
      };
      return altered(device, { queue, createCommandEncoder });
    });
    const gpu = await openSha256(slow);
    submits.length = 0;
    await gpu.backend.pairs({ nodes: noise(64 * 20_000), out: new Uint8Array(32 * 20_000), samples: 0 });
    expect(submits.length).toBeGreaterThan(4);
    for (const size of submits) expect(size * SLOWNESS).toBeLessThan(160);
    await expectRight(gpu);
    await gpu.backend.close();
  });
});

describe('[gpu] loss', () => {
  it('of the library’s device fails the job under way, and the next one has a new device', async () => {
    const devices: GpuDeviceLike[] = [];
    let pullOut = false;
    const gpu = await openSha256(
      await alteredGpu((device) => {
        devices.push(device);
        const queue = altered(device.queue, {
          submit(commands) {
            device.queue.submit(commands);
            if (pullOut) device.destroy();
          },
        });
        return altered(device, { queue });
      }),
    );
    pullOut = true;
    const out = new Uint8Array(32 * 5000);
    const job = gpu.backend.pairs({ nodes: noise(64 * 5000), out, samples: 0 });
    await expect(job).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    expect(out.every((byte) => byte === 0)).toBe(true);
    pullOut = false;
    await expectRight(gpu);
    expect(devices.length).toBe(2);
    devices[1]!.destroy();
    await devices[1]!.lost;
    await expectRight(gpu);
    expect(devices.length).toBe(3);
    await gpu.backend.close();
  });

  it('of a user’s device is final', async () => {
    const adapter = await (await dawn()).requestAdapter();
    const device = await adapter!.requestDevice();
    const gpu = await openSha256(device);
    await expectRight(gpu);
    device.destroy();
    for (let i = 0; i < 2; i++) await expect(expectRight(gpu)).rejects.toMatchObject({ code: 'DEVICE_LOST' });
    expect(await tryOpen(device)).toMatchObject({ error: { code: 'DEVICE_LOST' } });
    await gpu.backend.close();
  });
});

describe('[gpu] devices', () => {
  it('are shared, and destroyed with the last backend', async () => {
    let destroyed = 0;
    let opened = 0;
    const gpu = await alteredGpu((device) => {
      opened++;
      return altered(device, {
        destroy() {
          destroyed++;
          device.destroy();
        },
      });
    });
    const [one, two] = [await openSha256(gpu), await openSha256(gpu)];
    expect(opened).toBe(1);
    await one.backend.close();
    await one.backend.close();
    expect(destroyed).toBe(0);
    await expectRight(two);
    await two.backend.close();
    expect(destroyed).toBe(1);
    await expect(two.backend.pairs({ nodes: noise(64), out: noise(32), samples: 0 })).rejects.toMatchObject({
      code: 'CLOSED',
    });
  });

  it('of a user are not destroyed, and their buffers are leaves', async () => {
    const adapter = await (await dawn()).requestAdapter();
    const device = await adapter!.requestDevice();
    const gpu = await openSha256(device);
    const digests = noise(32 * 300);
    const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
    const buffer = device.createBuffer({ label: 'leaves', size: digests.length, usage });
    device.queue.writeBuffer(buffer, 0, digests);
    const job = { levels: 9, padding: 'zero', zeros: zeroDigests(9), samples: 1 } as const;
    for (const first of [0, 3]) {
      const { layers } = await gpu.backend.chunk({
        ...job,
        source: { kind: 'device', buffer, byteOffset: 32 * first },
        leafCount: 300 - first,
        keepFrom: 0,
      });
      expect(layers.map(toHex)).toEqual(levelsByRule(digests.subarray(32 * first), 9, 'zero').map(toHex));
    }
    expect(await gpu.read(buffer, 64, 96)).toEqual(digests.slice(64, 160));
    await gpu.backend.close();
    // Still alive: the buffer can be written.
    device.queue.writeBuffer(buffer, 0, digests);
    await device.queue.onSubmittedWorkDone();
    const hidden = device.createBuffer({ label: 'hidden', size: 64, usage: BufferUsage.STORAGE });
    const again = await openSha256(device);
    const source = { kind: 'device', buffer: hidden, byteOffset: 0 } as const;
    await expect(again.backend.chunk({ ...job, source, leafCount: 2 })).rejects.toThrow('COPY_SRC');
    await again.backend.close();
    const other = await openSha256();
    await expect(other.backend.chunk({ ...job, source, leafCount: 2 })).rejects.toThrow(TypeError);
    await other.backend.close();
    device.destroy();
  });
});

describe('[gpu] failures', () => {
  it('of the n-th allocation end in one typed error, and the next job works', async () => {
    let left = Number.POSITIVE_INFINITY;
    const gpu = await openSha256(
      await alteredGpu((device) =>
        altered(device, {
          createBuffer(descriptor) {
            // Beyond the largest size: the device itself refuses it, in its own way.
            return device.createBuffer(left-- > 0 ? descriptor : { ...descriptor, size: 2 ** 52 });
          },
        }),
      ),
    );
    for (let n = 0; n < 8; n++) {
      left = n;
      // A width that no buffer in the pool fits.
      const pairs = 2000 * (n + 1);
      const job = gpu.backend.pairs({
        nodes: noise(64 * pairs),
        out: new Uint8Array(32 * pairs),
        samples: 0,
      });
      const outcome = await job.then(
        () => 'done',
        (error) => error.code as string,
      );
      expect(['done', 'OUT_OF_DEVICE_MEMORY', 'BACKEND_UNAVAILABLE']).toContain(outcome);
      if (n === 0) expect(outcome).not.toBe('done');
      left = Number.POSITIVE_INFINITY;
      await expectRight(gpu, 10);
    }
    await gpu.backend.close();
  });

  it('when asked to stop before, or between submits', async () => {
    const gpu = await openSha256();
    const nodes = noise(64 * 200_000);
    const out = new Uint8Array(32 * 200_000);
    await expect(
      gpu.backend.pairs({ nodes, out, samples: 0, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'ABORTED' });
    const stop = new AbortController();
    const job = gpu.backend.pairs({ nodes, out, samples: 0, signal: stop.signal });
    setTimeout(() => stop.abort(), 30);
    await expect(job).rejects.toMatchObject({ code: 'ABORTED' });
    await expectRight(gpu);
    await gpu.backend.close();
  });
});
