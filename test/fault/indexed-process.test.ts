/** What happens to an indexed tree on disk when processes are killed. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { concatBytes, toHex } from '../../src/bytes.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { verifyMembership } from '../../src/tree/indexed/verify.ts';
import { IndexedTree } from '../../src/tree/indexed.ts';
import { diskStores } from '../support/disk-stores.ts';
import { endlessLeaf, nextSize } from '../support/endless-tree.ts';
import { startForever } from '../support/forever.ts';
import { naiveNode } from '../support/naive-indexed.ts';
import { naiveRoot } from '../support/naive-tree.ts';
import { pairHasher } from '../support/pair-hasher.ts';

const DEPTH = 20;
const SCHEME = 'typescript';
const KILLS = process.env.CAMBIUM_TEST_ALL === '1' ? 50 : 5;
const KILLS_PER_TREE = 5;

/** The sorted list over the values of the first positions: what the leaves must be, whatever the batches were. */
function rootAt(size: number): Uint8Array {
  const values = Array.from({ length: size }, (_, i) => (i === 0 ? 0n : BigInt(toHex(endlessLeaf(i)))));
  const order = [...values.keys()].sort((a, b) => (values[a]! < values[b]! ? -1 : 1));
  const nodes: Uint8Array[] = [];
  for (const [rank, index] of order.entries()) {
    const next = order[rank + 1] ?? 0;
    nodes[index] = naiveNode({ value: values[index]!, nextIndex: next, nextValue: values[next]! });
  }
  return naiveRoot(nodes, DEPTH, 'zero');
}

/** The tree in the store is one of those that the process committed, whole. Returns its size. */
async function checkTree(store: NodeStore): Promise<number> {
  const tree = await IndexedTree.open(pairHasher, store, { depth: DEPTH, scheme: SCHEME });
  const { size } = tree;
  let commit = 1;
  while (commit < size) commit = nextSize(commit);
  expect(commit).toBe(size);
  const root = await tree.root();
  expect(toHex(root)).toBe(toHex(rootAt(size)));
  for (let index = 1 + (size % 37); index < size; index += 37) {
    const value = endlessLeaf(index);
    const proof = await tree.prove(value);
    expect(verifyMembership(pairHasher, { root, depth: DEPTH, scheme: SCHEME, value }, proof)).toBe(true);
  }
  return size;
}

describe.each([...diskStores])('indexed tree over %s', (kind, open) => {
  it(`is whole after each of ${KILLS} kills`, { timeout: 30_000 + KILLS * 15_000 }, async () => {
    let directory = '';
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % KILLS_PER_TREE === 0) {
        directory = await mkdtemp(join(tmpdir(), 'cambium-indexed-'));
        const made = directory;
        onTestFinished(() => rm(made, { recursive: true, force: true }));
      }
      const { child, last } = await startForever('insert-forever', kind, directory);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
      child.kill('SIGKILL');
      await once(child, 'close');
      const { store, close } = open(directory);
      const size = await checkTree(store);
      expect(size).toBeGreaterThanOrEqual(last());
      const tree = await IndexedTree.open(pairHasher, store, { depth: DEPTH, scheme: SCHEME });
      const values = Array.from({ length: nextSize(size) - size }, (_, i) => endlessLeaf(size + i));
      await tree.insert(concatBytes(...values));
      expect(await checkTree(store)).toBe(nextSize(size));
      await close();
    }
  });
});
