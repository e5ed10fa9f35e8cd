/** Roots and layers against the naive tree. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Padding } from '../../src/backend/types.ts';
import { concatBytes, digestAt } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { buildTree, merkleRoot } from '../../src/tree/merkle.ts';
import { naiveHeight, naiveLeaves, naiveRoot, naiveZero, sha256 } from '../support/naive-tree.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const paddings = ['zero', 'promote', 'duplicate'] as const;
const powers = Array.from({ length: 6 }, (_, i) => 2 ** (i + 7)).flatMap((n) => [n - 1, n, n + 1]);
const sizes = [...Array.from({ length: 71 }, (_, n) => n), ...powers];
const most = naiveLeaves(4097);

/** Cuts bytes in pieces that mind no digest's borders. */
async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe.each(paddings)('roots under padding %s', (padding) => {
  it.each(sizes.filter((size) => size > 0))('%i leaves', async (size) => {
    const leaves = most.slice(0, size);
    const root = await merkleRoot(hasher, concatBytes(...leaves), { padding });
    expect(root).toEqual(naiveRoot(leaves, naiveHeight(size), padding));
  });

  it('is the same for every form of the leaves', async () => {
    const messages = Array.from({ length: 37 }, (_, i) => new Uint8Array(i).fill(i));
    const leaves = messages.map((message) => sha256(message));
    const expected = naiveRoot(leaves, 6, padding);
    const joined = concatBytes(...leaves);
    const odd = new Uint8Array(joined.length + 7);
    odd.set(joined, 7);
    const shared = new Uint8Array(new SharedArrayBuffer(joined.length));
    shared.set(joined);
    const lengths = Uint32Array.from(messages, (message) => message.length);
    for (const source of [
      joined,
      Buffer.from(joined),
      odd.subarray(7),
      shared,
      pieces(joined, 7),
      pieces(joined, 1000),
      { messages: concatBytes(...messages), lengths },
    ]) {
      expect(await merkleRoot(hasher, source, { padding })).toEqual(expected);
    }
  });
});

describe('depth', () => {
  it.each([0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64])(
    '%i leaves at every depth that holds them',
    async (size) => {
      const leaves = most.slice(0, size);
      for (let depth = naiveHeight(size); depth <= 64; depth++) {
        const root = await merkleRoot(hasher, concatBytes(...leaves), { depth });
        expect(root, `depth ${depth}`).toEqual(naiveRoot(leaves, depth, 'zero'));
      }
    },
  );

  it('goes with zero only, and from 0 to 64', async () => {
    const leaves = new Uint8Array(64);
    for (const padding of ['promote', 'duplicate', 'none'] as const) {
      await expect(merkleRoot(hasher, leaves, { depth: 1, padding })).rejects.toThrow(/^depth: .*'zero'/);
    }
    for (const depth of [-1, 65, 1.5, Number.NaN]) {
      await expect(merkleRoot(hasher, leaves, { depth })).rejects.toThrow(RangeError);
      await expect(merkleRoot(hasher, leaves, { depth })).rejects.toThrow(/^depth: .* 0 to 64, got/);
    }
    await expect(merkleRoot(hasher, leaves, { depth: '1' as never })).rejects.toThrow(TypeError);
  });

  it.each([
    [2, 0],
    [3, 1],
    [33, 5],
  ])('%i leaves do not fit depth %i, streamed or not', async (size, depth) => {
    const leaves = concatBytes(...most.slice(0, size));
    for (const source of [leaves, pieces(leaves, 100)]) {
      await expect(merkleRoot(hasher, source, { depth })).rejects.toThrow(/^leaves: .* do not fit/);
    }
  });
});

describe('no leaves and odd numbers', () => {
  it.each([undefined, 0, 1, 20, 64])('no leaves at depth %s', async (depth) => {
    const expected = naiveZero(depth ?? 0);
    expect(await merkleRoot(hasher, new Uint8Array(0), { depth })).toEqual(expected);
    expect(await merkleRoot(hasher, pieces(new Uint8Array(0), 1), { depth })).toEqual(expected);
    const tree = await buildTree(hasher, new Uint8Array(0), { depth });
    expect(tree).toMatchObject({ root: expected, size: 0, depth: depth ?? 0 });
    expect(() => tree.prove(0)).toThrow(/^index: the tree has no leaves/);
  });

  it('no leaves under the other paddings', async () => {
    const none = new Uint8Array(0);
    expect(await merkleRoot(hasher, none, { padding: 'promote' })).toEqual(naiveZero(0));
    await expect(merkleRoot(hasher, none, { padding: 'duplicate' })).rejects.toThrow(RangeError);
    await expect(merkleRoot(hasher, none, { padding: 'none' })).rejects.toThrow(RangeError);
  });

  it('padding none takes powers of two alone', async () => {
    for (let size = 1; size <= 70; size++) {
      const leaves = most.slice(0, size);
      const root = merkleRoot(hasher, concatBytes(...leaves), { padding: 'none' });
      if (Number.isInteger(Math.log2(size))) {
        expect(await root).toEqual(naiveRoot(leaves, naiveHeight(size), 'zero'));
      } else {
        await expect(root).rejects.toThrow(/^leaves: padding 'none'/);
      }
    }
  });

  it('one leaf is its own root, whatever it is', async () => {
    for (const padding of ['zero', 'promote', 'duplicate', 'none'] as const) {
      expect(await merkleRoot(hasher, most[7]!, { padding })).toEqual(most[7]);
    }
  });

  it('refuses what is no leaf source or no padding', async () => {
    await expect(merkleRoot(hasher, 'leaves' as never)).rejects.toThrow(TypeError);
    await expect(merkleRoot(hasher, new Uint8Array(33))).rejects.toThrow(/^leaves: /);
    await expect(merkleRoot(hasher, new Uint8Array(32), { padding: 'odd' as Padding })).rejects.toThrow(
      /^padding: expected zero, promote, duplicate, none, got odd/,
    );
  });

  it('under duplicate, two lists share a root (CVE-2012-2459), under the others they do not', async () => {
    const [a, b, c] = most as [Uint8Array, Uint8Array, Uint8Array];
    const roots = (padding: Padding) =>
      Promise.all(
        [
          [a, b, c],
          [a, b, c, c],
        ].map((list) => merkleRoot(hasher, concatBytes(...list), { padding })),
      );
    const [three, four] = await roots('duplicate');
    expect(three).toEqual(four);
    for (const padding of ['zero', 'promote'] as const) {
      const [fewer, more] = await roots(padding);
      expect(fewer).not.toEqual(more);
    }
  });
});

describe('buildTree', () => {
  it.each(paddings)('layers are those of the naive tree, under %s', async (padding) => {
    for (const size of [1, 2, 3, 5, 8, 17, 31, 32, 33, 70]) {
      const leaves = most.slice(0, size);
      const tree = await buildTree(hasher, pieces(concatBytes(...leaves), 100), { padding });
      expect(tree).toMatchObject({ size, depth: naiveHeight(size), padding });
      for (let level = 0; level <= tree.depth; level++) {
        const layer = tree.layer(level);
        expect(layer.length).toBe(32 * Math.ceil(size / 2 ** level));
        for (let i = 0; i < layer.length / 32; i++) {
          const below = leaves.slice(i * 2 ** level, (i + 1) * 2 ** level);
          expect(digestAt(layer, i)).toEqual(naiveRoot(below, level, padding));
        }
      }
      expect(tree.layer(tree.depth)).toEqual(tree.root);
    }
  });

  it('keeps the layers from keepFrom on, and no others', async () => {
    const leaves = concatBytes(...most.slice(0, 70));
    const whole = await buildTree(hasher, leaves);
    for (const keepFrom of [0, 1, 3, 6, 7, 20]) {
      const tree = await buildTree(hasher, leaves, { keepFrom });
      const lowest = Math.min(keepFrom, 7);
      for (let level = lowest; level <= 7; level++) expect(tree.layer(level)).toEqual(whole.layer(level));
      for (const level of [lowest - 1, 8, 0.5]) expect(() => tree.layer(level)).toThrow(/^level: /);
    }
    await expect(buildTree(hasher, leaves, { keepFrom: 65 })).rejects.toThrow(/^keepFrom: /);
    await expect(buildTree(hasher, leaves, { depth: 8, keepFrom: 9 })).rejects.toThrow(/^keepFrom: /);
  });

  it('caps fold to the root', async () => {
    for (const padding of paddings) {
      for (const size of [1, 2, 3, 5, 6, 13, 16, 33]) {
        const depth = padding === 'zero' ? naiveHeight(size) + 2 : undefined;
        const tree = await buildTree(hasher, concatBytes(...most.slice(0, size)), { padding, depth });
        for (let height = 0; height <= tree.depth; height++) {
          const cap = tree.cap(height);
          if (padding === 'zero') expect(cap.length).toBe(32 * 2 ** height);
          expect(await merkleRoot(hasher, cap, { padding })).toEqual(tree.root);
        }
        expect(() => tree.cap(tree.depth + 1)).toThrow(/^height: /);
      }
    }
    const empty = await buildTree(hasher, new Uint8Array(0), { depth: 40 });
    expect(empty.cap(1)).toEqual(concatBytes(naiveZero(39), naiveZero(39)));
    expect(() => empty.cap(27)).toThrow(/^height: .* 0 to 26, got 27/);
    const upper = await buildTree(hasher, concatBytes(...most.slice(0, 16)), { keepFrom: 2 });
    expect(upper.cap(2)).toEqual(upper.layer(2));
    expect(() => upper.cap(3)).toThrow(/^height: /);
  });

  it('rejects with ABORTED, and reports its progress', async () => {
    const leaves = concatBytes(...most.slice(0, 100));
    const signal = AbortSignal.abort();
    await expect(buildTree(hasher, leaves, { signal })).rejects.toMatchObject({ code: 'ABORTED' });
    const seen: { done: number; total?: number }[] = [];
    await merkleRoot(hasher, leaves, { onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toMatchObject({ done: 100, total: 100 });
  });

  it('has the root of any leaves, at any depth', async () => {
    const bytes = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom(...paddings), fc.nat(20), async (leaves, padding, more) => {
        const height = naiveHeight(leaves.length) + (padding === 'zero' ? more : 0);
        const depth = padding === 'zero' ? height : undefined;
        const tree = await buildTree(hasher, concatBytes(...leaves), { padding, depth });
        expect(tree.root).toEqual(naiveRoot(leaves, height, padding));
      }),
      { numRuns: 100 },
    );
  });
});
