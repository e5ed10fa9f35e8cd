/** Sparse Merkle trees on disk whose process is killed while it writes. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { verifySmtProof } from '../../src/tree/smt/verify.ts';
import { Smt } from '../../src/tree/smt.ts';
import { diskStores } from '../support/disk-stores.ts';
import { endlessEntries, endlessKeys } from '../support/endless-smt.ts';
import { startForever } from '../support/forever.ts';
import { wordHasher } from '../support/word-hasher.ts';

const scheme = 'v0.24';
const KILLS = process.env.CAMBIUM_TEST_ALL === '1' ? 50 : 5;

/** The roots after each step, as they must be; made as far as they are asked for. */
class Expected {
  readonly #roots: string[] = [];
  #tree: Smt | undefined;

  async root(step: number): Promise<string> {
    this.#tree ??= await Smt.open(wordHasher, memoryStore(), { scheme });
    while (this.#roots.length <= step) {
      this.#roots.push(toHex(await this.#tree.insertMany(endlessEntries(this.#roots.length))));
    }
    return this.#roots[step]!;
  }
}

/** The tree in the store is the one after `step` or the step behind it, whole. Returns the step. */
async function checkTree(store: NodeStore, expected: Expected, step: number): Promise<number> {
  const tree = await Smt.open(wordHasher, store, { scheme });
  const root = await tree.root();
  const found = toHex(root) === (await expected.root(step)) ? step : step + 1;
  expect(toHex(root)).toBe(await expected.root(found));
  let present = 0;
  for (const key of endlessKeys) {
    const proof = await tree.prove(key);
    if (proof.value.some((byte) => byte > 0)) present++;
    expect(verifySmtProof(wordHasher, { scheme, root, key, value: proof.value }, proof)).toBe(true);
  }
  expect(tree.size).toBe(present);
  return found;
}

describe.each([...diskStores])('Smt over %s', (kind, open) => {
  it(`is whole after each of ${KILLS} kills`, { timeout: 30_000 + KILLS * 15_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'cambium-smt-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const expected = new Expected();
    let next = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, last } = await startForever('smt-forever', kind, directory, `${next}`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      child.kill('SIGKILL');
      await once(child, 'close');
      const { store, close } = open(directory);
      next = (await checkTree(store, expected, last())) + 1;
      await close();
    }
  });
});
