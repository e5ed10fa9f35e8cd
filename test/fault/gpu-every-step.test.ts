/** Each call on a device fails once, in each way that it can: the right digest or one typed error, and then as before. */
import { describe, expect, it } from 'vitest';
import type { OpenGpu } from '../../src/backend/gpu/index.ts';
import { PIECE_BYTES } from '../../src/backend/gpu/message-plan.ts';
import { CambiumError } from '../../src/errors.ts';
import { expectBytes } from '../support/cpu.ts';
import { FakeGpu, type FakeOptions, type Fault } from '../support/fake-gpu.ts';
import { engine, levelsByRule, noise, openSha256, tryOpen, zeroDigests } from '../support/gpu.ts';

/** Options that are set while the device is in use. */
type Options = { -readonly [K in keyof FakeOptions]: FakeOptions[K] };

const FAULTS: readonly Fault[] = ['throws', 'out-of-memory', 'internal', 'loses'];
const CODES: Partial<Record<Fault, readonly string[]>> = {
  throws: ['BACKEND_UNAVAILABLE', 'KERNEL_COMPILE'],
  'out-of-memory': ['OUT_OF_DEVICE_MEMORY', 'BACKEND_UNAVAILABLE', 'KERNEL_COMPILE'],
  internal: ['BACKEND_UNAVAILABLE', 'KERNEL_COMPILE'],
  loses: ['DEVICE_LOST'],
};

/** Makes call number `step` fail; `reached` says whether there was one. */
function failAt(options: Options, step: number, fault: Fault): { reached: string | undefined } {
  const state: { reached: string | undefined } = { reached: undefined };
  let calls = 0;
  options.fault = (call) => {
    if (calls++ !== step) return undefined;
    state.reached = call;
    return fault;
  };
  return state;
}

const PAIRS = 300;
const nodes = noise(64 * PAIRS);
const parents = new Uint8Array(32 * PAIRS);
engine.hashPairs(nodes, parents);
const leaves = noise(32 * 700, 7);
const layers = levelsByRule(leaves, 10, 'zero');
const lengths = Uint32Array.of(PIECE_BYTES + 1, 0, 3, 64, 200);
const messages = noise(
  lengths.reduce((sum, length) => sum + length, 0),
  3,
);
const digests = new Uint8Array(32 * lengths.length);
engine.hashMessages!(messages, lengths, digests);

/** Jobs of each kind; each resolves with its digests and those that are right. */
const JOBS: Record<string, (gpu: OpenGpu) => Promise<readonly [got: Uint8Array, right: Uint8Array]>> = {
  async pairs({ backend }) {
    const out = new Uint8Array(parents.length);
    await backend.pairs({ nodes, out, samples: 1 });
    return [out, parents];
  },
  async tree({ backend }) {
    const job = { leafCount: 700, levels: 10, padding: 'zero', zeros: zeroDigests(10), samples: 1 } as const;
    const source = { kind: 'digests', digests: leaves } as const;
    const result = await backend.chunk({ ...job, source, keepFrom: 1 });
    return [Buffer.concat(result.layers), Buffer.concat(layers.slice(1))];
  },
  async messages({ backend }) {
    const job = { leafCount: lengths.length, levels: 0, padding: 'none', zeros: [], samples: 1 } as const;
    const result = await backend.chunk({ ...job, source: { kind: 'messages', messages, lengths } });
    return [result.layers[0]!, digests];
  },
};

async function expectRight(gpu: OpenGpu, job: keyof typeof JOBS): Promise<void> {
  const [got, right] = await JOBS[job]!(gpu);
  expectBytes(got, right, job);
}

/** The code of a rejection, or `right`; anything but a right digest or a typed error fails the test. */
async function outcome(work: Promise<void>): Promise<string> {
  try {
    await work;
    return 'right';
  } catch (error) {
    if (error instanceof CambiumError) return error.code;
    throw error;
  }
}

describe.each(FAULTS)('each call in turn %s', (fault) => {
  it('while a hash is opened', { timeout: 300_000 }, async () => {
    const calls = new Set<string>();
    for (let step = 0; ; step++) {
      const options: Options = {};
      const gpu = new FakeGpu(options);
      const state = failAt(options, step, fault);
      const opened = await tryOpen(gpu);
      options.fault = undefined;
      if (state.reached === undefined) break;
      calls.add(state.reached);
      if ('refused' in opened)
        expect(CODES[fault]!, `${step}: ${state.reached}`).toContain(opened.error.code);
      else await opened.backend.close();
      const again = await openSha256(gpu);
      await expectRight(again, 'pairs');
      await again.backend.close();
    }
    expect(calls.size).toBeGreaterThan(10);
  });

  it.each(Object.keys(JOBS))('in a job of %s', { timeout: 300_000 }, async (job) => {
    const calls = new Set<string>();
    for (let step = 0; ; step++) {
      const options: Options = {};
      const gpu = await openSha256(new FakeGpu(options));
      const state = failAt(options, step, fault);
      const code = await outcome(expectRight(gpu, job));
      options.fault = undefined;
      if (state.reached === undefined) break;
      calls.add(state.reached);
      if (code !== 'right') expect(CODES[fault]!, `${step}: ${state.reached}`).toContain(code);
      await expectRight(gpu, job);
      await gpu.backend.close();
    }
    expect(calls.size).toBeGreaterThan(5);
  });
});
