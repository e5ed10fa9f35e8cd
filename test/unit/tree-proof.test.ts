/** Proofs of one leaf against the naive tree, and everything that must be refused. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { buildTree, type MerkleTree } from '../../src/tree/merkle.ts';
import { type ProofClaim, verifyProof } from '../../src/tree/proof.ts';
import { naiveHeight, naiveLeaves, naiveSiblings, naiveZero, sha256 } from '../support/naive-tree.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const paddings = ['zero', 'promote', 'duplicate'] as const;
const most = naiveLeaves(300);
const grow = (size: number, options: Parameters<typeof buildTree>[2] = {}): Promise<MerkleTree> =>
  buildTree(hasher, concatBytes(...most.slice(0, size)), options);

/** What a verifier knows of this tree. */
const claimOf = (tree: MerkleTree, index: number): ProofClaim => {
  const { root, depth, size, padding } = tree;
  return { root, depth, size, padding, index, leaf: most[index]! };
};

const flip = (digest: Uint8Array, bit: number): Digest => {
  const changed = concatBytes(digest);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
};

describe.each(paddings)('proofs under padding %s', (padding) => {
  it('every index of 1 to 40 leaves', async () => {
    for (let size = 1; size <= 40; size++) {
      const tree = await grow(size, { padding });
      for (let index = 0; index < size; index++) {
        const proof = tree.prove(index);
        const expected = naiveSiblings(most.slice(0, size), index, naiveHeight(size), padding);
        expect(proof).toEqual({ index, leaf: most[index], siblings: expected });
        expect(verifyProof(hasher, claimOf(tree, index), proof.siblings)).toBe(true);
      }
    }
  });

  it('from a tree that keeps its upper layers alone', async () => {
    const messages = Array.from({ length: 45 }, (_, i) => new Uint8Array(i % 9).fill(i));
    const lengths = Uint32Array.from(messages, (message) => message.length);
    const joined = concatBytes(...messages.map((message) => sha256(message)));
    const whole = await buildTree(hasher, joined, { padding });
    for (const source of [joined, { messages: concatBytes(...messages), lengths }]) {
      for (const keepFrom of [1, 2, 5, 6, 50]) {
        const tree = await buildTree(hasher, source, { padding, keepFrom });
        for (let index = 0; index < 45; index++) expect(tree.prove(index)).toEqual(whole.prove(index));
        const some = [0, 7, 8, 31, 32, 44];
        expect(tree.proveMany(some)).toEqual(whole.proveMany(some));
      }
    }
  });

  it('refuses every change of one bit, of the index, and of the number of siblings', async () => {
    for (const size of [2, 3, 7, 11, 16]) {
      const tree = await grow(size, { padding });
      for (let index = 0; index < size; index++) {
        const claim = claimOf(tree, index);
        const { siblings } = tree.prove(index);
        for (let bit = 0; bit < 256; bit += 5) {
          expect(verifyProof(hasher, { ...claim, leaf: flip(claim.leaf, bit) }, siblings)).toBe(false);
          expect(verifyProof(hasher, { ...claim, root: flip(claim.root, bit) }, siblings)).toBe(false);
          siblings.forEach((sibling, i) => {
            expect(
              verifyProof(
                hasher,
                claim,
                siblings.map((other, j) => (j === i ? flip(sibling, bit) : other)),
              ),
            ).toBe(false);
          });
        }
        for (let other = 0; other < size; other++) {
          if (other !== index) expect(verifyProof(hasher, { ...claim, index: other }, siblings)).toBe(false);
        }
        expect(verifyProof(hasher, claim, [])).toBe(siblings.length === 0);
        expect(verifyProof(hasher, claim, siblings.slice(0, -1))).toBe(false);
        expect(verifyProof(hasher, claim, [...siblings, naiveZero(0)])).toBe(false);
      }
    }
  });

  it('proves any leaf of any tree', async () => {
    const place = fc.integer({ min: 1, max: 300 }).chain((n) => fc.tuple(fc.constant(n), fc.nat(n - 1)));
    await fc.assert(
      fc.asyncProperty(place, async ([size, index]) => {
        const tree = await grow(size, { padding });
        expect(verifyProof(hasher, claimOf(tree, index), tree.prove(index).siblings)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe('deep trees', () => {
  it.each([7, 20, 53, 54, 64])('virtual siblings up to depth %i', async (depth) => {
    const tree = await grow(5, { depth });
    for (let index = 0; index < 5; index++) {
      const { siblings } = tree.prove(index);
      expect(siblings).toEqual(naiveSiblings(most.slice(0, 5), index, depth, 'zero'));
      expect(verifyProof(hasher, claimOf(tree, index), siblings)).toBe(true);
      expect(verifyProof(hasher, { ...claimOf(tree, index), depth: depth - 1 }, siblings)).toBe(false);
    }
  });

  it.each([2n ** 53n, 2n ** 63n, 2n ** 64n - 1n])('index %s at depth 64', (index) => {
    const siblings = naiveLeaves(64, 'sibling');
    let root: Uint8Array = most[0]!;
    siblings.forEach((sibling, level) => {
      root = (index >> BigInt(level)) % 2n ? sha256(sibling, root) : sha256(root, sibling);
    });
    const claim = { root, leaf: most[0]!, index, depth: 64 };
    expect(verifyProof(hasher, claim, siblings)).toBe(true);
    expect(verifyProof(hasher, { ...claim, size: 2n ** 64n }, siblings)).toBe(true);
    expect(verifyProof(hasher, { ...claim, index: index ^ (1n << 63n) }, siblings)).toBe(false);
    expect(() => verifyProof(hasher, { ...claim, size: index }, siblings)).toThrow(/^index: /);
    expect(() => verifyProof(hasher, { ...claim, index: 2n ** 64n }, siblings)).toThrow(/^index: /);
  });

  it('takes a number above 2^53 for what it is: no exact index', () => {
    const claim = { root: most[0]!, leaf: most[0]!, index: 2 ** 60, depth: 64 };
    expect(() => verifyProof(hasher, claim, [])).toThrow(/^index: expected a whole number/);
  });
});

describe('claims that no tree can make', () => {
  const claim = { root: most[0]!, leaf: most[1]!, index: 1, depth: 2, size: 3 };
  const check = (change: object, siblings: unknown = []) =>
    expect(() => verifyProof(hasher, { ...claim, ...change } as ProofClaim, siblings as Uint8Array[]));

  it('throws a RangeError that names the field', () => {
    check({ root: new Uint8Array(31) }).toThrow(/^root: expected 32 bytes, got 31/);
    check({ leaf: new Uint8Array(33) }).toThrow(/^leaf: expected 32 bytes, got 33/);
    check({}, [most[0], new Uint8Array(0)]).toThrow(/^siblings\[1\]: expected 32 bytes, got 0/);
    for (const index of [-1, 3, 1.5, Number.NaN, -1n, 3n]) check({ index }).toThrow(/^index: /);
    for (const depth of [-1, 65, 0.5]) check({ depth }).toThrow(/^depth: /);
    for (const size of [0, 5, -1]) check({ size }).toThrow(/^size: /);
    check({ padding: 'odd' }).toThrow(/^padding: /);
    for (const padding of ['promote', 'duplicate']) {
      check({ padding, size: undefined }).toThrow(/^size: padding/);
      check({ padding, size: 2 }).toThrow(/^depth: 2 leaves/);
    }
    check({ padding: 'none' }).toThrow(/^size: padding 'none' at depth 2 has 4 leaves, got 3/);
  });

  it('throws a TypeError for other types', () => {
    check({ root: '00' }).toThrow(TypeError);
    check({ leaf: null }).toThrow(TypeError);
    check({ index: '1' }).toThrow(TypeError);
    check({ depth: undefined }).toThrow(TypeError);
    check({ size: '3' }).toThrow(TypeError);
    check({}, 'siblings').toThrow(TypeError);
    check({}, [7]).toThrow(/^siblings\[0\]: expected a Uint8Array, got Number/);
  });

  it('does not take an inner node for a leaf, because the verifier states the depth', async () => {
    const tree = await grow(8, { padding: 'none' });
    const { root, depth } = tree;
    const node = concatBytes(tree.layer(1).subarray(0, 32));
    const siblings = tree.prove(0).siblings.slice(1);
    expect(verifyProof(hasher, { root, depth: depth - 1, index: 0, leaf: node }, siblings)).toBe(true);
    expect(verifyProof(hasher, { root, depth, index: 0, leaf: node }, siblings)).toBe(false);
  });

  it('under duplicate, a node that stands alone has no sibling but itself', async () => {
    const tree = await grow(3, { padding: 'duplicate' });
    const four = await buildTree(hasher, concatBytes(...most.slice(0, 2), most[2]!, most[5]!));
    const { root } = four;
    const claim = { root, depth: 2, leaf: most[2]!, index: 2, padding: 'duplicate' as const };
    expect(verifyProof(hasher, { ...claim, size: 4 }, four.prove(2).siblings)).toBe(true);
    expect(verifyProof(hasher, { ...claim, size: 3 }, four.prove(2).siblings)).toBe(false);
    expect(verifyProof(hasher, claimOf(tree, 2), tree.prove(2).siblings)).toBe(true);
  });
});

describe('asking for proofs', () => {
  it('refuses an index that the tree does not have', async () => {
    const tree = await grow(5, { depth: 10 });
    for (const index of [-1, 5, 1023, 0.5, 5n]) expect(() => tree.prove(index)).toThrow(/^index: .* 0 to 4/);
    expect(() => tree.prove('1' as never)).toThrow(TypeError);
    expect(tree.prove(4n)).toEqual(tree.prove(4));
  });

  it('hands out copies', async () => {
    const tree = await grow(5, { depth: 10 });
    const { leaf, siblings } = tree.prove(4);
    for (const digest of [leaf, ...siblings]) digest.fill(0xff);
    expect(tree.prove(4).leaf).toEqual(most[4]);
    expect(verifyProof(hasher, claimOf(tree, 4), tree.prove(4).siblings)).toBe(true);
  });

  it('a stream that was not kept cannot be proved from', async () => {
    const stream = async function* () {
      yield concatBytes(...most.slice(0, 9));
    };
    const tree = await buildTree(hasher, stream(), { keepFrom: 1 });
    expect(() => tree.prove(0)).toThrow(/^keepFrom: .* stream .* need 0, it was built with 1/);
    expect((await buildTree(hasher, stream())).prove(8)).toEqual((await grow(9)).prove(8));
  });

  it('notices that the leaves have changed under it', async () => {
    const leaves = concatBytes(...most.slice(0, 16));
    const tree = await buildTree(hasher, leaves, { keepFrom: 2 });
    leaves[5 * 32]! ^= 1;
    expect(() => tree.prove(6)).toThrow(expect.objectContaining({ code: 'SOURCE_CHANGED' }));
    expect(verifyProof(hasher, claimOf(tree, 9), tree.prove(9).siblings)).toBe(true);
  });

  it('a tree that keeps everything does not follow its leaves', async () => {
    const leaves = concatBytes(...most.slice(0, 16));
    const tree = await buildTree(hasher, leaves);
    leaves.fill(0);
    expect(verifyProof(hasher, claimOf(tree, 9), tree.prove(9).siblings)).toBe(true);
  });

  it('outlives its hasher, unless lower layers must be hashed again', async () => {
    const closing = await createHasher('sha256', { backend: 'cpu', threads: 0 });
    const leaves = concatBytes(...most.slice(0, 5));
    const whole = await buildTree(closing, leaves, { depth: 9 });
    const upper = await buildTree(closing, leaves, { depth: 9, keepFrom: 1 });
    await closing.close();
    expect(whole.prove(4)).toEqual((await grow(5, { depth: 9 })).prove(4));
    expect(() => upper.prove(4)).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });
});
