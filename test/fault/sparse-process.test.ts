/** Sparse trees on disk whose process is killed while it writes. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import type { Hasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { verifySparseMultiproof } from '../../src/tree/sparse/verify.ts';
import { SparseTree } from '../../src/tree/sparse.ts';
import { diskStores } from '../support/disk-stores.ts';
import { endlessChanges, endlessKeys } from '../support/endless-sparse.ts';
import { startForever } from '../support/forever.ts';
import { messageHasher } from '../support/message-hasher.ts';

const hasher = messageHasher as Hasher;
const KILLS = process.env.CAMBIUM_TEST_ALL === '1' ? 50 : 5;
/** A tree is killed this often before the next one begins. */
const KILLS_PER_TREE = 5;

type Layout = 'canonical' | 'monotree';

async function temporary(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cambium-sparse-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The tree after each step, as it must be; made as far as it is asked for. */
class Expected {
  readonly #roots: string[] = [];
  readonly #layout: Layout;
  #tree: SparseTree | undefined;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  async root(step: number): Promise<string> {
    this.#tree ??= await SparseTree.open(hasher, memoryStore(), { layout: this.#layout });
    while (this.#roots.length <= step) {
      this.#roots.push(toHex((await this.#tree.batch(endlessChanges(this.#roots.length)))!));
    }
    return this.#roots[step]!;
  }
}

/** The tree in the store is the one after `step` or the step behind it, whole. Returns the step. */
async function checkTree(
  store: NodeStore,
  layout: Layout,
  expected: Expected,
  step: number,
): Promise<number> {
  const tree = await SparseTree.open(hasher, store, { layout });
  const root = (await tree.root())!;
  const found = toHex(root) === (await expected.root(step)) ? step : step + 1;
  expect(toHex(root)).toBe(await expected.root(found));
  const proof = await tree.proveMany(endlessKeys);
  expect(verifySparseMultiproof(hasher, { root, layout, ...proof }, proof.path)).toBe(true);
  for (const [i, leaf] of proof.leaves.entries()) {
    if (leaf) expect((await tree.value(endlessKeys[i]!))?.length).toBe(32);
  }
  return found;
}

const cases = [...diskStores].flatMap(([kind, open]) =>
  (['canonical', 'monotree'] as const).map((layout) => ({ kind, open, layout })),
);

describe.each(cases)('$layout tree over $kind', ({ kind, open, layout }) => {
  it(`is whole after each of ${KILLS} kills`, { timeout: 30_000 + KILLS * 15_000 }, async () => {
    let directory = '';
    let next = 0;
    const expected = new Expected(layout);
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % KILLS_PER_TREE === 0) {
        directory = await temporary();
        next = 0;
      }
      const { child, last } = await startForever('sparse-forever', kind, directory, layout, `${next}`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      child.kill('SIGKILL');
      await once(child, 'close');
      const { store, close } = open(directory);
      const step = await checkTree(store, layout, expected, last());
      if (kill % 2) await (await SparseTree.open(hasher, store, { layout })).prune();
      const tree = await SparseTree.open(hasher, store, { layout });
      await tree.batch(endlessChanges(step + 1));
      expect(await checkTree(store, layout, expected, step + 1)).toBe(step + 1);
      next = step + 2;
      await close();
    }
  });
});
