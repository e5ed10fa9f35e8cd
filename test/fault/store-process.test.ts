/** What happens to a tree on disk when processes are killed, or come in pairs. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it, onTestFinished } from 'vitest';
import { concatBytes, toHex } from '../../src/bytes.ts';
import { levelStore } from '../../src/store/level.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { AppendOnlyTree } from '../../src/tree/append-only.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { diskStores } from '../support/disk-stores.ts';
import { endlessLeaf, nextSize } from '../support/endless-tree.ts';
import { startForever } from '../support/forever.ts';
import { naiveRoot } from '../support/naive-tree.ts';
import { pairHasher } from '../support/pair-hasher.ts';

const DEPTH = 20;
const KILLS = process.env.CAMBIUM_TEST_ALL === '1' ? 50 : 5;
/** A tree is killed this often before the next one begins, so that it stays small. */
const KILLS_PER_TREE = 5;

const leaves: Uint8Array[] = [];
const firstLeaves = (count: number): Uint8Array[] => {
  while (leaves.length < count) leaves.push(endlessLeaf(leaves.length));
  return leaves.slice(0, count);
};

async function temporary(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'cambium-process-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The tree in the store is one of those that the process committed, whole. Returns its size. */
async function checkTree(store: NodeStore): Promise<number> {
  const tree = await AppendOnlyTree.open(pairHasher, store, { depth: DEPTH });
  const size = Number(tree.size);
  let commit = 0;
  while (commit < size) commit = nextSize(commit);
  expect(commit).toBe(size);
  const root = await tree.root(size);
  expect(toHex(root)).toBe(toHex(naiveRoot(firstLeaves(size), DEPTH, 'zero')));
  for (let index = size % 37; index < size; index += 37) {
    const { leaf, siblings } = await tree.prove(index, size);
    expect(verifyProof(pairHasher, { root, leaf, index, depth: DEPTH }, siblings)).toBe(true);
  }
  return size;
}

describe.each([...diskStores])('tree over %s', (kind, open) => {
  it(`is whole after each of ${KILLS} kills`, { timeout: 30_000 + KILLS * 15_000 }, async () => {
    let directory = '';
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % KILLS_PER_TREE === 0) directory = await temporary();
      const { child, last } = await startForever('append-forever', kind, directory);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      child.kill('SIGKILL');
      await once(child, 'close');
      const { store, close } = open(directory);
      const size = await checkTree(store);
      expect(size).toBeGreaterThanOrEqual(last());
      const tree = await AppendOnlyTree.open(pairHasher, store, { depth: DEPTH });
      await tree.append(concatBytes(...firstLeaves(nextSize(size)).slice(size)));
      expect(await checkTree(store)).toBe(nextSize(size));
      await close();
    }
  });
});

describe('two processes', () => {
  it('cannot share a classic-level database', async () => {
    const directory = await temporary();
    const { child } = await startForever('append-forever', 'classic-level', directory);
    const db = new ClassicLevel(directory);
    const store = levelStore(db);
    const locked = { code: 'STORE_LOCKED' };
    await expect(store.getMany([Uint8Array.of(1)])).rejects.toMatchObject(locked);
    await expect(store.commit([{ del: Uint8Array.of(1) }])).rejects.toMatchObject(locked);
    await expect(AppendOnlyTree.open(pairHasher, store, { depth: DEPTH })).rejects.toMatchObject(locked);
    child.kill('SIGKILL');
    await once(child, 'close');
    await db.open();
    expect(await checkTree(store)).toBeGreaterThan(0);
    await db.close();
  });

  it('share an lmdb environment: one writes, the other reads whole trees', async () => {
    const directory = await temporary();
    const { child } = await startForever('append-forever', 'lmdb', directory);
    const { store, close } = diskStores.get('lmdb')!(directory);
    const sizes = new Set<number>();
    for (let i = 0; i < 20; i++) {
      sizes.add(await checkTree(store));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(sizes.size).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await once(child, 'close');
    await close();
  });
});
