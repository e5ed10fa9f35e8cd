/** Proofs of several leaves. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Padding } from '../../src/backend/types.ts';
import { concatBytes, type Digest } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { buildTree, type MerkleTree } from '../../src/tree/merkle.ts';
import { type MultiProofClaim, verifyMultiproof } from '../../src/tree/proof.ts';
import { naiveLeaves, naiveRoot, naiveZero, sha256 } from '../support/naive-tree.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const paddings = ['zero', 'promote', 'duplicate'] as const;
const most = naiveLeaves(600);
const grow = (size: number, options: Parameters<typeof buildTree>[2] = {}): Promise<MerkleTree> =>
  buildTree(hasher, concatBytes(...most.slice(0, size)), options);

const claimOf = (tree: MerkleTree, indices: readonly number[]): MultiProofClaim => {
  const { root, depth, size, padding } = tree;
  return { root, depth, size, padding, indices, leaves: indices.map((index) => most[index]!) };
};

const replaced = <T>(list: readonly T[], at: number, value: T): T[] =>
  list.map((item, i) => (i === at ? value : item));

const flip = (digest: Uint8Array, bit: number): Digest => {
  const changed = concatBytes(digest);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
};

/** The nodes that a proof must list, by definition: siblings of the paths that lie on no path themselves. */
function expectedNodes(
  size: number,
  indices: readonly number[],
  depth: number,
  padding: Padding,
): Uint8Array[] {
  const nodes: Uint8Array[] = [];
  let paths = new Set(indices);
  for (let level = 0; level < depth; level++) {
    for (const at of [...paths].sort((a, b) => a - b)) {
      const sibling = at ^ 1;
      if (paths.has(sibling)) continue;
      const below = most.slice(0, size).slice(sibling * 2 ** level, (sibling + 1) * 2 ** level);
      if (below.length) nodes.push(naiveRoot(below, level, padding as 'zero'));
      else if (padding === 'zero') nodes.push(naiveZero(level));
    }
    paths = new Set([...paths].map((at) => at >> 1));
  }
  return nodes;
}

const subsets = (size: number): number[][] =>
  Array.from({ length: 2 ** size - 1 }, (_, mask) =>
    Array.from({ length: size }, (_, i) => i).filter((i) => ((mask + 1) >> i) & 1),
  );

describe.each(paddings)('multiproofs under padding %s', (padding) => {
  it.each([1, 2, 3, 5, 6, 7, 9])('every subset of %i leaves', async (size) => {
    const tree = await grow(size, { padding });
    for (const indices of subsets(size)) {
      const proof = tree.proveMany(indices);
      expect(proof.indices).toEqual(indices);
      expect(proof.leaves).toEqual(indices.map((index) => most[index]));
      expect(proof.nodes).toEqual(expectedNodes(size, indices, tree.depth, padding));
      expect(verifyMultiproof(hasher, claimOf(tree, indices), proof.nodes)).toBe(true);
    }
  });

  it('random sets of larger trees', async () => {
    const set = fc
      .integer({ min: 1, max: 600 })
      .chain((size) =>
        fc.tuple(fc.constant(size), fc.uniqueArray(fc.nat(size - 1), { minLength: 1, maxLength: 50 })),
      );
    await fc.assert(
      fc.asyncProperty(set, async ([size, wanted]) => {
        const tree = await grow(size, { padding });
        const { indices, nodes } = tree.proveMany(wanted);
        const claim = claimOf(tree, indices as number[]);
        expect(verifyMultiproof(hasher, claim, nodes)).toBe(true);
        const at = wanted[0]! % indices.length;
        const leaves = replaced(claim.leaves, at, flip(claim.leaves[at]!, 77));
        expect(verifyMultiproof(hasher, { ...claim, leaves }, nodes)).toBe(false);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses every change of one bit, and a wrong number of nodes', async () => {
    const tree = await grow(13, { padding });
    for (const indices of [[0], [12], [3, 4], [1, 5, 12], [0, 2, 4, 6, 8, 10, 12]]) {
      const claim = claimOf(tree, indices);
      const { nodes } = tree.proveMany(indices);
      for (let bit = 0; bit < 256; bit += 3) {
        expect(verifyMultiproof(hasher, { ...claim, root: flip(claim.root, bit) }, nodes)).toBe(false);
        claim.leaves.forEach((leaf, i) => {
          const leaves = replaced(claim.leaves, i, flip(leaf, bit));
          expect(verifyMultiproof(hasher, { ...claim, leaves }, nodes)).toBe(false);
        });
        nodes.forEach((node, i) => {
          expect(verifyMultiproof(hasher, claim, replaced(nodes, i, flip(node, bit)))).toBe(false);
        });
      }
      expect(verifyMultiproof(hasher, claim, [...nodes, naiveZero(0)])).toBe(false);
      expect(verifyMultiproof(hasher, claim, nodes.slice(0, -1))).toBe(false);
    }
  });
});

describe('claims and questions', () => {
  it('order and repetitions of the wanted indices do not matter', async () => {
    const tree = await grow(20);
    expect(tree.proveMany([9, 2n, 9, 4, 2])).toEqual(tree.proveMany([2, 4, 9]));
  });

  it('an empty or impossible set is refused', async () => {
    const tree = await grow(20);
    expect(() => tree.proveMany([])).toThrow(/^indices: expected at least one/);
    expect(() => tree.proveMany([1, 20])).toThrow(/^indices\[1\]: /);
    expect(() => tree.proveMany(3 as never)).toThrow(TypeError);
  });

  it('a claim must list each index once, ascending, with one leaf', async () => {
    const tree = await grow(20);
    const { nodes } = tree.proveMany([2, 4]);
    const claim = claimOf(tree, [2, 4]);
    const check = (change: object, given: unknown = nodes) =>
      expect(() => verifyMultiproof(hasher, { ...claim, ...change }, given as Uint8Array[]));
    check({ indices: [4, 2] }).toThrow(/^indices\[1\]: expected more than the 4 before it, got 2/);
    check({ indices: [2, 2] }).toThrow(RangeError);
    check({ indices: [], leaves: [] }).toThrow(/^indices: expected at least one/);
    check({ indices: [2] }).toThrow(/^leaves: expected 1, one for each index, got 2/);
    check({ indices: [2, 20] }).toThrow(/^indices\[1\]: /);
    check({ indices: 2 }).toThrow(TypeError);
    check({ leaves: [most[2], new Uint8Array(3)] }).toThrow(/^leaves\[1\]: expected 32 bytes, got 3/);
    check({}, [new Uint8Array(3)]).toThrow(/^nodes\[0\]: expected 32 bytes, got 3/);
    check({ root: new Uint8Array(3) }).toThrow(/^root: /);
  });

  it('indices around 2^63 at depth 64', () => {
    const indices = [2n ** 63n - 1n, 2n ** 63n];
    const leaves = most.slice(0, 2);
    const nodes = naiveLeaves(126, 'node');
    let [left, right] = leaves as [Uint8Array, Uint8Array];
    // The left leaf is the last of its half and always a right child, the right one the first of the other half.
    for (let level = 0; level < 63; level++) {
      left = sha256(nodes[2 * level]!, left);
      right = sha256(right, nodes[2 * level + 1]!);
    }
    const claim = { root: sha256(left, right), depth: 64, indices, leaves };
    expect(verifyMultiproof(hasher, claim, nodes)).toBe(true);
    expect(verifyMultiproof(hasher, { ...claim, indices: [2n ** 63n - 2n, 2n ** 63n] }, nodes)).toBe(false);
  });

  it('10 000 indices of 2^16 leaves take no more than seconds', async () => {
    const size = 2 ** 16;
    const leaves = new Uint8Array(32 * size);
    for (let i = 0; i < size; i++) new DataView(leaves.buffer).setUint32(32 * i, i);
    const tree = await buildTree(hasher, leaves);
    const wanted = Array.from({ length: 10_000 }, (_, i) => (i * 40_503) % size);
    const start = performance.now();
    const proof = tree.proveMany(wanted);
    expect(proof.indices.length).toBe(new Set(wanted).size);
    const { root, depth } = tree;
    expect(verifyMultiproof(hasher, { root, depth, ...proof }, proof.nodes)).toBe(true);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
