/** Sparse trees against vectors of Monotree 0.4, celestia's tree and the Jellyfish tree. */
import { afterAll, describe, expect, it } from 'vitest';
import type { HashId } from '../../src/hash/registry.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { MONOTREE_HEAD_KEY } from '../../src/tree/sparse/hash-shelf.ts';
import {
  fromMonotreeNodes,
  toMonotreeProof,
  verifyMonotreeProof,
} from '../../src/tree/sparse/monotree-proof.ts';
import { toSiblingsProof, verifySiblingsProof } from '../../src/tree/sparse/siblings-proof.ts';
import { verifySparseProof } from '../../src/tree/sparse/verify.ts';
import { SparseTree } from '../../src/tree/sparse.ts';
import {
  bytes,
  extremeEntries,
  hex,
  layoutVectors,
  otherKey,
  otherValue,
  treeVectors,
  vectorKey,
  vectorLeaf,
} from '../support/sparse-vectors.ts';

/** The largest sets that every run builds, and the ones of the whole matrix. */
const MOST_ENTRIES = process.env.CAMBIUM_TEST_ALL === '1' ? 100_000 : 10_000;

const all = 100_000;
const keys = new Uint8Array(32 * all);
const leaves = new Uint8Array(32 * all);
let made = 0;
const firstEntries = (count: number) => {
  for (; made < count; made++) {
    keys.set(vectorKey(made), 32 * made);
    leaves.set(vectorLeaf(made), 32 * made);
  }
  return [keys.subarray(0, 32 * count), leaves.subarray(0, 32 * count)] as const;
};

const hashers = new Map<HashId, Hasher>();
for (const id of treeVectors.keys()) hashers.set(id, await createHasher(id, { backend: 'cpu', threads: 0 }));
afterAll(() => Promise.all([...hashers.values()].map((hasher) => hasher.close())));

const cases = [...treeVectors].flatMap(([id, vectors]) =>
  (['canonical', 'monotree'] as const).map((layout) => ({ id, layout, vectors })),
);

describe.each(cases)('$id, $layout', ({ id, layout, vectors }) => {
  const hasher = hashers.get(id)!;
  const isCanonical = layout === 'canonical';
  const open = (store = memoryStore()) => SparseTree.open(hasher, store, { layout });
  const filled = async (count: number) => {
    const tree = await open();
    await tree.insertMany(...firstEntries(count));
    return tree;
  };

  it('one entry', async () => {
    const store = memoryStore();
    const tree = await open(store);
    const { key, leaf, root, nodeBytes } = vectors.single;
    expect(hex(await tree.insert(bytes(key), bytes(leaf)))).toBe(root);
    if (!isCanonical) expect(hex(store.getSync(bytes(root)))).toBe(nodeBytes);
  });

  it('entries one by one', async () => {
    const tree = await open();
    for (const [i, root] of vectors.cumulative.roots.entries()) {
      expect(hex(await tree.insert(vectorKey(i), vectorLeaf(i)))).toBe(root);
    }
  });

  it('large sets, with one hash less than there are entries', async () => {
    for (const [text, root] of Object.entries(vectors.large.roots)) {
      const count = Number(text);
      if (count > MOST_ENTRIES) continue;
      const tree = await open();
      const before = hasher.info.counters.hashesCpu;
      expect(hex(await tree.insertMany(...firstEntries(count)))).toBe(root);
      expect(hasher.info.counters.hashesCpu - before).toBe(count - 1);
      expect(hex(await tree.get(vectorKey(count - 1)))).toBe(hex(vectorLeaf(count - 1)));
    }
  });

  it('removals, one by one and as one batch', async () => {
    const roots = isCanonical ? vectors.removes.canonicalRoots : vectors.removes.legacyRoots;
    const tree = await filled(64);
    for (const [count, root] of roots.entries()) {
      expect(hex(await tree.root())).toBe(root);
      const other = await filled(64);
      expect(hex(await other.removeMany(firstEntries(count)[0]))).toBe(root);
      if (count < 64) await tree.remove(vectorKey(count));
    }
  });

  it('removals and what is inserted after them', async () => {
    const tree = await filled(64);
    await tree.removeMany(firstEntries(10)[0]);
    expect(hex(await tree.insertMany(...firstEntries(10)))).toBe(vectors.removeThenReinsert.afterReinsert);
    await tree.removeMany(firstEntries(10)[0]);
    const others = Array.from({ length: 10 }, (_, i) => 1000 + i);
    const { canonicalRoot, legacyRoot } = vectors.removeThenInsertOthers;
    expect(hex(await tree.insertMany(others.map(vectorKey), others.map(vectorLeaf)))).toBe(
      isCanonical ? canonicalRoot : legacyRoot,
    );
  });

  it('removal of absent keys changes nothing', async () => {
    const tree = await filled(64);
    for (const { key, expectedRoot, legacyRoot } of vectors.removeAbsent.cases) {
      expect(hex(await tree.remove(bytes(key)))).toBe(expectedRoot);
      expect(expectedRoot).not.toBe(legacyRoot);
    }
  });

  it('extreme keys, with the bytes of every node', async () => {
    for (const extreme of vectors.extremes) {
      const entries = extremeEntries(extreme);
      const store = memoryStore();
      const tree = await open(store);
      expect(hex(await tree.batch(entries.map(([put, leaf]) => ({ put, leaf })))), extreme.name).toBe(
        extreme.root,
      );
      const single = await open();
      for (const [key, leaf] of [...entries].reverse()) await single.insert(key, leaf);
      expect(hex(await single.root()), extreme.name).toBe(extreme.root);
      for (const [key, leaf] of entries) expect(await tree.get(key)).toEqual(leaf);
      if (isCanonical) continue;
      for (const node of extreme.nodes ?? []) expect(hex(store.getSync(bytes(node.hash)))).toBe(node.bytes);
    }
  });

  it('overwriting, and a key twice in a batch', async () => {
    const tree = await filled(16);
    const { before, sameLeaf, changed, restored } = vectors.overwrite;
    expect(hex(await tree.root())).toBe(before);
    expect(hex(await tree.insert(vectorKey(3), vectorLeaf(3)))).toBe(sameLeaf);
    expect(hex(await tree.insert(vectorKey(3), vectorLeaf(1003)))).toBe(changed);
    expect(hex(await tree.insert(vectorKey(3), vectorLeaf(3)))).toBe(restored);
    const twice = Array.from({ length: 16 }, (_, i) => ({ put: vectorKey(i), leaf: vectorLeaf(i) }));
    const last = { put: vectorKey(3), leaf: vectorLeaf(1003) };
    expect(hex(await (await open()).batch([...twice, last]))).toBe(changed);
  });

  it('inserts and removals mixed, one by one and in batches', async () => {
    const { ops, canonicalRoots, legacyRoots } = vectors.mixed;
    const roots = isCanonical ? canonicalRoots : legacyRoots;
    const changes = ops.map((op) =>
      op[0] === 'insert' ? { put: vectorKey(op[1]), leaf: vectorLeaf(op[2]) } : { del: vectorKey(op[1]) },
    );
    const [single, batched] = [await open(), await open()];
    for (const [i, change] of changes.entries()) expect(hex(await single.batch([change]))).toBe(roots[i]);
    for (let start = 0, size = 1; start < changes.length; start += size, size = (size * 3 + 1) % 50) {
      const end = Math.min(changes.length, start + size);
      expect(hex(await batched.batch(changes.slice(start, end)))).toBe(roots[end - 1]);
    }
  });

  it('proofs in the form of Monotree', async () => {
    const tree = await filled(64);
    const { proofs, mustFail, root } = vectors.inclusionProofs;
    for (const { key, leaf, steps } of proofs) {
      const claim = { root: bytes(root), key: bytes(key), leaf: bytes(leaf) };
      const proof = await tree.prove(claim.key);
      const own = toMonotreeProof(proof).map(({ right, cut }) => ({ right, cut: hex(cut) }));
      expect(own).toEqual(steps);
      expect(verifySparseProof(hasher, { ...claim, layout }, proof.path)).toBe(true);
      const given = steps.map(({ right, cut }) => ({ right, cut: bytes(cut) }));
      expect(verifyMonotreeProof(hasher, claim, given)).toBe(true);
    }
    for (const { key, leaf, steps, why } of mustFail) {
      const claim = { root: bytes(root), key: bytes(key), leaf: bytes(leaf) };
      const given = steps.map(({ right, cut }) => ({ right, cut: bytes(cut) }));
      expect(verifyMonotreeProof(hasher, claim, given), why).toBe(false);
    }
  });

  it('absence', async () => {
    const tree = await filled(64);
    const root = bytes(vectors.absence.root);
    for (const { key: text, pathNodes } of vectors.absence.cases) {
      const key = bytes(text);
      expect(await tree.get(key)).toBe(undefined);
      const { path } = await tree.proveAbsence(key);
      expect(hex(fromMonotreeNodes(key, pathNodes.map(bytes)))).toBe(hex(path));
      expect(verifySparseProof(hasher, { root, key, leaf: null, layout }, path)).toBe(true);
      await expect(tree.prove(key)).rejects.toMatchObject({ code: 'KEY_ABSENT' });
    }
  });
});

describe('a database of Monotree', () => {
  const hasher = hashers.get('blake3')!;
  const { root } = treeVectors.get('blake3')!.inclusionProofs;

  it('is read and continued, with its head where Monotree looks for it', async () => {
    const store = memoryStore();
    // What Monotree leaves: nodes under their hash and a head, nothing of this library.
    const source = memoryStore();
    const tree = await SparseTree.open(hasher, source, { layout: 'monotree' });
    await tree.insertMany(...firstEntries(64));
    for await (const [put, value] of source.iterate())
      if (put.length === 32) await store.commit([{ put, value }]);
    expect(hex(store.getSync(MONOTREE_HEAD_KEY))).toBe(root);

    const opened = await SparseTree.open(hasher, store, { layout: 'monotree' });
    expect(hex(await opened.root())).toBe(root);
    expect(hex(await opened.get(vectorKey(7)))).toBe(hex(vectorLeaf(7)));
    const next = await opened.insert(vectorKey(64), vectorLeaf(64));
    expect(hex(store.getSync(MONOTREE_HEAD_KEY))).toBe(hex(next));
    for (let i = 0; i <= 64; i++) await opened.remove(vectorKey(i));
    expect(await opened.root()).toBe(null);
    expect(store.getSync(MONOTREE_HEAD_KEY)).toBe(undefined);
    // Every earlier root is still there.
    expect(hex(await (await opened.at(bytes(root))).get(vectorKey(7)))).toBe(hex(vectorLeaf(7)));
  });
});

describe.each([...layoutVectors])('%s', (layout, vectors) => {
  const hasher = hashers.get('sha256')!;
  const filled = async (count: number) => {
    const tree = await SparseTree.open(hasher, memoryStore(), { layout });
    const numbers = Array.from({ length: count }, (_, i) => i);
    await tree.insertMany(numbers.map(otherKey), numbers.map(otherValue));
    return tree;
  };

  it('roots, from one batch and from single changes', async () => {
    for (const [text, root] of Object.entries(vectors.roots)) {
      const count = Number(text);
      expect(hex(await (await filled(count)).root())).toBe(root);
      if (count > 64) continue;
      const tree = await SparseTree.open(hasher, memoryStore(), { layout });
      for (let i = 0; i < count + 3; i++) await tree.insert(otherKey(i), otherValue(i));
      for (let i = count; i < count + 3; i++) await tree.remove(otherKey(i));
      expect(hex(await tree.root())).toBe(root);
    }
  });

  it('values and their proofs', async () => {
    const tree = await filled(32);
    const root = bytes(vectors.proofTree.root);
    for (const { i, siblingsFromRoot } of vectors.proofTree.inclusion) {
      const [key, leaf] = [otherKey(i), otherValue(i)];
      expect(await tree.get(key)).toEqual(leaf);
      const proof = await tree.prove(key);
      expect(proof.leaf).toEqual(leaf);
      const siblings = toSiblingsProof(hasher, layout, proof);
      expect(siblings.siblings.map(hex)).toEqual(siblingsFromRoot);
      expect(siblings.end).toBe('leaf');
      expect(verifySiblingsProof(hasher, { root, layout, key, leaf }, siblings)).toBe(true);
      expect(verifySiblingsProof(hasher, { root, layout, key: otherKey(99), leaf }, siblings)).toBe(false);
      expect(verifySiblingsProof(hasher, { root, layout, key, leaf: null }, siblings)).toBe(false);
      expect(verifySparseProof(hasher, { root, key, leaf, layout }, proof.path)).toBe(true);
      expect(verifySparseProof(hasher, { root, key, leaf: otherKey(i), layout }, proof.path)).toBe(false);
    }
    for (const { i, siblingsFromRoot, endsAt } of vectors.proofTree.absence) {
      const key = otherKey(i);
      const { path } = await tree.proveAbsence(key);
      expect(verifySparseProof(hasher, { root, key, leaf: null, layout }, path)).toBe(true);
      const siblings = toSiblingsProof(hasher, layout, { key, path });
      const { end } = siblings;
      expect(siblings.siblings.map(hex)).toEqual(siblingsFromRoot);
      if (typeof endsAt === 'string') expect(end).toBe('empty');
      else expect(typeof end === 'object' && hex(end.path)).toBe(endsAt.otherLeafPath);
      expect(verifySiblingsProof(hasher, { root, layout, key, leaf: null }, siblings)).toBe(true);
      expect(verifySiblingsProof(hasher, { root, layout, key: otherKey(7), leaf: null }, siblings)).toBe(
        false,
      );
      const cut = { ...siblings, siblings: siblings.siblings.slice(1) };
      expect(verifySiblingsProof(hasher, { root, layout, key, leaf: null }, cut)).toBe(false);
    }
  });
});
