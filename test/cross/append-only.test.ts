import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest, toHex } from '../../src/bytes.ts';
import { hashes } from '../../src/hash/registry.ts';
import type { HashSpec } from '../../src/hash/types.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { treeSuite } from '../../src/testing/tree-suite.ts';
import { AppendOnlyTree } from '../../src/tree/append-only.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { naiveLeaves, naiveRoot } from '../support/naive-tree.ts';
import { stores } from '../support/stores.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

/** Sizes of the batches: within a page, over its end, over several. */
const BATCHES = [1, 2, 70, 5, 3, 200];

function batch(step: number): Digest {
  const first = BATCHES.slice(0, step).reduce((sum, count) => sum + count, 0);
  return concatBytes(...naiveLeaves(first + BATCHES[step]!, 'suite').slice(first));
}

for (const [name, openStore] of stores) {
  treeSuite({ describe, it, expect }, `append-only tree over ${name}`, openStore, async (store, tree) => {
    const opened = await AppendOnlyTree.open(hasher, store, { depth: 20, name: tree });
    return {
      change: (step, options) => opened.append(batch(step), options),
      async state() {
        const root = toHex(await opened.root());
        const proof = await opened.prove(Math.max(0, Number(opened.size) - 1));
        return { root, size: opened.size, siblings: proof.siblings.map(toHex), leaf: toHex(proof.leaf) };
      },
    };
  });
}

describe('append-only tree with every hash', () => {
  /** Random digests that every hash of this input takes. */
  const digests = ({ input }: HashSpec, count: number): Digest => {
    const bytes = new Uint8Array(randomBytes(32 * count));
    if (input === 'bytes') return bytes;
    const top = input.order === 'be' ? 0 : input.elementBytes - 1;
    for (let i = top; i < bytes.length; i += input.elementBytes) bytes[i] = 0;
    return bytes;
  };

  for (const spec of hashes.values()) {
    it(spec.id, async () => {
      const { hashPair } = await spec.load();
      const own = await createHasher(spec, { backend: 'cpu', threads: 0 });
      const depth = 5;
      const leaves = digests(spec, 11);
      const tree = await AppendOnlyTree.open(own, memoryStore(), { depth });
      for (const [from, to] of [
        [0, 3],
        [3, 4],
        [4, 11],
      ]) {
        await tree.append(leaves.subarray(32 * from!, 32 * to!));
      }
      let layer = concatBytes(leaves, ...Array<Digest>(21).fill(spec.zero));
      for (let level = 0; level < depth; level++) {
        const parents = new Uint8Array(layer.length / 2);
        for (let i = 0; i < parents.length; i += 32) {
          parents.set(hashPair(layer.subarray(2 * i, 2 * i + 32), layer.subarray(2 * i + 32, 2 * i + 64)), i);
        }
        layer = parents;
      }
      const root = await tree.root();
      expect(toHex(root)).toBe(toHex(layer));
      const { leaf, siblings } = await tree.prove(7);
      expect(verifyProof(own, { root, leaf, index: 7, depth }, siblings)).toBe(true);
      await own.close();
    });
  }
});

describe('append-only tree on other hashers', () => {
  const leaves = naiveLeaves(3000);
  const root = naiveRoot(leaves, 14, 'zero');

  const grow = async (own: Hasher): Promise<Uint8Array> => {
    const tree = await AppendOnlyTree.open(own, memoryStore(), { depth: 14 });
    await tree.append(concatBytes(...leaves.slice(0, 1001)));
    await tree.append(concatBytes(...leaves.slice(1001)));
    await own.close();
    return await tree.root();
  };

  it('threads', async () => {
    expect(await grow(await createHasher('sha256', { backend: 'cpu', threads: 1 }))).toEqual(root);
  });

  it('[gpu] the GPU', async () => {
    expect(await grow(await createHasher('sha256', { backend: 'gpu' }))).toEqual(root);
  });
});
