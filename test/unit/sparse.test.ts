/** What single parts of sparse trees promise. */
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest, digestAt, toHex } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { type MemoryStore, memoryStore } from '../../src/store/memory.ts';
import { MONOTREE_HEAD_KEY } from '../../src/tree/sparse/hash-shelf.ts';
import { toMonotreeProof, verifyMonotreeProof } from '../../src/tree/sparse/monotree-proof.ts';
import { sortKeys } from '../../src/tree/sparse/sort-keys.ts';
import {
  verifySparseMultiproof,
  verifySparseProof,
  verifySparseRange,
} from '../../src/tree/sparse/verify.ts';
import { SparseTree } from '../../src/tree/sparse.ts';
import { naiveCanonicalRoot } from '../support/naive-sparse.ts';
import { sha256 } from '../support/naive-tree.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const text = (value: string): Uint8Array<ArrayBuffer> => sha256(new TextEncoder().encode(value));
const key = (i: number) => text(`key ${i}`);
const leaf = (i: number) => text(`leaf ${i}`);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const LAYOUTS = ['canonical', 'monotree', 'celestia', 'jmt'] as const;

describe('order of keys', () => {
  const naive = (keys: Uint8Array): number[] => {
    const last = new Map(numbers(keys.length / 32).map((i) => [toHex(digestAt(keys, i)), i]));
    return [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, i]) => i);
  };

  it('is bytewise, of equal keys the last one', () => {
    for (const count of [0, 1, 2, 47, 48, 49, 200, 3000]) {
      const keys = new Uint8Array(randomBytes(32 * count));
      for (let i = 0; i + 5 < count; i += 5) keys.set(digestAt(keys, i), 32 * (i + 3));
      expect([...sortKeys(keys)]).toEqual(naive(keys));
    }
  });

  it('holds for keys that begin alike', () => {
    for (const shared of [1, 3, 31]) {
      const keys = new Uint8Array(randomBytes(32 * 500));
      for (let i = 0; i < keys.length; i += 32) keys.fill(7, i, i + shared);
      expect([...sortKeys(keys)]).toEqual(naive(keys));
    }
  });
});

describe('arguments', () => {
  it('of open are checked', async () => {
    const open = (options: object) => SparseTree.open(hasher, memoryStore(), options);
    await expect(open({ layout: 'other' })).rejects.toThrow(RangeError);
    await expect(open({ name: '' })).rejects.toThrow(RangeError);
    await expect(open({ head: 'a\0b' })).rejects.toThrow(RangeError);
    await expect(open({ from: new Uint8Array(31) })).rejects.toThrow(/from: expected 32 bytes/);
    await expect(open({ from: leaf(1) })).rejects.toThrow(/from: .*no such root/);
    const pairsOnly = await createHasher('poseidon2-bn254', { backend: 'cpu', threads: 0 });
    await expect(SparseTree.open(pairsOnly, memoryStore())).rejects.toThrow(/hasher: .*poseidon2-bn254/);
    await pairsOnly.close();
  });

  it('of changes are checked, and nothing has changed then', async () => {
    const store = memoryStore();
    const tree = await SparseTree.open(hasher, store);
    const before = await tree.insert(key(1), leaf(1));
    const wrong: [() => Promise<unknown>, RegExp][] = [
      [
        () => tree.insert(key(2).subarray(1), leaf(1)),
        /^RangeError: ops\[0\]\.put: expected 32 bytes, got 31/,
      ],
      [() => tree.insert(key(2), new Uint8Array(0)), /^RangeError: ops\[0\]\.leaf/],
      [() => tree.remove('a' as never), /^TypeError: ops\[0\]\.del/],
      [() => tree.batch([{ put: key(2), leaf: leaf(2) }, {} as never]), /^TypeError: ops\[1\]/],
      [() => tree.batch('a' as never), /^TypeError: ops/],
      [() => tree.insertMany(concatBytes(key(2), key(3)), leaf(2)), /^RangeError: leaves: expected as many/],
      [() => tree.insertMany(new Uint8Array(33), leaf(2)), /^RangeError: keys/],
      [() => tree.get(new Uint8Array(3)), /^RangeError: key/],
      [() => tree.at(leaf(9)), /^RangeError: root: .*no such root/],
      [() => tree.proveMany([key(1), key(1)]), /^RangeError: keys: one is there twice/],
      [() => tree.proveRange(key(1), key(1).subarray(1)), /^RangeError: to/],
      [() => tree.prune([leaf(3)]), /^RangeError: keepRoots\[0\]/],
    ];
    for (const [call, message] of wrong) {
      const error = await call().then(
        () => 'nothing',
        (reason: unknown) => String(reason),
      );
      expect(error).toMatch(message);
    }
    expect(await tree.root()).toEqual(before);
  });

  it('of a tree that is something else are refused', async () => {
    const store = memoryStore();
    await (await SparseTree.open(hasher, store)).insert(key(1), leaf(1));
    await expect(SparseTree.open(hasher, store, { layout: 'jmt' })).rejects.toThrow(
      /layout: .*canonical.*jmt/,
    );
    const other = await createHasher('blake3', { backend: 'cpu', threads: 0 });
    await expect(SparseTree.open(other, store)).rejects.toThrow(/hash: .*sha256.*blake3/);
    await other.close();
  });
});

describe('a batch of inserts and removals', () => {
  for (const layout of LAYOUTS) {
    it(`may empty the tree on its way in the layout ${layout}`, async () => {
      const [tree, fresh] = await Promise.all(
        [0, 1].map(() => SparseTree.open(hasher, memoryStore(), { layout })),
      );
      await tree!.batch([
        { put: key(1), leaf: leaf(1) },
        { del: key(1) },
        { put: key(2), leaf: leaf(2) },
        { del: key(3) },
      ]);
      expect(await tree!.root()).toEqual(await fresh!.insert(key(2), leaf(2)));
      expect(await tree!.get(key(2))).toEqual(leaf(2));
    });
  }
});

describe('heads and roots', () => {
  for (const layout of ['canonical', 'monotree'] as const) {
    it(`branch off and stay apart in the layout ${layout}`, async () => {
      const store = memoryStore();
      const main = await SparseTree.open(hasher, store, { layout });
      const root = (await main.insertMany(numbers(50).map(key), numbers(50).map(leaf)))!;
      const draft = await SparseTree.open(hasher, store, { layout, head: 'draft', from: root });
      expect(await draft.root()).toEqual(root);
      for (let i = 50; i < 60; i++) {
        await draft.insert(key(i), leaf(i));
        await main.insert(key(i), leaf(-i));
        await main.remove(key(i - 50));
      }
      expect(await draft.get(key(3))).toEqual(leaf(3));
      expect(await draft.get(key(55))).toEqual(leaf(55));
      expect(await main.get(key(3))).toBe(undefined);
      expect(await main.get(key(55))).toEqual(leaf(-55));
      expect([...(await main.heads()).keys()].sort()).toEqual(['draft', 'main']);
      await main.prune();
      expect(await draft.getMany(numbers(60).map(key))).toEqual(numbers(60).map(leaf));
      if (layout === 'canonical') await expect(main.at(root)).rejects.toThrow(RangeError);
      for (let i = 0; i < 60; i++) await draft.remove(key(i));
      const again = await SparseTree.open(hasher, store, { layout, head: 'draft' });
      expect(await again.root()).toBe(null);
    });
  }
});

describe('pruning', () => {
  const sizeOf = async (store: MemoryStore, keep: (key: Uint8Array) => boolean): Promise<number> => {
    let size = 0;
    for await (const [each] of store.iterate()) if (keep(each)) size++;
    return size;
  };
  const isPage = (each: Uint8Array) => each[5] === 0x70;
  const isNode = (each: Uint8Array) => each.length === 32;

  for (const [layout, counts] of [
    ['canonical', isPage],
    ['celestia', isPage],
    ['monotree', isNode],
  ] as const) {
    it(`leaves what a fresh tree of the same entries has, in the layout ${layout}`, async () => {
      const store = memoryStore();
      const tree = await SparseTree.open(hasher, store, { layout });
      for (let i = 0; i < 120; i++) {
        await tree.insert(key(i), leaf(i));
        if (i % 3 === 0) await tree.insert(key(i >> 1), leaf(1000 + i));
        if (i % 4 === 0 && layout !== 'monotree') await tree.remove(key((7 * i) % 120));
      }
      const entries = await tree.getMany(numbers(120).map(key));
      const present = numbers(120).filter((i) => entries[i]);
      const fresh = memoryStore();
      const copy = await SparseTree.open(hasher, fresh, { layout });
      await copy.insertMany(
        present.map(key),
        present.map((i) => entries[i]!),
      );
      expect(await copy.root()).toEqual(await tree.root());
      expect(await sizeOf(store, counts)).toBeGreaterThan(2 * (await sizeOf(fresh, counts)));
      const removed = await tree.prune();
      expect(removed.nodes).toBeGreaterThan(0);
      expect(await sizeOf(store, counts)).toBe(await sizeOf(fresh, counts));
      expect(await tree.getMany(numbers(120).map(key))).toEqual(entries);
      expect((await tree.prune()).nodes).toBe(0);
    });
  }

  it('keeps a root that came back', async () => {
    const tree = await SparseTree.open(hasher, memoryStore());
    const first = await tree.insertMany(numbers(40).map(key), numbers(40).map(leaf));
    for (let round = 0; round < 3; round++) {
      await tree.insert(key(7), leaf(-7));
      expect(await tree.insert(key(7), leaf(7))).toEqual(first);
    }
    await tree.insert(key(41), leaf(41));
    await tree.prune([first]);
    expect(await (await tree.at(first)).getMany(numbers(40).map(key))).toEqual(numbers(40).map(leaf));
  });

  it('removes values of leaves that are gone, and no others', async () => {
    const store = memoryStore();
    const tree = await SparseTree.open(hasher, store);
    const value = (i: number) => text(`value ${i}`);
    for (const i of [1, 2, 1, 3]) await tree.insert(key(0), leaf(i), { value: value(i) });
    const kept = await tree.root();
    await tree.insert(key(0), leaf(4), { value: value(4) });
    expect((await tree.prune([kept])).values).toBe(2);
    expect(await tree.value(key(0))).toEqual(value(4));
    expect(await (await tree.at(kept)).value(key(0))).toEqual(value(3));
  });
});

describe('verifiers', () => {
  const flips = function* (bytes: Uint8Array, step: number): Generator<Digest> {
    for (let bit = 0; bit < 8 * bytes.length; bit += step) {
      const flipped = new Uint8Array(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      yield flipped;
    }
  };

  for (const layout of LAYOUTS) {
    it(`refuse any changed bit in the layout ${layout}`, async () => {
      const tree = await SparseTree.open(hasher, memoryStore(), { layout });
      await tree.insertMany(numbers(40).map(key), numbers(40).map(leaf));
      if (layout === 'monotree') await tree.removeMany(numbers(12).map(key));
      const root = (await tree.root())!;
      const { path } = await tree.prove(key(20));
      const claim = { root, key: key(20), leaf: leaf(20), layout };
      const verify = (changed: object, proof = path) =>
        verifySparseProof(hasher, { ...claim, ...changed }, proof);
      expect(verify({})).toBe(true);
      expect(verify({ leaf: null })).toBe(false);
      expect(verify({ root: null })).toBe(false);
      for (const flipped of flips(path, 1)) expect(verify({}, flipped)).toBe(false);
      for (const name of ['root', 'key', 'leaf'] as const) {
        for (const flipped of flips(claim[name], 1)) expect(verify({ [name]: flipped })).toBe(false);
      }
      for (let length = 0; length < path.length; length++)
        expect(verify({}, path.slice(0, length))).toBe(false);
      expect(verify({}, concatBytes(path, new Uint8Array(1)))).toBe(false);

      const absent = await tree.proveAbsence(key(99));
      const none = { root, key: key(99), leaf: null, layout };
      expect(verifySparseProof(hasher, none, absent.path)).toBe(true);
      expect(verifySparseProof(hasher, { ...none, key: key(20) }, absent.path)).toBe(false);
      expect(verifySparseProof(hasher, { ...none, leaf: leaf(1) }, absent.path)).toBe(false);
      for (const flipped of flips(absent.path, 1))
        expect(verifySparseProof(hasher, none, flipped)).toBe(false);
    });
  }

  it('refuse changed bits of multiproofs and ranges, missing and added entries', async () => {
    const tree = await SparseTree.open(hasher, memoryStore());
    await tree.insertMany(numbers(60).map(key), numbers(60).map(leaf));
    const root = (await tree.root())!;
    const many = await tree.proveMany([3, 70, 9, 71, 30].map(key));
    expect(many.leaves.map((each) => each && toHex(each))).toEqual(
      [3, 70, 9, 71, 30].map((i) => (i < 60 ? toHex(leaf(i)) : undefined)),
    );
    expect(verifySparseMultiproof(hasher, { root, ...many }, many.path)).toBe(true);
    for (const at of numbers(5)) {
      const leaves = many.leaves.map((each, i) => (i === at ? (each ? undefined : leaf(1)) : each));
      expect(verifySparseMultiproof(hasher, { root, keys: many.keys, leaves }, many.path)).toBe(false);
    }
    for (const flipped of flips(many.path, 3))
      expect(verifySparseMultiproof(hasher, { root, ...many }, flipped)).toBe(false);

    const sorted = numbers(60).map(key).sort(Buffer.compare) as Digest[];
    const range = await tree.proveRange(sorted[10]!, sorted[25]!);
    expect(range.keys.length).toBe(16);
    expect(verifySparseRange(hasher, { root, ...range }, range.path)).toBe(true);
    for (const at of numbers(16)) {
      const without = <T>(list: readonly T[]) => list.filter((_, i) => i !== at);
      const claim = { ...range, root, keys: without(range.keys), leaves: without(range.leaves) };
      expect(verifySparseRange(hasher, claim, range.path)).toBe(false);
    }
    const wider = { ...range, root, to: sorted[27]! };
    expect(verifySparseRange(hasher, wider, range.path)).toBe(false);
    for (const flipped of flips(range.path, 3))
      expect(verifySparseRange(hasher, { root, ...range }, flipped)).toBe(false);
  });

  it('know the empty tree', async () => {
    for (const layout of LAYOUTS) {
      const tree = await SparseTree.open(hasher, memoryStore(), { layout });
      const root = await tree.root();
      const { path } = await tree.proveAbsence(key(1));
      expect(path.length).toBe(0);
      expect(verifySparseProof(hasher, { root, key: key(1), leaf: null, layout }, path)).toBe(true);
      expect(verifySparseProof(hasher, { root, key: key(1), leaf: leaf(1), layout }, path)).toBe(false);
      expect(verifySparseProof(hasher, { root: leaf(1), key: key(1), leaf: null, layout }, path)).toBe(false);
    }
  });

  it('give and take proofs of Monotree after removals in place', async () => {
    const tree = await SparseTree.open(hasher, memoryStore(), { layout: 'monotree' });
    await tree.insertMany(numbers(30).map(key), numbers(30).map(leaf));
    await tree.removeMany(numbers(20).map(key));
    const root = await tree.root();
    for (let i = 20; i < 30; i++) {
      const steps = toMonotreeProof(await tree.prove(key(i)));
      expect(verifyMonotreeProof(hasher, { root, key: key(i), leaf: leaf(i) }, steps)).toBe(true);
      for (const [at, { right, cut }] of steps.entries()) {
        for (const flipped of flips(cut, 5)) {
          const changed = steps.map((step, j) => (j === at ? { right, cut: flipped } : step));
          expect(verifyMonotreeProof(hasher, { root, key: key(i), leaf: leaf(i) }, changed)).toBe(false);
        }
        const turned = steps.map((step, j) => (j === at ? { right: !right, cut } : step));
        expect(verifyMonotreeProof(hasher, { root, key: key(i), leaf: leaf(i) }, turned)).toBe(false);
      }
    }
  });
});

describe('a damaged store', () => {
  for (const layout of ['canonical', 'monotree'] as const) {
    it(`is noticed in the layout ${layout}`, async () => {
      const store = memoryStore();
      const writer = await SparseTree.open(hasher, store, { layout });
      await writer.insertMany(numbers(40).map(key), numbers(40).map(leaf));
      const nodes: Uint8Array[] = [];
      for await (const [each] of store.iterate())
        if (layout === 'monotree' ? each.length === 32 && each[0] !== MONOTREE_HEAD_KEY[0] : each[5] === 0x70)
          nodes.push(each);
      await store.commit(nodes.slice(0, -1).map((del) => ({ del })));
      // Another handle: the one that wrote keeps pages, and does not miss them in the store.
      const tree = await SparseTree.open(hasher, store, { layout });
      const corrupt = { code: 'STORE_CORRUPT' };
      const failures = await Promise.allSettled(numbers(40).map((i) => tree.get(key(i))));
      const reasons = failures.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
      expect(new Set(reasons)).toEqual(new Set(['STORE_CORRUPT']));
      await expect(tree.insertMany(numbers(40).map(key), numbers(40).map(leaf))).rejects.toMatchObject(
        corrupt,
      );
      await expect(tree.proveMany(numbers(40).map(key))).rejects.toMatchObject(corrupt);
    });
  }
});

describe('counted work', () => {
  it('costs one hash for every changed node, and nothing for what stays', async () => {
    const tree = await SparseTree.open(hasher, memoryStore());
    const hashes = async (work: () => Promise<unknown>): Promise<number> => {
      const before = hasher.info.counters.hashesCpu;
      await work();
      return hasher.info.counters.hashesCpu - before;
    };
    expect(await hashes(() => tree.insertMany(numbers(1000).map(key), numbers(1000).map(leaf)))).toBe(999);
    expect(await hashes(() => tree.insertMany(numbers(1000).map(key), numbers(1000).map(leaf)))).toBe(0);
    expect(await hashes(() => tree.remove(key(2000)))).toBe(0);
    const single = await hashes(() => tree.insert(key(5), leaf(-5)));
    expect(single).toBeGreaterThan(6);
    expect(single).toBeLessThan(25);
    const entries = new Map(numbers(1000).map((i) => [toHex(key(i)).slice(2), leaf(i)]));
    entries.set(toHex(key(5)).slice(2), leaf(-5));
    expect(await tree.root()).toEqual(new Uint8Array(naiveCanonicalRoot(entries)!));
  });
});
