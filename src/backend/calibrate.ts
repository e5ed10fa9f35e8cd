/**
 * From how many hashes a job is faster on the GPU: measured once per adapter, hash and number of threads.
 */
import { DIGEST_BYTES } from '../bytes.js';
import type { Backend } from './types.js';

const measured = new Map<string, Promise<number>>();

/** Sizes that separate what a job costs at all from what each hash costs. */
const SMALL = 2 ** 8;
const LARGE = 2 ** 14;
const ROUNDS = 3;

/**
 * The crossover in hashes; `Infinity` where the GPU never wins.
 *
 * @param key what the figure depends on.
 * @param open backends of their own, so that calibration shows in nobody's counters.
 */
export function measureThreshold(
  key: string,
  open: () => Promise<{ readonly cpu: Backend; readonly gpu: Backend }>,
): Promise<number> {
  const known = measured.get(key);
  if (known) return known;
  const pending = measure(open);
  measured.set(key, pending);
  // A failure is not remembered: the next job tries again.
  pending.catch(() => measured.delete(key));
  return pending;
}

async function measure(
  open: () => Promise<{ readonly cpu: Backend; readonly gpu: Backend }>,
): Promise<number> {
  const { cpu, gpu } = await open();
  try {
    const [gpuSmall, gpuLarge] = [await seconds(gpu, SMALL), await seconds(gpu, LARGE)];
    const cpuLarge = await seconds(cpu, LARGE);
    return crossover(gpuSmall, gpuLarge, cpuLarge);
  } finally {
    await Promise.all([cpu.close(), gpu.close()]);
  }
}

/** Where a line through two GPU times meets a CPU line through the origin, in hashes. */
export function crossover(gpuSmall: number, gpuLarge: number, cpuLarge: number): number {
  const gpuEach = Math.max(0, (gpuLarge - gpuSmall) / (LARGE - SMALL));
  const gpuFixed = Math.max(0, gpuSmall - gpuEach * SMALL);
  const cpuEach = cpuLarge / LARGE;
  return cpuEach > gpuEach ? Math.ceil(gpuFixed / (cpuEach - gpuEach)) : Number.POSITIVE_INFINITY;
}

/** Fastest of a few rounds, after one that warms up. */
async function seconds(backend: Backend, pairs: number): Promise<number> {
  const nodes = new Uint8Array(pairs * 2 * DIGEST_BYTES);
  const out = new Uint8Array(pairs * DIGEST_BYTES);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= ROUNDS; round++) {
    const began = performance.now();
    await backend.pairs({ nodes, out, samples: 0 });
    if (round > 0) best = Math.min(best, (performance.now() - began) / 1000);
  }
  return best;
}
