/** Leaves that lie on the user's own device. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BufferUsage } from '../../src/backend/gpu/types.ts';
import { createHasher, type Hasher, type LeafSource } from '../../src/hasher.ts';
import { buildTree, merkleRoot } from '../../src/tree/merkle.ts';
import { expectBytes } from '../support/cpu.ts';
import { levelsByRule, noise } from '../support/gpu.ts';
import { openDevice } from '../support/run-shader.ts';

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
const COUNT = 1500;
const digests = noise(32 * COUNT);
const layers = levelsByRule(digests, 11, 'zero');

let device: GPUDevice;
let other: GPUDevice;
let hasher: Hasher;
beforeAll(async () => {
  [device, other] = [await openDevice(), await openDevice()];
  hasher = await createHasher('sha256', { backend: 'gpu', gpu: device, crossCheck: 'off', threads: 0 });
});
afterAll(async () => {
  await hasher.close();
  device.destroy();
  other.destroy();
});

/** A buffer that holds the first bytes of the leaves. */
function bufferOn(owner: GPUDevice, size = digests.length, usage = STORAGE | COPY_SRC | COPY_DST): GPUBuffer {
  const buffer = owner.createBuffer({ label: 'leaves', size, usage });
  if (usage & COPY_DST) owner.queue.writeBuffer(buffer, 0, digests, 0, size);
  return buffer;
}

describe('[gpu] leaves in a GPU buffer', () => {
  it('make a root, and stay on the device', async () => {
    const before = hasher.info.counters;
    expectBytes(await merkleRoot(hasher, bufferOn(device)), layers[11]!);
    const { bytesUp, bytesDown, hashesCpu } = hasher.info.counters;
    // One zero digest for each odd level.
    expect(bytesUp - before.bytesUp).toBeLessThanOrEqual(11 * 32);
    expect(bytesDown - before.bytesDown).toBe(32);
    expect(hashesCpu).toBe(0);
    const whole = hasher.info.counters.bytesUp;
    expectBytes(
      await merkleRoot(hasher, bufferOn(device, 32 * 1024)),
      levelsByRule(digests.subarray(0, 32 * 1024), 10, 'zero')[10]!,
    );
    expect(hasher.info.counters.bytesUp).toBe(whole);
  });

  it('make trees with layers and proofs', async () => {
    const buffer = bufferOn(device);
    const tree = await hasher.hashTree(buffer, { levels: 11, keepFrom: 0 });
    expectBytes(Buffer.concat(tree.layers), Buffer.concat(layers));
    const built = await buildTree(hasher, buffer);
    expect(built.prove(77)).toEqual((await buildTree(hasher, digests)).prove(77));
    const upper = await buildTree(hasher, buffer, { keepFrom: 4 });
    expect(() => upper.prove(77)).toThrow(RangeError);
  });

  it.each(['sample', 'full'] as const)('pass the check %s', async (crossCheck) => {
    const checked = await createHasher('sha256', { backend: 'gpu', gpu: device, crossCheck, threads: 0 });
    expectBytes(await merkleRoot(checked, bufferOn(device)), layers[11]!);
    expect(checked.info.counters.hashesCpu).toBeGreaterThan(0);
    await checked.close();
  });

  it('of a software device are read back under auto', async () => {
    const auto = await createHasher('sha256', { gpu: device, threads: 0 });
    expectBytes(await merkleRoot(auto, bufferOn(device)), layers[11]!);
    await auto.close();
  });

  it('of no size are no leaves', async () => {
    const empty = bufferOn(device, 0);
    expectBytes(await merkleRoot(hasher, empty), new Uint8Array(32));
  });
});

describe('[gpu] what is refused as a GPU buffer', () => {
  const wrong: [
    what: string,
    make: () => unknown,
    error: typeof TypeError | typeof RangeError,
    text: string,
  ][] = [
    ['one of another device', () => bufferOn(other), TypeError, 'leaves: '],
    ['one without COPY_SRC', () => bufferOn(device, 64, STORAGE | COPY_DST), TypeError, 'COPY_SRC'],
    ['one to be mapped', () => bufferOn(device, 64, MAP_READ | COPY_DST), TypeError, 'COPY_SRC'],
    ['one of 40 bytes', () => bufferOn(device, 40), RangeError, 'multiple of 32'],
    ['a destroyed one', () => bufferOn(device), TypeError, 'leaves: '],
    [
      'a texture',
      () => device.createTexture({ size: [8, 8], format: 'r32uint', usage: 1 }),
      TypeError,
      'leaves: ',
    ],
    ['a likeness', () => ({ size: 64, usage: COPY_SRC, mapAsync() {} }), TypeError, 'leaves: '],
    [
      'a likeness without a size',
      () => ({ size: Number.NaN, usage: COPY_SRC, mapAsync() {} }),
      TypeError,
      'leaves: ',
    ],
    ['nothing', () => null, TypeError, 'leaves: '],
  ];

  it.each(wrong)('%s', async (what, make, error, text) => {
    const source = make();
    if (what === 'a destroyed one') (source as GPUBuffer).destroy();
    const root = merkleRoot(hasher, source as LeafSource);
    await expect(root).rejects.toThrow(error);
    await expect(root).rejects.toThrow(text);
    // It was the caller's mistake: the device goes on.
    expectBytes(await merkleRoot(hasher, bufferOn(device)), layers[11]!);
    expect(hasher.info.gpuRefused).toBeUndefined();
  });

  it('any, where there is no device of the user', async () => {
    const cpu = await createHasher('sha256', { backend: 'cpu', threads: 0 });
    await expect(merkleRoot(cpu, bufferOn(device))).rejects.toThrow(TypeError);
    await cpu.close();
    const own = await createHasher('sha256', { backend: 'gpu', threads: 0 });
    await expect(merkleRoot(own, bufferOn(device))).rejects.toThrow(TypeError);
    await own.close();
  });
});
