import { beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest, toHex } from '../../src/bytes.ts';
import { CambiumError } from '../../src/errors.ts';
import type { HashSpec } from '../../src/hash/types.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { AppendOnlyTree } from '../../src/tree/append-only.ts';
import { encodeHead } from '../../src/tree/append-only-head.ts';
import { pageKey, pagesToExtend } from '../../src/tree/append-only-pages.ts';
import { pathPairs } from '../../src/tree/path-pairs.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { naiveLeaves, naiveRoot, naiveSiblings, naiveZero, sha256 } from '../support/naive-tree.ts';

let hasher: Hasher;
beforeAll(async () => {
  hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
  return () => hasher.close();
});

const leaves = naiveLeaves(300);
const slice = (from: number, to: number): Digest => concatBytes(...leaves.slice(from, to));
const hashes = (): number => hasher.info.counters.hashesCpu;
const open = (depth: number, store: NodeStore = memoryStore()) =>
  AppendOnlyTree.open(hasher, store, { depth });

/** The fewest hashes for `added` leaves behind `size`: every node above the new leaves, once. */
function optimum(size: number, added: number, depth: number): number {
  let count = 0;
  for (let k = 1; k <= depth; k++) {
    count += Math.floor((size + added - 1) / 2 ** k) - Math.floor(size / 2 ** k) + 1;
  }
  return count;
}

/** All entries of a store, without the count of commits in the head. */
async function contents(store: NodeStore): Promise<string> {
  let all = '';
  for await (const [key, value] of store.iterate()) {
    const isHead = key.at(-1) === 'h'.charCodeAt(0);
    all += Buffer.from(key).toString('latin1') + Buffer.from(value).toString('latin1', isHead ? 8 : 0);
  }
  return all;
}

describe('append-only tree', () => {
  it('takes 1 to 70 leaves at every size to 70 at depth 8, at the fewest hashes, as if one by one', async () => {
    const depth = 8;
    const oneByOne = memoryStore();
    const slow = await open(depth, oneByOne);
    const expected = [{ root: '', contents: '' }];
    for (let size = 1; size <= 140; size++) {
      const root = toHex((await slow.append(slice(size - 1, size))).root);
      expect(root).toBe(toHex(naiveRoot(leaves.slice(0, size), depth, 'zero')));
      expected.push({ root, contents: await contents(oneByOne) });
    }
    for (let start = 0; start <= 70; start++) {
      for (let added = 1; added <= 70; added++) {
        const store = memoryStore();
        const tree = await open(depth, store);
        await tree.append(slice(0, start));
        const before = hashes();
        const { root, size } = await tree.append(slice(start, start + added));
        const cost = hashes() - before;
        expect({ size, cost, root: toHex(root), contents: await contents(store) }).toEqual({
          size: start + added,
          cost: optimum(start, added, depth),
          ...expected[start + added],
        });
      }
    }
  });

  it('costs what the published trees cost at best', async () => {
    for (const [depth, added, cost] of [
      [32, 64, 63 + 26],
      [32, 128, 152],
      [32, 1024, 1023 + 22],
      [16, 8, 7 + 13],
    ] as const) {
      const tree = await open(depth);
      for (let batch = 0; batch < 3; batch++) {
        const before = hashes();
        await tree.append(new Uint8Array(32 * added).fill(batch));
        expect(hashes() - before).toBe(cost);
      }
    }
  });

  it('answers for every size that it ever had', async () => {
    const depth = 6;
    const tree = await open(depth);
    await tree.append(slice(0, 5));
    await tree.append(slice(5, 41));
    await tree.append(slice(41, 64));
    for (let size = 0; size <= 64; size++) {
      const then = leaves.slice(0, size);
      const root = await tree.root(size);
      expect(toHex(root)).toBe(toHex(naiveRoot(then, depth, 'zero')));
      for (const index of [0, 1, 4, 5, 31, 40, 63, Math.max(0, size - 1), Math.min(63, size)]) {
        const proof = await tree.prove(index, size);
        expect(proof.index).toBe(index);
        expect(toHex(proof.leaf)).toBe(toHex(then[index] ?? new Uint8Array(32)));
        expect(proof.siblings.map(toHex)).toEqual(naiveSiblings(then, index, depth, 'zero').map(toHex));
        expect(verifyProof(hasher, { root, leaf: proof.leaf, index, depth }, proof.siblings)).toBe(true);
      }
    }
  });

  it('proves without hashing at the current size', async () => {
    const tree = await open(20);
    await tree.append(slice(0, 37));
    const before = hashes();
    for (let index = 0; index < 50; index++) await tree.prove(index);
    expect(hashes()).toBe(before);
  });

  it('gives paths as pairs', async () => {
    const tree = await open(7);
    const { root } = await tree.append(slice(0, 77));
    for (const index of [0, 1, 76, 77, 127]) {
      const proof = await tree.prove(index);
      const pairs = pathPairs(hasher, proof);
      expect(pairs.length).toBe(7);
      for (const [level, [left, right]] of pairs.entries()) {
        const parent = pairs[level + 1]?.[(index >> (level + 1)) & 1] ?? root;
        expect(toHex(sha256(left, right))).toBe(toHex(parent));
        expect(toHex((index >> level) & 1 ? left : right)).toBe(toHex(proof.siblings[level]!));
      }
    }
  });

  it('gives leaves', async () => {
    const tree = await open(10);
    await expect(tree.leaf(0)).rejects.toThrow(new RangeError('index: the tree has no leaves, got 0'));
    await tree.append(slice(0, 100));
    for (const index of [0, 1, 63, 64, 99]) expect(await tree.leaf(index)).toEqual(leaves[index]);
    await expect(tree.leaf(100)).rejects.toThrow(RangeError);
  });

  it('is empty at first; no leaves write a new tree down, and change nothing', async () => {
    const store = memoryStore();
    const tree = await open(12, store);
    expect(tree.size).toBe(0);
    expect(await tree.root()).toEqual(naiveZero(12));
    expect(await tree.append(new Uint8Array(0))).toEqual({ root: naiveZero(12), size: 0 });
    expect(store.size).toBe(2);
    await tree.append(new Uint8Array(0));
    expect(store.size).toBe(2);
    await expect(open(13, store)).rejects.toThrow(/depth: .* has 12, got 13/);
    const { leaf, siblings } = await tree.prove(7);
    expect(verifyProof(hasher, { root: naiveZero(12), leaf, index: 7, depth: 12 }, siblings)).toBe(true);
  });

  it('fills up, and refuses what does not fit', async () => {
    for (const depth of [1, 2, 6, 7]) {
      const tree = await open(depth);
      await tree.append(slice(0, 2 ** depth - 1));
      const root = await tree.root();
      await expect(tree.append(slice(0, 2))).rejects.toMatchObject({
        code: 'TREE_FULL',
        message: 'the tree has room for 1 leaves, got 2',
      });
      expect(await tree.root()).toEqual(root);
      await tree.append(slice(2 ** depth - 1, 2 ** depth));
      expect(await tree.root()).toEqual(naiveRoot(leaves.slice(0, 2 ** depth), depth, 'zero'));
      await expect(tree.append(slice(0, 1))).rejects.toMatchObject({ code: 'TREE_FULL' });
      expect((await tree.append(new Uint8Array(0))).size).toBe(2 ** depth);
      expect((await tree.prove(2 ** depth - 1)).siblings.map(toHex)).toEqual(
        naiveSiblings(leaves.slice(0, 2 ** depth), 2 ** depth - 1, depth, 'zero').map(toHex),
      );
    }
  });

  it('counts in bigints where numbers end', async () => {
    // A tree with all but two of its 2^64 leaves, as far as an append reads it; every node is the same.
    const depth = 64;
    const store = memoryStore();
    await (await open(depth, store)).append(slice(0, 1));
    const node = leaves[0]!;
    const size = (1n << 64n) - 2n;
    const peaks = new Map(Array.from({ length: 63 }, (_, i) => [i + 1, node]));
    const head = encodeHead({ size, version: 1n, root: node, peaks });
    const prefix = new TextEncoder().encode('main\0');
    const pages = pagesToExtend(size, 1n << 64n, depth).map((page) => {
      let nodes = 0;
      for (let width = Number((size >> BigInt(page.bottom)) % 64n); width; width >>= 1) nodes += width;
      return { put: pageKey(prefix, page), value: concatBytes(...Array(nodes).fill(node)) };
    });
    expect(pages.length).toBe(11);
    await store.commit([...pages, { put: concatBytes(prefix, Uint8Array.of(104)), value: head }]);
    const tree = await open(depth, store);
    expect(tree.size).toBe(size);
    const state = await tree.append(slice(1, 2));
    expect(state.size).toBe(size + 1n);
    const { index, leaf, siblings } = await tree.prove(size);
    expect([index, toHex(leaf)]).toEqual([size, toHex(leaves[1]!)]);
    expect(verifyProof(hasher, { root: state.root, leaf, index: size, depth }, siblings)).toBe(true);
    await expect(tree.append(slice(0, 2))).rejects.toMatchObject({ code: 'TREE_FULL' });
    expect((await tree.append(slice(2, 3))).size).toBe(1n << 64n);
    await expect(tree.append(slice(3, 4))).rejects.toMatchObject({ code: 'TREE_FULL' });
    expect((await open(depth, store)).size).toBe(1n << 64n);
  });

  it('takes another empty leaf', async () => {
    const emptyLeaf = sha256(Uint8Array.of(1));
    const store = memoryStore();
    const tree = await AppendOnlyTree.open(hasher, store, { depth: 3, emptyLeaf });
    await tree.append(slice(0, 3));
    const padded = [...leaves.slice(0, 3), ...Array.from({ length: 5 }, () => emptyLeaf)];
    expect(await tree.root()).toEqual(naiveRoot(padded, 3, 'zero'));
    expect(await tree.root(0)).toEqual(naiveRoot(Array(8).fill(emptyLeaf), 3, 'zero'));
    expect((await tree.prove(4)).leaf).toEqual(emptyLeaf);
    await expect(open(3, store)).rejects.toThrow(/^emptyLeaf: the tree "main" in this store has 0x4bf5/);
  });

  it('copies what it is given and gives away what it returns', async () => {
    const tree = await open(5);
    const given = slice(0, 3);
    const appended = tree.append(given);
    given.fill(0);
    const { root } = await appended;
    const expected = toHex(naiveRoot(leaves.slice(0, 3), 5, 'zero'));
    expect(toHex(root)).toBe(expected);
    const proof = await tree.prove(1);
    for (const array of [root, await tree.root(), await tree.leaf(0), proof.leaf, ...proof.siblings])
      array.fill(7);
    expect(toHex(await tree.root())).toBe(expected);
    expect(toHex((await tree.prove(1)).leaf)).toBe(toHex(leaves[1]!));
    await tree.append(slice(3, 4));
    expect(await tree.root()).toEqual(naiveRoot(leaves.slice(0, 4), 5, 'zero'));
  });

  it('reports progress and can be stopped half-way', async () => {
    const tree = await open(16);
    const done: number[] = [];
    await tree.append(slice(0, 100), { onProgress: (progress) => done.push(progress.done) });
    expect(done.length).toBe(16);
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(done.at(-1)).toBe(100);
    const root = await tree.root();
    for (let level = 0; level < 16; level++) {
      const stop = new AbortController();
      let seen = 0;
      const stopped = tree.append(slice(100, 200), {
        signal: stop.signal,
        onProgress: () => void (seen++ === level && stop.abort()),
      });
      await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
      expect(await tree.root()).toEqual(root);
    }
    await tree.append(slice(100, 200));
    expect(await tree.root()).toEqual(naiveRoot(leaves.slice(0, 200), 16, 'zero'));
  });
});

describe('append-only tree, refusals', () => {
  it('names the argument', async () => {
    const store = memoryStore();
    const refused = (options: object) => AppendOnlyTree.open(hasher, store, options as { depth: number });
    await expect(refused({ depth: 0 })).rejects.toThrow(/^depth: .* from 1 to 64, got 0/);
    await expect(refused({ depth: 65 })).rejects.toThrow(RangeError);
    await expect(refused({})).rejects.toThrow(/^depth: /);
    await expect(refused({ depth: 3, emptyLeaf: new Uint8Array(31) })).rejects.toThrow(/^emptyLeaf: /);
    for (const name of ['', 'a\0b', '\ud800', 'x'.repeat(201)]) {
      await expect(refused({ depth: 3, name })).rejects.toThrow(/^name: /);
    }
    await expect(refused({ depth: 3, name: 5 })).rejects.toThrow(TypeError);
    const tree = await open(3);
    await expect(tree.append(new Uint8Array(33))).rejects.toThrow(/^leaves: /);
    await expect(tree.append('leaf' as never)).rejects.toThrow(TypeError);
    await expect(tree.root(1)).rejects.toThrow(/^size: /);
    await expect(tree.prove(8)).rejects.toThrow(/^index: /);
    await expect(tree.prove(-1)).rejects.toThrow(RangeError);
    await expect(tree.prove(0, 1)).rejects.toThrow(/^size: /);
  });

  it('tells what a stored tree is when it is opened as another', async () => {
    const store = memoryStore();
    const early = await open(7, store);
    await (await open(6, store)).append(slice(0, 3));
    await expect(open(7, store)).rejects.toThrow(
      new RangeError('depth: the tree "main" in this store has 6, got 7'),
    );
    await expect(early.append(slice(0, 1))).rejects.toThrow(/^depth: /);
    const truncated = await createHasher('sha256-truncated', { backend: 'cpu', threads: 0 });
    await expect(AppendOnlyTree.open(truncated, store, { depth: 6 })).rejects.toThrow(
      new RangeError('hash: the tree "main" in this store has sha256, got sha256-truncated'),
    );
    await truncated.close();
  });

  it('knows a later format and a broken store', async () => {
    const key = (text: string) => new TextEncoder().encode(text);
    const damage = async (name: string, change: (old: Digest) => Uint8Array | undefined) => {
      const store = memoryStore();
      await (await open(9, store)).append(slice(0, 200));
      for await (const [found, value] of store.iterate({ gte: key(name) })) {
        const next = change(value);
        await store.commit([next ? { put: found, value: next } : { del: found }]);
        break;
      }
      return store;
    };
    const edit = (from: string, to: string) => (old: Digest) =>
      key(new TextDecoder().decode(old).replace(from, to));
    const opening = async (name: string, change: (old: Digest) => Uint8Array | undefined) =>
      open(9, await damage(name, change));
    await expect(opening('main\0i', edit('"format":1', '"format":2'))).rejects.toMatchObject({
      code: 'VERSION_MISMATCH',
    });
    await expect(opening('main\0i', edit('append-only', 'indexed'))).rejects.toThrow(/^tree: /);
    for (const change of [() => undefined, () => key('{'), () => key('1'), () => Uint8Array.of(255)]) {
      await expect(opening('main\0i', change)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
    for (const change of [(old: Digest) => old.subarray(1), () => key('x')]) {
      await expect(opening('main\0h', change)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
    for (const change of [() => undefined, (old: Digest) => old.subarray(0, 64)]) {
      const tree = await opening('main\0p', change);
      await expect(tree.prove(63)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
      await expect(tree.root(63)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
    const tree = await opening('main\0p\0\0\0\0\0\0\0\0\x03', (old) => old.subarray(32));
    await expect(tree.append(slice(200, 201))).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('gives the position of an element that is not canonical', async () => {
    // Stands for a hash over four elements a digest; it refuses those that begin with 0xff.
    const spec: HashSpec = {
      ...hasher.spec,
      id: 'strict',
      input: { elementBytes: 8, modulus: 0xff00_0000_0000_0000n, order: 'be' },
    };
    const strict = {
      spec,
      hashPair: (left: Uint8Array, right: Uint8Array) => hasher.hashPair(left, right),
      hashPairsSync(nodes: Uint8Array, out: Digest) {
        const index = Array.from({ length: nodes.length / 8 }, (_, i) => nodes[8 * i]).indexOf(255);
        if (index >= 0) throw new CambiumError('NOT_CANONICAL', `element ${index}`, { index });
        return hasher.hashPairsSync(nodes, out);
      },
    } as unknown as Hasher;
    const low = new Uint8Array(3 * 32).fill(1);
    const bad = low.slice();
    bad[32 + 16] = 255;
    for (const size of [0, 1, 2, 3]) {
      const tree = await AppendOnlyTree.open(strict, memoryStore(), { depth: 6 });
      await tree.append(low.subarray(0, 32 * size));
      const root = await tree.root();
      await expect(tree.append(bad)).rejects.toMatchObject({
        code: 'NOT_CANONICAL',
        index: 6,
        message: 'leaves: element 6 is not below the modulus',
      });
      expect(await tree.root()).toEqual(root);
    }
  });
});
