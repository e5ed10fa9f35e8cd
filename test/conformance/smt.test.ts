/** Sparse Merkle trees of fixed depth against published and derived vectors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/bytes.ts';
import { elementsToBytes } from '../../src/field/goldilocks.ts';
import { type HashId, hashes } from '../../src/hash/registry.ts';
import { type BackendChoice, createHasher, type Hasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { SimpleSmt } from '../../src/tree/simple-smt.ts';
import { emptySubtreeRoots } from '../../src/tree/smt/empty-roots.ts';
import type { SmtScheme } from '../../src/tree/smt/types.ts';
import { verifySmtProof } from '../../src/tree/smt/verify.ts';
import { Smt } from '../../src/tree/smt.ts';
import { hexOf, parse, readVectors } from '../support/goldilocks-vectors.ts';

type Word = string[];
interface Opening {
  readonly index: string;
  readonly siblings: Word[];
}
type SimpleCase = {
  readonly depth: number;
  readonly entries: { readonly index: string; readonly value: Word }[];
} & Record<string, { readonly root: Word; readonly opening?: Opening }>;
type SmtCase = { readonly entries: { readonly key: Word; readonly value: Word }[] } & Record<
  string,
  {
    readonly root: Word;
    readonly leaves: { readonly index: string; readonly digest: Word }[];
  }
>;

const SCHEMES: readonly { id: HashId; scheme: SmtScheme; published: string }[] = [
  { id: 'rpo-capacity-first', scheme: 'v0.19', published: 'rpo_capacity_first_v0_19' },
  { id: 'rpo', scheme: 'v0.21', published: 'rpo_rate_first_v0_21' },
  { id: 'poseidon2-miden', scheme: 'v0.24', published: 'poseidon2_v0_24' },
  { id: 'poseidon2-miden', scheme: 'v0.25', published: 'poseidon2_v0_25' },
];
const SIMPLE: readonly { id: HashId; published: string }[] = [
  { id: 'rpo', published: 'rpo_rate_first' },
  { id: 'rpo-capacity-first', published: 'rpo_capacity_first' },
  { id: 'poseidon2-miden', published: 'poseidon2_miden' },
];
const word = (elements: Word) => elementsToBytes(parse(elements));

function hasherFor(id: HashId, backend: BackendChoice): () => Hasher {
  let hasher: Hasher;
  beforeAll(async () => {
    hasher = await createHasher(id, { backend, crossCheck: 'off', threads: 0 });
  });
  afterAll(() => hasher.close());
  return () => hasher;
}

describe('empty subtree roots', () => {
  const { roots, height_255 } = readVectors<{
    roots: Record<string, Word[]>;
    height_255: Record<string, Word>;
  }>('smt_empty_roots');

  it.each([
    ['rpo_rate_first', 'rpo'],
    ['rpo_capacity_first', 'rpo-capacity-first'],
    ['rpx_rate_first', 'rpx'],
    ['poseidon2_miden', 'poseidon2-miden'],
    ['poseidon_plonky2', 'poseidon-plonky2'],
  ] as const)('are the published ones: %s', async (published, id) => {
    const spec = hashes.get(id)!;
    expect((await emptySubtreeRoots(spec)).map(toHex)).toEqual(roots[published]!.map(hexOf));
    const highest = height_255[published];
    if (highest) expect(toHex((await emptySubtreeRoots(spec, 255))[255]!)).toBe(hexOf(highest));
  });

  it('refuse other heights', async () => {
    await expect(emptySubtreeRoots(hashes.get('rpo')!, 256)).rejects.toThrow(RangeError);
    await expect(emptySubtreeRoots(hashes.get('rpo')!, -1)).rejects.toThrow(RangeError);
  });
});

describe.each([
  ['[gpu]', 'gpu'],
  ['[cpu]', 'cpu'],
] as const)('%s sparse Merkle trees', (_, backend) => {
  describe.each(SIMPLE)('SimpleSmt over $id', ({ id, published }) => {
    const hasher = hasherFor(id, backend);
    const { cases } = readVectors<{ cases: SimpleCase[] }>('simple_smt');
    // A software adapter takes its time over 64 levels of a slow hash.
    const some =
      backend === 'gpu' && process.env.CAMBIUM_TEST_ALL !== '1' ? [cases[3]!, cases.at(-1)!] : cases;

    it('has the derived roots and openings', async () => {
      expect(cases).toHaveLength(12);
      for (const { depth, entries, [published]: wanted } of some) {
        const { root, opening } = wanted as { root: Word; opening?: Opening };
        const tree = await SimpleSmt.open(hasher(), memoryStore(), { depth });
        const made = await tree.setMany(
          entries.map(({ index }) => BigInt(index)),
          concatBytes(...entries.map(({ value }) => word(value))),
        );
        expect(toHex(made)).toBe(hexOf(root));
        if (!opening) continue;
        const { leaf, index, siblings } = await tree.prove(BigInt(opening.index));
        expect(siblings.map(toHex)).toEqual(opening.siblings.map(hexOf));
        expect(verifyProof(hasher(), { root: made, leaf, index, depth }, siblings)).toBe(true);
      }
    });
  });

  describe.each(SCHEMES)('Smt $scheme', ({ id, scheme, published }) => {
    const hasher = hasherFor(id, backend);
    const { cases } = readVectors<{ cases: SmtCase[] }>('smt');
    const some = backend === 'gpu' && process.env.CAMBIUM_TEST_ALL !== '1' ? [cases[6]!] : cases;

    it('has the roots and leaves of its version', async () => {
      expect(cases).toHaveLength(9);
      for (const { entries, [published]: wanted } of some) {
        const { root, leaves } = wanted as SmtCase[string];
        const tree = await Smt.open(hasher(), memoryStore(), { scheme });
        const all = concatBytes(...entries.map(({ key, value }) => concatBytes(word(key), word(value))));
        const made = await tree.insertMany(all);
        expect(toHex(made)).toBe(hexOf(root));
        expect(tree.size).toBe(entries.length);
        expect(tree.leafCount).toBe(leaves.length);
        for (const { key, value } of entries) {
          const proof = await tree.prove(word(key));
          expect(toHex(proof.value)).toBe(hexOf(value));
          const claim = { scheme, root: made, key: word(key), value: word(value) };
          expect(verifySmtProof(hasher(), claim, proof)).toBe(true);
        }
      }
    });

    it('has the same root one entry after the other, in another order', async () => {
      const { entries, [published]: wanted } = cases[backend === 'gpu' ? 2 : 6]!;
      const tree = await Smt.open(hasher(), memoryStore(), { scheme });
      for (const { key, value } of [...entries].reverse()) await tree.insert(word(key), word(value));
      expect(toHex(await tree.root())).toBe(hexOf((wanted as SmtCase[string]).root));
    });
  });
});

it('hashes leaves of v0.25 in their domain, by kernels as by the reference', async () => {
  const { leafSpec, reference } = await import('../../src/hash/poseidon2-miden-leaf.ts');
  const leafHasher = await createHasher(leafSpec, { backend: 'cpu', threads: 0 });
  const pair = elementsToBytes(Array.from({ length: 8 }, (_, i) => BigInt(i) ** 20n));
  expect(toHex(leafHasher.hashPairsSync(pair))).toBe(
    toHex(reference.hashPair(pair.subarray(0, 32), pair.subarray(32))),
  );
  expect(leafHasher.info.cpu.engine).not.toContain('reference');
  const published = readVectors<{ cases: SmtCase[] }>('smt').cases.at(-1)!;
  const { key, value } = published.entries[0]!;
  const digest = toHex(leafHasher.hashPair(word(key), word(value)));
  const { leaves } = published.poseidon2_v0_25 as SmtCase[string];
  expect(leaves.map((leaf) => hexOf(leaf.digest))).toContain(digest);
  expect(fromHex(digest)).toHaveLength(32);
  await leafHasher.close();
});
