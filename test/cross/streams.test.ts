/** Streams of any length take the memory of a few chunks, and are read while earlier chunks are hashed. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runScript } from '../support/child.ts';
import { zeroDigests } from '../support/gpu.ts';
import { sha256 } from '../support/naive-tree.ts';

const MIB = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'cambium-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file of zeros, which takes no room on the disk, with one leaf that is none; its name and root. */
async function sparseFile(bytes: number): Promise<{ path: string; root: string }> {
  const path = join(folder, `${bytes}.raw`);
  writeFileSync(path, '');
  truncateSync(path, bytes);
  const index = Math.floor((bytes / 32) * 0.7);
  const leaf = sha256(new TextEncoder().encode('leaf'));
  const file = await open(path, 'r+');
  await file.write(leaf, 0, 32, 32 * index);
  await file.close();
  let node: Uint8Array = leaf;
  zeroDigests(Math.log2(bytes / 32) - 1).forEach((zero, level) => {
    const right = Math.floor(index / 2 ** level) % 2;
    node = right ? sha256(zero, node) : sha256(node, zero);
  });
  return { path, root: Buffer.from(node).toString('hex') };
}

interface Outcome {
  readonly root: string;
  /** Most bytes that were read and not yet hashed. */
  readonly ahead: number;
  /** Most memory of the process. */
  readonly mebibytes: number;
}

/** Streams a file in a process of its own, with reads of an eighth of a chunk. */
async function rootOf(
  path: string,
  backend: 'cpu' | 'gpu',
  chunk: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const { stdout } = await runScript('stream-root', [path, backend, String(chunk / 8)], env);
  return JSON.parse(stdout) as Outcome;
}

const CPU_CHUNK = 2 * MIB;
const GPU_CHUNK = 32 * MIB;
/** With the limits of the mode `tiny-limits`. */
const TINY_CHUNK = 256 * 1024;

/** Two chunks are under way while a third is read; a fourth is not begun. */
function expectOverlap({ ahead }: Outcome, chunk: number): void {
  expect(ahead).toBeGreaterThan(2 * chunk);
  expect(ahead).toBeLessThanOrEqual(3 * chunk + chunk / 8);
}

describe('a file of raw leaves on the CPU', () => {
  it('of 256 MiB takes less memory than it has bytes', { timeout: 300_000 }, async () => {
    const { path, root } = await sparseFile(256 * MIB);
    const outcome = await rootOf(path, 'cpu', CPU_CHUNK);
    expect(outcome.root).toBe(root);
    expect(outcome.mebibytes).toBeLessThan(256);
    expectOverlap(outcome, CPU_CHUNK);
  });
});

describe('[gpu] a file of raw leaves on the GPU', () => {
  it('of one chunk of 32 MiB takes less than 700 MiB', { timeout: 600_000 }, async () => {
    const { path, root } = await sparseFile(32 * MIB);
    const outcome = await rootOf(path, 'gpu', GPU_CHUNK);
    expect(outcome.root).toBe(root);
    expect(outcome.mebibytes).toBeLessThan(700);
  });

  it('of many small chunks is read ahead of two that are under way', { timeout: 300_000 }, async () => {
    const { path, root } = await sparseFile(8 * MIB);
    const outcome = await rootOf(path, 'gpu', TINY_CHUNK, { CAMBIUM_GPU: 'tiny-limits' });
    expect(outcome.root).toBe(root);
    expectOverlap(outcome, TINY_CHUNK);
  });
});

// The GPU takes an hour in software.
const HOURS = 3 * 3_600_000;
if (process.env.CAMBIUM_TEST_ALL === '1') {
  describe.each([
    ['the CPU', 'cpu', CPU_CHUNK],
    ['the GPU [gpu]', 'gpu', GPU_CHUNK],
  ] as const)('a file of 4 GiB on %s', (_, backend, chunk) => {
    it('takes less than 700 MiB', { timeout: HOURS }, async () => {
      const { path, root } = await sparseFile(4096 * MIB);
      const outcome = await rootOf(path, backend, chunk);
      expect(outcome.root).toBe(root);
      expect(outcome.mebibytes).toBeLessThan(700);
      expectOverlap(outcome, chunk);
    });
  });
}
