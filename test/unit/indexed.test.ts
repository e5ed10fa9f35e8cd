import { beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/bytes.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { randomNumbers } from '../../src/testing/runner.ts';
import { replayBatch } from '../../src/tree/indexed/replay.ts';
import { verifyAbsence, verifyMembership } from '../../src/tree/indexed/verify.ts';
import {
  type IndexedLeaf,
  type IndexedOptions,
  type IndexedProof,
  IndexedTree,
} from '../../src/tree/indexed.ts';
import {
  bytesOf,
  NaiveIndexedTree,
  type NaiveLeaf,
  type NaiveWitness,
  pathHashes,
} from '../support/naive-indexed.ts';
import { naiveZero } from '../support/naive-tree.ts';

let hasher: Hasher;
beforeAll(async () => {
  hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
  return () => hasher.close();
});

const values = (...list: readonly (number | bigint)[]): Uint8Array =>
  concatBytes(...list.map((value) => bytesOf(BigInt(value))));
const hashes = (): number => hasher.info.counters.hashesCpu;
const open = (options: Partial<IndexedOptions> = {}, store: NodeStore = memoryStore()) =>
  IndexedTree.open(hasher, store, { depth: 8, scheme: 'typescript', ...options });

const MAX = (1n << 256n) - 1n;
const number = (bytes: Uint8Array): bigint => BigInt(toHex(bytes));

function naive({ value, data, nextIndex, nextValue }: IndexedLeaf): NaiveLeaf {
  const leaf = { value: number(value), nextIndex: Number(nextIndex), nextValue: number(nextValue) };
  return data ? { ...leaf, data: number(data) } : leaf;
}
const written = ({ leaf, index, siblings }: NaiveWitness) => ({
  leaf,
  index,
  siblings: siblings.map(toHex),
});
const writtenProof = ({ leaf, index, siblings }: IndexedProof) =>
  written({ leaf: naive(leaf), index: Number(index), siblings });

/** What can be seen of all leaves: found by value, at their places. */
async function leavesOf(tree: IndexedTree, model: NaiveIndexedTree): Promise<(NaiveLeaf | undefined)[]> {
  const found = await Promise.all(model.leaves.map((leaf) => leaf && tree.get(bytesOf(leaf.value))));
  return found.map((leaf, i) => (leaf && leaf.index === i ? naive(leaf.leaf) : undefined));
}

describe('indexed tree', () => {
  it('keeps the list of the worked examples', async () => {
    const tree = await open({ depth: 3 });
    for (const value of [30, 10, 20, 50]) await tree.insert(values(value));
    const leaves = await Promise.all(
      [0, 30, 10, 20, 50].map(async (value) => naive((await tree.get(values(value)))!.leaf)),
    );
    expect(leaves.map(({ value, nextIndex, nextValue }) => [value, nextIndex, nextValue])).toEqual([
      [0n, 2, 10n],
      [30n, 4, 50n],
      [10n, 3, 20n],
      [20n, 1, 30n],
      [50n, 0, 0n],
    ]);

    const second = await open({ depth: 3 });
    await second.insert(values(5, 10, 15));
    await second.insert(values(2, 3, 20, 19));
    const list = await Promise.all(
      [0, 5, 10, 15, 2, 3, 20, 19].map(async (value) => naive((await second.get(values(value)))!.leaf)),
    );
    expect(list.map(({ nextIndex, nextValue }) => [nextIndex, Number(nextValue)])).toEqual([
      [4, 2],
      [2, 10],
      [3, 15],
      [7, 19],
      [5, 3],
      [1, 5],
      [0, 0],
      [6, 20],
    ]);
  });

  it('inserts random batches as the definition does: leaves, witnesses, roots', async () => {
    const random = randomNumbers(11);
    const kinds: ((i: number) => bigint)[] = [
      () => BigInt(random(1000)),
      (i) => BigInt(2000 + i),
      (i) => BigInt(9000 - i),
      () => (BigInt(random(2 ** 31)) << 224n) | BigInt(random(2 ** 31)),
      (i) => MAX - BigInt(random(40) + i),
      () => 0n,
    ];
    for (let round = 0; round < 12; round++) {
      const depth = 7;
      const prefill = 1 + random(5);
      const model = new NaiveIndexedTree(depth, prefill);
      const serial = new NaiveIndexedTree(depth, prefill);
      const tree = await open({ depth, prefill });
      const plain = await open({ depth, prefill });
      const sequence = await open({ depth, prefill });
      const known = new Set(model.leaves.map((leaf) => leaf!.value));
      for (let batch = 0; batch < 5; batch++) {
        const entries = Array.from({ length: random(16) }, (_, i) => kinds[random(kinds.length)]!(i)).filter(
          (value) => value === 0n || (!known.has(value) && known.add(value)),
        );
        const size = tree.size;
        const before = await tree.root();
        const began = hashes();
        const given = values(...entries);
        const inserted = await tree.insert(given, { subtreeHeight: 0 });
        const cost = hashes() - began;
        const witnesses = model.batch(entries.map((value) => [value]));
        expect(inserted.lowLeafWitnesses.slice(0, witnesses.length).map(writtenProof)).toEqual(
          witnesses.map(written),
        );
        const real = entries.filter((value) => value > 0n).length;
        const positions = witnesses.map(({ index }) => index);
        let pairs = pathHashes(positions, depth, size);
        expect(pairs).toBeLessThanOrEqual(real * depth);
        for (let k = 1; k <= depth && entries.length; k++) {
          pairs += Math.floor((size + entries.length - 1) / 2 ** k) - Math.floor(size / 2 ** k) + 1;
        }
        expect(cost).toBe(pairs + 2 * real);
        expect(toHex(inserted.root)).toBe(toHex(model.root));
        expect(await leavesOf(tree, model)).toEqual(model.leaves);
        const claim = { root: before, size, depth, scheme: 'typescript' } as const;
        expect(await replayBatch(hasher, claim, inserted)).toEqual(inserted.root);
        if (entries.length) {
          // The subtree's place before it is put in: empty, behind the rewrites.
          expect(inserted.subtreeSiblings.length).toBe(depth);
        }

        const start = hashes();
        const state = await plain.insert(given, { witnesses: false });
        expect(hashes() - start).toBeLessThanOrEqual(cost);
        expect(state).toEqual({ root: inserted.root, size: inserted.size });

        const oneByOne = await sequence.insertSequential(given);
        const singles = entries.filter((value) => value > 0n).map((value) => serial.insert(value));
        expect(oneByOne.lowLeafWitnesses.map(writtenProof)).toEqual(singles.map(written));
        expect(toHex(oneByOne.root)).toBe(toHex(serial.root));
        expect(await leavesOf(sequence, serial)).toEqual(serial.leaves);
      }
    }
  });

  it('updates slots, in batches and one by one', async () => {
    const random = randomNumbers(5);
    const options = { depth: 8, prefill: 3, updatable: true };
    const [tree, sequence] = [await open(options), await open(options)];
    const model = new NaiveIndexedTree(8, 3, 0n);
    const serial = new NaiveIndexedTree(8, 3, 0n);
    for (let batch = 0; batch < 8; batch++) {
      const slots = new Set(Array.from({ length: 8 }, () => BigInt(random(30))));
      const entries = [...slots].map((slot): [bigint, bigint] => [slot, slot && BigInt(random(1000))]);
      const given = values(...entries.flat());
      const before = { root: await tree.root(), size: tree.size };
      const inserted = await tree.insert(given, { subtreeHeight: 0 });
      const witnesses = model.batch(entries);
      expect(inserted.lowLeafWitnesses.slice(0, witnesses.length).map(writtenProof)).toEqual(
        witnesses.map(written),
      );
      expect(toHex(inserted.root)).toBe(toHex(model.root));
      const claim = { ...before, depth: 8, scheme: 'typescript', updatable: true } as const;
      expect(await replayBatch(hasher, claim, inserted)).toEqual(inserted.root);

      // One by one a slot may come twice.
      const twice = [...entries, ...entries.map(([slot]): [bigint, bigint] => [slot, slot && 7n])];
      const oneByOne = await sequence.insertSequential(values(...twice.flat()));
      const real = twice.filter(([slot]) => slot > 0n);
      expect(oneByOne.lowLeafWitnesses.map(writtenProof)).toEqual(
        real.map(([slot, data]) => written(serial.insert(slot, data))),
      );
      expect(toHex(oneByOne.root)).toBe(toHex(serial.root));
      expect(sequence.size).toBe(serial.leaves.length);
    }
    const proof = await sequence.prove(values(2));
    const claim = { root: await sequence.root(), depth: 8, scheme: 'typescript', updatable: true } as const;
    const data = proof.leaf.data!;
    expect(verifyMembership(hasher, { ...claim, value: values(2), data }, proof)).toBe(true);
    expect(verifyMembership(hasher, { ...claim, value: values(2), data: values(12345) }, proof)).toBe(false);
    expect(() => verifyMembership(hasher, { ...claim, value: values(2) }, proof)).toThrow(/^data: /);
  });

  it('never takes padding for a low leaf, with one leaf to begin with', async () => {
    const tree = await open();
    const model = new NaiveIndexedTree(8, 1);
    for (const batch of [[100n, 0n, 300n], [0n, 0n], [50n], [0n, 40n, 0n, 60n]]) {
      await tree.insert(values(...batch));
      model.batch(batch.map((value) => [value]));
      expect(toHex(await tree.root())).toBe(toHex(model.root));
    }
    expect(await leavesOf(tree, model)).toEqual(model.leaves);
    const { sortedValues, originalIndices } = await tree.insert(values(0, 41, 0, 42, 0));
    expect(toHex(sortedValues)).toBe(toHex(values(42, 41, 0, 0, 0)));
    expect(originalIndices).toEqual([3, 1, 0, 2, 4]);
    expect((await tree.get(values(0)))?.index).toBe(0);
    expect((await tree.proveAbsence(values(39))).index).toBe(0);
  });

  it('hashes each changed node once without witnesses', async () => {
    const tree = await open({ depth: 10, prefill: 4 });
    const began = hashes();
    // One low leaf, rewritten 16 times; its path and that of the new leaves meet below the root.
    await tree.insert(values(...Array.from({ length: 16 }, (_, i) => 1000 + i)), { witnesses: false });
    const leaves = 1 + 16;
    // Positions 3 to 19: their parents level by level, the root ten levels up.
    const pairs = 9 + 5 + 3 + 2 + 6;
    expect(hashes() - began).toBe(leaves + pairs);
  });

  it('begins with its prefilled leaves, written at once', async () => {
    for (const prefill of [1, 2, 16, 100, 128]) {
      const store = memoryStore();
      const tree = await open({ depth: 7, prefill }, store);
      expect(tree.size).toBe(prefill);
      expect(toHex(await tree.root())).toBe(toHex(new NaiveIndexedTree(7, prefill).root));
      expect((await open({ depth: 7 }, store)).size).toBe(prefill);
    }
  });

  it('fills up, and refuses what does not fit', async () => {
    const tree = await open({ depth: 3 });
    await tree.insert(values(5, 0, 6));
    const root = await tree.root();
    const full = { code: 'TREE_FULL', message: 'the tree has room for 4 leaves, got 5' };
    await expect(tree.insert(values(1, 2, 3, 7, 8))).rejects.toMatchObject(full);
    await expect(tree.insertSequential(values(1, 2, 3, 7, 8))).rejects.toMatchObject(full);
    await expect(tree.insert(values(0, 0, 0, 0, 0))).rejects.toMatchObject(full);
    expect(await tree.root()).toEqual(root);
    expect((await tree.insertSequential(values(1, 0, 2, 0, 0, 0, 3))).size).toBe(7);
    expect((await tree.insert(values(0))).size).toBe(8);
    await expect(tree.insert(values(9))).rejects.toMatchObject({ code: 'TREE_FULL' });
    expect((await tree.insert(values())).size).toBe(8);
    expect((await tree.proveAbsence(values(9))).index).toBe(3);
  });

  it('is as it was behind a refused batch', async () => {
    const tree = await open({ depth: 10 });
    const twin = await open({ depth: 10 });
    await tree.insert(values(10, 20, 30));
    await twin.insert(values(10, 20, 30));
    for (const refused of [values(5, 20), values(7, 7), values(8, 10, 9), values(30), values(1, 2, 1)]) {
      await expect(tree.insert(refused)).rejects.toMatchObject({ code: 'KEY_EXISTS' });
      await expect(tree.insertSequential(refused)).rejects.toMatchObject({ code: 'KEY_EXISTS' });
      expect(tree.size).toBe(4);
      expect(await tree.root()).toEqual(await twin.root());
    }
    for (const value of [5, 7, 8, 9, 1]) expect(await tree.get(values(value))).toBe(undefined);
    expect(await tree.insert(values(5, 7, 25))).toEqual(await twin.insert(values(5, 7, 25)));
  });

  it('proves across its whole depth', async () => {
    for (const depth of [1, 2, 5, 31, 33, 53, 64]) {
      const tree = await open({ depth });
      const scheme = 'typescript';
      const { root } = await tree.insert(values(77));
      for (const value of [values(77), values(0)]) {
        const proof = await tree.prove(value);
        expect(proof.siblings.length).toBe(depth);
        expect(verifyMembership(hasher, { root, depth, scheme, value }, proof)).toBe(true);
      }
      const above = await tree.proveAbsence(values(78));
      expect(verifyAbsence(hasher, { root, depth, scheme, value: values(78) }, above)).toBe(true);
      if (depth > 1) expect(toHex(above.siblings[1]!)).toBe(toHex(naiveZero(1)));
    }
  });

  it('copies what it is given and gives away what it returns', async () => {
    const tree = await open();
    const given = values(3, 4);
    const inserting = tree.insert(given);
    given.fill(9);
    const batch = await inserting;
    const root = toHex(batch.root);
    const proof = await tree.prove(values(4));
    for (const { leaf, siblings } of [...batch.lowLeafWitnesses, proof]) {
      for (const bytes of [leaf.value, leaf.nextValue, ...siblings]) bytes.fill(7);
    }
    batch.root.fill(7);
    batch.sortedValues.fill(7);
    expect(toHex(await tree.root())).toBe(root);
    const again = await tree.prove(values(4));
    const claim = { root: fromHex(root), depth: 8, scheme: 'typescript', value: values(4) } as const;
    expect(verifyMembership(hasher, claim, again)).toBe(true);
  });

  it('reports progress, and can be stopped at every level', async () => {
    const tree = await open({ depth: 16 });
    const many = values(...Array.from({ length: 100 }, (_, i) => 3 * i + 1));
    const root = await tree.root();
    for (let level = 0; level < 16; level++) {
      const stop = new AbortController();
      let seen = 0;
      const onProgress = () => void (seen++ === level && stop.abort());
      const stopped = tree.insert(many, { signal: stop.signal, onProgress });
      await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
      expect(await tree.root()).toEqual(root);
    }
    const done: number[] = [];
    await tree.insert(many, { onProgress: (progress) => done.push(progress.done) });
    expect(done.length).toBe(16);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(done.at(-1)).toBe(100);
  });

  it('takes two insertions at once in some order', async () => {
    const store = memoryStore();
    const handles = [await open({}, store), await open({}, store)];
    const settled = await Promise.allSettled([
      handles[0]!.insert(values(10, 30, 20)),
      handles[1]!.insert(values(15, 25)),
      handles[0]!.insert(values(26, 15)),
      handles[1]!.proveAbsence(values(99)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    const model = new NaiveIndexedTree(8, 1);
    model.batch([[10n], [30n], [20n]]);
    model.batch([[15n], [25n]]);
    for (const handle of handles) expect(toHex(await handle.root())).toBe(toHex(model.root));
  });
});
