/** Pedersen layers on the GPU beyond what all BN254 hashes are tested for: digits, windows, rows, tables, mutations. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest, digestAt, toHex } from '../../src/bytes.ts';
import { elementToBytes, fr } from '../../src/field/bn254.ts';
import { pairTable, rowTable } from '../../src/hash/pedersen-bn254-windows.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import type { BuiltTable, GpuKernels, HashSpec } from '../../src/hash/types.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { randomIntegers, readVectors } from '../support/bn254-vectors.ts';
import { altered, alteredGpu } from '../support/gpu.ts';

const spec = hashSpec('pedersen-bn254');
const module = await spec.load();
const kernels = await spec.gpu!();

const elements = (values: readonly bigint[]): Digest => concatBytes(...values.map(elementToBytes));

/** The hash with tables of other windows: of four bits, they are made in no time. */
const small: NonNullable<GpuKernels['built']> = (() => {
  const [pairs, rows] = [pairTable(4), rowTable(4, 16)];
  return { pairs: () => pairs, rows: () => rows };
})();
const withKernels = (part: Partial<GpuKernels>): HashSpec => ({
  ...spec,
  gpu: async () => ({ ...kernels, built: small, ...part }),
});
/** Bytes of each table that was made. All hashers share one device, so that texts are compiled once. */
const tables: number[] = [];
const gpu = await alteredGpu((device) =>
  altered(device, {
    createBuffer(descriptor) {
      if (descriptor.label === 'cambium table') tables.push(descriptor.size);
      return device.createBuffer(descriptor);
    },
  }),
);
const open = (hash: HashSpec): Promise<Hasher> =>
  createHasher(hash, { backend: 'gpu', crossCheck: 'off', threads: 0, gpu });

/** Elements whose windows are all the same digit, or whose top bits are, and others at the edges. */
const EDGES: readonly bigint[] = [
  ...[0n, 1n, 2n, fr.modulus - 1n, fr.modulus - 2n, (fr.modulus - 1n) / 2n],
  ...[1n, 2n, 3n].flatMap((top) => [top << 252n, (top << 252n) - 1n, (top << 252n) + 1n]),
  ...[0x111n, 0x777n, 0x888n, 0xfffn, 0x7ffn, 0x800n].map((digit) => {
    let value = 0n;
    for (let i = 0n; i < 21n; i++) value |= digit << (12n * i);
    return value;
  }),
].filter((value) => value < fr.modulus);

describe('[gpu] pedersen-bn254', () => {
  let shipped: Hasher;
  let other: Hasher;
  beforeAll(async () => {
    shipped = await open(spec);
    other = await open(withKernels({}));
  });
  afterAll(async () => {
    expect(shipped.info.counters.hashesCpu).toBe(0);
    await shipped.close();
    await other.close();
  });

  it('takes every digit at its edges, with every pair of top bits, in windows of 12 bits and of 4', async () => {
    const pairs = EDGES.flatMap((left, i) => [
      [left, EDGES[(5 * i + 3) % EDGES.length]!],
      [EDGES[(7 * i + 1) % EDGES.length]!, left],
    ]);
    const tops = [0n, 1n, 2n, 3n].flatMap((a) => [0n, 1n, 2n, 3n].map((b) => [a << 252n, (b << 252n) + 5n]));
    const all = [...pairs, ...tops];
    const expected = concatBytes(...all.map((pair) => module.hashElements!(pair)));
    expect(await shipped.hashPairs(elements(all.flat()))).toEqual(expected);
    expect(await other.hashPairs(elements(all.flat()))).toEqual(expected);
  });

  it('hashes random pairs to the same digests by both tables, one of each by the reference', async () => {
    const random = randomIntegers(6, fr.modulus);
    const values = Array.from({ length: 2 * 200 }, () => random.next().value);
    const digests = await shipped.hashPairs(elements(values));
    expect(await other.hashPairs(elements(values))).toEqual(digests);
    for (let i = 0; i < 200; i += 20) {
      expect(toHex(digestAt(digests, i))).toBe(toHex(module.hashElements!(values.slice(2 * i, 2 * i + 2))));
    }
  });

  it('hashes the published rows', async () => {
    const { vectors } = readVectors<{
      vectors: { inputs: string[]; hashIndex: number; hash: string }[];
    }>('pedersen_hash');
    const byLength = new Map<number, typeof vectors>();
    for (const vector of vectors) {
      const { length } = vector.inputs;
      // With the full matrix also those that need larger tables.
      if (vector.hashIndex || (length > 16 && !process.env.CAMBIUM_TEST_ALL)) continue;
      byLength.set(length, [...(byLength.get(length) ?? []), vector]);
    }
    expect(byLength.size).toBeGreaterThan(15);
    for (const [length, rows] of byLength) {
      const digests = await shipped.hashRows(
        elements(rows.flatMap(({ inputs }) => inputs.map(BigInt))),
        length,
      );
      expect(rows.map((_, i) => toHex(digestAt(digests, i)))).toEqual(rows.map(({ hash }) => hash));
    }
  });

  it('refuses rows of more elements than there are generators', async () => {
    const rows = new Uint8Array(32 * 1025);
    await expect(shipped.hashRows(rows, 1025)).rejects.toThrow(/1024/);
  });

  it('has its table once on a device, whoever reads it', async () => {
    const table = pairTable(6);
    const shared = { ...kernels, built: { ...small, pairs: () => table } };
    tables.length = 0;
    const hashers = [
      await open({ ...spec, gpu: async () => shared }),
      await open({ ...spec, gpu: async () => ({ ...shared }) }),
    ];
    expect(tables).toEqual([table.bytes]);
    for (const hasher of hashers) await hasher.close();
  });

  const broken = (table: BuiltTable, change: (seed: Digest) => void): BuiltTable => ({
    ...table,
    seed: async () => {
      const seed = await table.seed();
      change(seed);
      return seed;
    },
  });
  it.each([
    ['a start', 32 + 64 * 5 + 7],
    ['a point of a comb', 32 + 64 * 16 + 64 * 6 * 20 + 3],
    ['the bits of a window', 0],
  ])('is refused when %s is wrong', async (_, at) => {
    const pairs = broken(small.pairs(), (seed) => {
      seed[at]! ^= 1;
    });
    await expect(open(withKernels({ built: { ...small, pairs: () => pairs } }))).rejects.toThrow(
      /KERNEL_SELF_TEST/,
    );
  });

  it('is refused when its text is wrong', async () => {
    const from = 'fr_mul(y, s.zzz), s.y, negative)';
    expect(kernels.pairs.split(from).length).toBe(2);
    const pairs = kernels.pairs.replace(from, from.replace('negative', '!negative'));
    await expect(open(withKernels({ pairs }))).rejects.toThrow(/KERNEL_SELF_TEST/);
  });
});
