import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, digestAt, toHex } from '../../src/bytes.ts';
import { elementsToBytes } from '../../src/field/goldilocks.ts';
import type { HashId } from '../../src/hash/registry.ts';
import { type BackendChoice, createHasher, type Hasher } from '../../src/hasher.ts';
import { buildTree, merkleRoot } from '../../src/tree/merkle.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { hexOf, parse, readVectors, seriesElement } from '../support/goldilocks-vectors.ts';

interface SchemeTree {
  root: string[];
  layers?: string[][][];
  paths?: { index: number; siblings: string[][] }[];
}
type TreeCase = { depth: number; num_leaves: number } & Record<string, SchemeTree>;
interface CapCase {
  num_leaves: number;
  leaf_len: number;
  cap_height: number;
  cap: string[][];
  root: string[];
  paths: { index: number; siblings: string[][] }[];
}

const SCHEMES: readonly { id: HashId; scheme: string }[] = [
  { id: 'rpo', scheme: 'rpo_rate_first' },
  { id: 'rpo-capacity-first', scheme: 'rpo_capacity_first' },
  { id: 'rpx', scheme: 'rpx_rate_first' },
  { id: 'poseidon2-miden', scheme: 'poseidon2_miden' },
  { id: 'poseidon-plonky2', scheme: 'poseidon_plonky2' },
];
/** Trees up to this depth: software adapters take their time. */
const MAX_DEPTH = { cpu: 10, gpu: process.env.CAMBIUM_TEST_ALL === '1' ? 10 : 6 };
/** RPX is published up to here. */
const RPX_DEPTH = 8;

const series = (count: number): Uint8Array =>
  elementsToBytes(Array.from({ length: count }, (_, i) => seriesElement(i)));
const wordBytes = (word: string[]): Uint8Array => elementsToBytes(parse(word));

/** Opens a hasher that works on one backend alone, for the tests of a suite. */
function hasherFor(id: HashId, backend: BackendChoice): () => Hasher {
  let hasher: Hasher;
  beforeAll(async () => {
    hasher = await createHasher(id, { backend, crossCheck: 'off', threads: 0 });
  });
  afterAll(async () => {
    if (backend === 'gpu') expect(hasher.info.counters.hashesCpu).toBe(0);
    else expect(hasher.info.counters.hashesGpu).toBe(0);
    await hasher.close();
  });
  return () => hasher;
}

describe.each([
  ['[gpu]', 'gpu'],
  ['[cpu]', 'cpu'],
] as const)('%s Goldilocks trees', (_, backend) => {
  describe.each(SCHEMES)('$id', ({ id, scheme }) => {
    const hasher = hasherFor(id, backend);

    it('has the published roots, layers and paths', async () => {
      const trees = readVectors<{ trees: TreeCase[] }>('merkle').trees.filter(
        (tree) => tree.depth <= MAX_DEPTH[backend] && scheme in tree,
      );
      expect(trees).toHaveLength(id === 'rpx' ? Math.min(RPX_DEPTH, MAX_DEPTH[backend]) : MAX_DEPTH[backend]);
      for (const tree of trees) {
        const published = tree[scheme]!;
        const leaves = series(4 * tree.num_leaves);
        const built = await buildTree(hasher(), leaves, { padding: 'none' });
        expect(toHex(built.root)).toBe(hexOf(published.root));
        published.layers?.forEach((layer, k) => {
          expect(toHex(built.layer(k + 1))).toBe(toHex(concatBytes(...layer.map(wordBytes))));
        });
        for (const { index, siblings } of published.paths ?? []) {
          expect(built.prove(index).siblings.map(toHex)).toEqual(siblings.map(hexOf));
        }
      }
    });
  });

  describe('poseidon-plonky2 with caps', () => {
    const hasher = hasherFor('poseidon-plonky2', backend);

    it('hashes rows to leaves by hash_or_noop, as rows and as columns', async () => {
      const { cases } = readVectors<{ cases: CapCase[] }>('merkle_plonky2_cap');
      expect(cases).toHaveLength(22);
      for (const { num_leaves, leaf_len, cap_height, cap, root, paths } of cases) {
        const rows = series(num_leaves * leaf_len);
        const source = { rows, rowElements: leaf_len, rule: 'or-noop' } as const;
        const tree = await buildTree(hasher(), source, { padding: 'none' });
        expect(toHex(tree.root)).toBe(hexOf(root));
        const nodes = tree.cap(cap_height);
        cap.forEach((node, i) => {
          expect(toHex(digestAt(nodes, i))).toBe(hexOf(node));
        });
        for (const { index, siblings } of paths) {
          expect(tree.prove(index).siblings.slice(0, siblings.length).map(toHex)).toEqual(
            siblings.map(hexOf),
          );
        }
        const columns = Array.from({ length: leaf_len }, (_, j) =>
          concatBytes(
            ...Array.from({ length: num_leaves }, (_, i) =>
              rows.subarray(8 * (i * leaf_len + j), 8 * (i * leaf_len + j) + 8),
            ),
          ),
        );
        const again = await merkleRoot(hasher(), { columns, rule: 'or-noop' }, { padding: 'none' });
        expect(toHex(again)).toBe(hexOf(root));
      }
    });
  });
});

it('proofs of field hashes verify with the reference alone', async () => {
  const hasher = await createHasher('poseidon2-plonky3-12', { backend: 'cpu', threads: 0 });
  const leaves = series(4 * 5);
  const tree = await buildTree(hasher, leaves);
  const { index, leaf, siblings } = tree.prove(3);
  const claim = { root: tree.root, leaf, index, depth: 3 };
  expect(verifyProof(hasher, claim, siblings)).toBe(true);
  expect(verifyProof(hasher, { ...claim, index: 2 }, siblings)).toBe(false);
  await hasher.close();
});
