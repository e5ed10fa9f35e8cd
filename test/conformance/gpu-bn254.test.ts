import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest, digestAt, fromHex, toHex } from '../../src/bytes.ts';
import { elementFromBytes, elementToBytes, fr } from '../../src/field/bn254.ts';
import { poseidon2Separated } from '../../src/hash/poseidon2-bn254.ts';
import { type HashId, hashSpec } from '../../src/hash/registry.ts';
import type { HashModule } from '../../src/hash/types.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { randomIntegers, readVectors } from '../support/bn254-vectors.ts';

const pairs = readVectors<{ vectors: { left: string; right: string; hash: string; pedersen: string }[] }>(
  'pair_hash',
).vectors;
const zeros = readVectors<Record<string, string[]>>('zero_hashes');
const circom = readVectors<{ vectors: { t: number; inputs: string[]; hash: string }[] }>('poseidon_circomlib')
  .vectors.filter(({ t }) => t === 3)
  .map(({ inputs: [left, right], hash }) => ({ left: left!, right: right!, hash }));

/** The published pairs of an id, and the digests of its empty trees. */
const VECTORS: readonly { id: HashId; published: typeof circom; empty: string }[] = [
  { id: 'poseidon2-bn254', published: pairs, empty: 'poseidon2' },
  {
    id: 'pedersen-bn254',
    published: pairs.map(({ pedersen, ...pair }) => ({ ...pair, hash: pedersen })),
    empty: 'pedersen',
  },
  { id: 'poseidon-bn254', published: circom, empty: 'poseidon_circomlib_t3' },
  ...([2982624097, 1157584160, 3756303423] as const).map((separator) => ({
    id: `poseidon2-bn254-sep-${separator}` as HashId,
    published: [],
    empty: `poseidon2_separator_${separator}`,
  })),
];

function randomElements(count: number, seed: number): Digest {
  const random = randomIntegers(seed, fr.modulus);
  return concatBytes(...Array.from({ length: count }, () => elementToBytes(random.next().value)));
}

const openGpu = (hash: Parameters<typeof createHasher>[0]): Promise<Hasher> =>
  createHasher(hash, { backend: 'gpu', crossCheck: 'off', threads: 0 });

function parentsByReference(module: HashModule, nodes: Uint8Array): Digest {
  const count = nodes.length / 64;
  return concatBytes(
    ...Array.from({ length: count }, (_, i) =>
      module.hashPair(digestAt(nodes, 2 * i), digestAt(nodes, 2 * i + 1)),
    ),
  );
}

describe.each(VECTORS)('[gpu] $id', ({ id, published, empty }) => {
  let hasher: Hasher;
  let module: HashModule;
  beforeAll(async () => {
    module = await hashSpec(id).load();
    hasher = await openGpu(id);
  });
  afterAll(async () => {
    expect(hasher.info.counters.hashesCpu).toBe(0);
    await hasher.close();
  });

  it('makes the digests of empty trees', async () => {
    const levels = 5;
    const { layers } = await hasher.hashTree(new Uint8Array(32 * 2 ** levels), { levels, keepFrom: 0 });
    expect(layers.map((layer) => toHex(digestAt(layer, 0)))).toEqual(zeros[empty]!.slice(0, levels + 1));
  });

  it('agrees with the reference around the edges of a workgroup', async () => {
    for (const count of [1, 2, 3, 63, 64, 65]) {
      const nodes = randomElements(2 * count, count);
      expect(await hasher.hashPairs(nodes)).toEqual(parentsByReference(module, nodes));
    }
  });

  it('takes the greatest element', async () => {
    const nodes = concatBytes(elementToBytes(fr.modulus - 1n), elementToBytes(fr.modulus - 1n));
    expect(await hasher.hashPairs(nodes)).toEqual(parentsByReference(module, nodes));
  });

  it('folds a tree of 37 leaves', async () => {
    const leaves = randomElements(37, 37);
    const { layers } = await hasher.hashTree(leaves, { keepFrom: 0 });
    let zero: Uint8Array = new Uint8Array(32);
    for (let k = 1; k < layers.length; k++) {
      const below = layers[k - 1]!;
      const whole = below.length % 64 ? concatBytes(below, zero) : below;
      expect(layers[k]).toEqual(parentsByReference(module, whole));
      zero = module.hashPair(zero, zero);
    }
    expect(layers).toHaveLength(7);
  });

  it('refuses the first element that is not canonical', async () => {
    const cases = [
      [fr.modulus, 0],
      [fr.modulus + 1n, 69],
      [2n ** 256n - 1n, 129],
    ] as const;
    for (const [bad, index] of cases) {
      const nodes = randomElements(130, index);
      nodes.set(elementToBytes(bad), 32 * index);
      nodes.set(elementToBytes(bad), 32 * 129);
      const refused = { code: 'NOT_CANONICAL', index };
      await expect(hasher.hashPairs(nodes)).rejects.toMatchObject(refused);
      await expect(hasher.hashTree(nodes)).rejects.toMatchObject(refused);
    }
  });

  // Separated nodes are published as digests of empty trees alone, and their rows are those of the plain hash.
  if (!published.length) return;
  it('hashes the published pairs', async () => {
    const nodes = concatBytes(...published.flatMap(({ left, right }) => [fromHex(left), fromHex(right)]));
    const digests = await hasher.hashPairs(nodes);
    expect(published.map((_, i) => toHex(digestAt(digests, i)))).toEqual(published.map(({ hash }) => hash));
  });

  it('hashes rows and columns of elements', async () => {
    for (const width of id === 'poseidon-bn254' ? [1, 2, 16] : [1, 3, 4, 7]) {
      const rows = randomElements(5 * width, width);
      const expected = Array.from({ length: 5 }, (_, i) =>
        module.hashElements!(
          Array.from({ length: width }, (_, j) => elementFromBytes(digestAt(rows, i * width + j), 0)),
        ),
      );
      expect(await hasher.hashRows(rows, width)).toEqual(concatBytes(...expected));
      const columns = Array.from({ length: width }, (_, j) =>
        concatBytes(...Array.from({ length: 5 }, (_, i) => digestAt(rows, i * width + j))),
      );
      const { layers } = await hasher.hashTree({ columns }, { keepFrom: 0 });
      expect(layers[0]).toEqual(concatBytes(...expected));
    }
  });

  it('refuses the first element of rows that is not canonical', async () => {
    const rows = randomElements(8, 8);
    rows.set(elementToBytes(fr.modulus), 32 * 5);
    const refused = { code: 'NOT_CANONICAL', index: 5 };
    await expect(hasher.hashRows(rows, 2)).rejects.toMatchObject(refused);
  });
});

describe('[gpu] Poseidon2 nodes with a separator of the user', () => {
  it('agree with the reference', async () => {
    const spec = poseidon2Separated(fr.modulus - 1n);
    const hasher = await openGpu(spec);
    const nodes = randomElements(8, 8);
    expect(await hasher.hashPairs(nodes)).toEqual(parentsByReference(await spec.load(), nodes));
    await hasher.close();
  });
});
