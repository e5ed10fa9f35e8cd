import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest, toHex } from '../../src/bytes.ts';
import { decodeElements } from '../../src/hash/elements.ts';
import { hashes } from '../../src/hash/registry.ts';
import type { HashModule, HashSpec } from '../../src/hash/types.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { treeSuite } from '../../src/testing/tree-suite.ts';
import { verifyAbsence, verifyMembership } from '../../src/tree/indexed/verify.ts';
import { type IndexedScheme, IndexedTree } from '../../src/tree/indexed.ts';
import { bytesOf, NaiveIndexedTree } from '../support/naive-indexed.ts';
import { naiveLeaves } from '../support/naive-tree.ts';
import { stores } from '../support/stores.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

/** Sizes of the batches: a page, more than one, several. */
const BATCHES = [1, 2, 20, 5, 3, 40];

function batch(step: number): Digest {
  const first = BATCHES.slice(0, step).reduce((sum, count) => sum + count, 0);
  const values = naiveLeaves(first + BATCHES[step]!, 'indexed').slice(first);
  return concatBytes(...values, new Uint8Array(32));
}

for (const [name, openStore] of stores) {
  treeSuite({ describe, it, expect }, `indexed tree over ${name}`, openStore, async (store, tree) => {
    const opened = await IndexedTree.open(hasher, store, { depth: 20, scheme: 'typescript', name: tree });
    return {
      change: (step, options) =>
        step % 2 ? opened.insertSequential(batch(step), options) : opened.insert(batch(step), options),
      async state() {
        const root = toHex(await opened.root());
        const value = batch(0).subarray(0, 32);
        const zero = await opened.prove(new Uint8Array(32));
        const low = await opened.proveAbsence(bytesOf(7n));
        const first = await opened.get(value);
        const paths = [zero, low].map(({ index, siblings }) => [index, ...siblings.map(toHex)]);
        return { root, size: opened.size, index: first?.index, paths };
      },
    };
  });
}

describe('indexed tree with every hash', () => {
  /** The value that the tree orders as this integer. */
  const encoded = ({ input }: HashSpec, value: bigint): Digest => {
    const bytes = bytesOf(value);
    return input !== 'bytes' && input.order === 'le' ? bytes.reverse() : bytes;
  };
  /** The definition with another hash under it. */
  const rootOf = (
    spec: HashSpec,
    module: HashModule,
    model: NaiveIndexedTree,
    scheme: IndexedScheme,
  ): Digest => {
    const leafOf = (row: Digest): Digest =>
      spec.input === 'bytes' ? module.hash!(row) : module.hashElements!(decodeElements(row, spec.input));
    const zero = scheme === 'pr' ? leafOf(new Uint8Array(96)) : spec.zero;
    let layer: Digest[] = Array.from({ length: 2 ** model.depth }, (_, i) => {
      const leaf = model.leaves[i];
      if (!leaf) return zero;
      const [value, next, index] = [leaf.value, leaf.nextValue, BigInt(leaf.nextIndex)];
      const fields = scheme === 'pr' ? [value, index, next] : [value, next, index];
      return leafOf(concatBytes(...fields.map((field) => encoded(spec, field))));
    });
    while (layer.length > 1) {
      layer = Array.from({ length: layer.length / 2 }, (_, i) =>
        module.hashPair(layer[2 * i]!, layer[2 * i + 1]!),
      );
    }
    return layer[0]!;
  };

  for (const spec of hashes.values()) {
    const separated = spec.id.includes('-sep-');
    it.each<IndexedScheme>(separated ? ['separated'] : ['typescript', 'pr'])(
      `${spec.id}, %s`,
      async (scheme) => {
        const module = await spec.load();
        const own = await createHasher(spec, { backend: 'cpu', threads: 0 });
        const depth = 4;
        const tree = await IndexedTree.open(own, memoryStore(), { depth, scheme });
        const model = new NaiveIndexedTree(depth, 1);
        // Ordered by the last 64-bit element first, whose lower bits are all ones.
        const high = 0x00ff_ffffn << 192n;
        for (const list of [[high + 5n, 7n << 64n, 1n], [0n, high + 3n, 9n], [2n << 128n]]) {
          await tree.insert(concatBytes(...list.map((value) => encoded(spec, value))));
          model.batch(list.map((value) => [value]));
        }
        const root = await tree.root();
        expect(toHex(root)).toBe(toHex(rootOf(spec, module, model, scheme)));
        const [present, absent] = [high + 5n, high + 4n].map((value) => encoded(spec, value));
        const claim = { root, depth, scheme };
        const member = await tree.prove(present!);
        expect(verifyMembership(own, { ...claim, value: present! }, member)).toBe(true);
        const proof = await tree.proveAbsence(absent!);
        expect(toHex(proof.leaf.value)).toBe(toHex(encoded(spec, high + 3n)));
        expect(verifyAbsence(own, { ...claim, value: absent! }, proof)).toBe(true);
        expect(verifyAbsence(own, { ...claim, value: present! }, proof)).toBe(false);
        await own.close();
      },
    );
  }
});

describe('indexed tree on other hashers', () => {
  const list = [...naiveLeaves(600, 'threads')];
  const model = new NaiveIndexedTree(12, 1);

  const grow = async (own: Hasher): Promise<string[]> => {
    const tree = await IndexedTree.open(own, memoryStore(), { depth: 12, scheme: 'typescript' });
    await tree.insert(concatBytes(...list.slice(0, 1)));
    const batch = await tree.insert(concatBytes(...list.slice(1)));
    await own.close();
    return [toHex(batch.root), ...batch.lowLeafWitnesses.flatMap(({ siblings }) => siblings.map(toHex))];
  };
  const expected = (): string => {
    model.batch([[BigInt(toHex(list[0]!))]]);
    model.batch(list.slice(1).map((value) => [BigInt(toHex(value))]));
    return toHex(model.root);
  };

  it('threads', async () => {
    const [one, two] = [0, 1].map((threads) => createHasher('sha256', { backend: 'cpu', threads }));
    const alone = await grow(await one!);
    expect(alone[0]).toBe(expected());
    expect(await grow(await two!)).toEqual(alone);
  });

  it('[gpu] the GPU', async () => {
    const gpu = await createHasher('sha256', { backend: 'gpu' });
    const alone = await grow(await createHasher('sha256', { backend: 'cpu', threads: 0 }));
    expect(await grow(gpu)).toEqual(alone);
  });
});
