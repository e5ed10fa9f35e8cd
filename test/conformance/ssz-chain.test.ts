/** Beacon blocks and states, registries of validators, and the merkleization under them. */
import { afterAll, describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import * as ssz from '../../src/ssz/index.ts';
import { expectBytes, stream } from '../support/cpu.ts';
import { loadSsz, typeOf } from '../support/ssz-vectors.ts';
import { balances, validators } from '../support/validators.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 1 });
afterAll(() => hasher.close());

describe.each(['beacon_minimal', 'beacon_mainnet'])('%s', (file) => {
  interface BeaconCase {
    readonly name: string;
    readonly type_name: string;
    readonly bytes: number;
    readonly root: string;
    readonly serialized?: string;
    readonly serialized_sha256?: string;
    readonly field_roots: Readonly<Record<string, string>>;
  }
  const { types, cases } = loadSsz<{ types: Record<string, unknown>; cases: BeaconCase[] }>(file);

  it.each(cases)(
    '$name',
    async ({ type_name, bytes: size, root, serialized, serialized_sha256, field_roots }) => {
      const type = typeOf(types[type_name]) as ssz.ContainerType;
      const bytes = serialized ? fromHex(serialized) : ssz.serialize(type, ssz.defaultValue(type));
      expect(bytes.length).toBe(size);
      if (serialized_sha256) expect(toHex(hasher.hash(bytes))).toBe(serialized_sha256);
      const value = ssz.deserialize(type, bytes) as Record<string, ssz.SszValue>;
      expectBytes(ssz.serialize(type, value), bytes);
      for (const field of type.fields) {
        const got = toHex(ssz.hashTreeRootSync(hasher, field.type, value[field.name]!));
        expect(got, field.name).toBe(field_roots[field.name]);
      }
      expect(toHex(await ssz.hashTreeRoot(hasher, type, ssz.serialized(bytes)))).toBe(root);
    },
  );
});

describe('registries', () => {
  interface Registry {
    readonly count: number;
    readonly serialized_sha256: string;
    readonly root: string;
    readonly data_root?: string;
  }
  interface RegistryFile {
    readonly type: unknown;
    readonly lists: readonly Required<Registry>[];
    readonly balances: readonly Registry[];
    readonly validator_samples: readonly { index: number; serialized: string; root: string }[];
    readonly root_vectors: readonly { seed: string; root: string }[];
  }
  const file = loadSsz<RegistryFile>('validators');
  const validator = typeOf(file.type);
  const registry = ssz.list(validator, 2n ** 40n);

  it.each(file.lists)('$count validators', async ({ count, serialized_sha256, root, data_root }) => {
    const bytes = validators(count);
    expect(toHex(hasher.hash(bytes))).toBe(serialized_sha256);
    expect(toHex(ssz.hashTreeRootSync(hasher, registry, ssz.serialized(bytes)))).toBe(root);
    expect(toHex(await ssz.hashTreeRoot(hasher, registry, ssz.deserialize(registry, bytes)))).toBe(root);
    // The node under the length.
    const { leaf } = await ssz.createProof(hasher, registry, ssz.serialized(bytes), 2n);
    expect(toHex(leaf)).toBe(data_root);
  });

  describe('[gpu]', () => {
    it.each(file.lists)('$count validators, levels on the device', async ({ count, root }) => {
      const gpu = await createHasher('sha256', { backend: 'gpu', crossCheck: 'off', threads: 0 });
      try {
        expect(toHex(await ssz.hashTreeRoot(gpu, registry, ssz.serialized(validators(count))))).toBe(root);
        // Each validator costs one hash for its key and seven for its eight fields.
        expect(gpu.info.counters.hashesGpu).toBeGreaterThanOrEqual(count > 16 ? 8 * count : 0);
      } finally {
        await gpu.close();
      }
    });
  });

  it.each(file.balances)('$count balances', async ({ count, serialized_sha256, root }) => {
    const type = ssz.list(ssz.uint64, 2n ** 40n);
    const bytes = balances(count);
    expect(toHex(hasher.hash(bytes))).toBe(serialized_sha256);
    expect(toHex(await ssz.hashTreeRoot(hasher, type, ssz.serialized(bytes)))).toBe(root);
    expect(toHex(ssz.hashTreeRootSync(hasher, type, new BigUint64Array(bytes.buffer)))).toBe(root);
  });

  it.each(file.validator_samples)('validator $index', ({ index, serialized, root }) => {
    expect(toHex(validators(index + 1).subarray(index * 121))).toBe(serialized);
    expect(toHex(ssz.hashTreeRootSync(hasher, validator, ssz.serialized(fromHex(serialized))))).toBe(root);
  });

  it.each(file.root_vectors)('roots of $seed', async ({ seed, root }) => {
    const type = ssz.vector(ssz.byteVector(32), 8192);
    const value = ssz.serialized(stream(seed, 262_144));
    expect(toHex(await ssz.hashTreeRoot(hasher, type, value))).toBe(root);
  });
});

describe('merkleization', () => {
  interface Case {
    readonly chunks: number;
    readonly seed?: string;
    readonly fill?: number;
    readonly limit: string | null;
    readonly root: string;
  }
  const { valid, invalid } = loadSsz<{ valid: Case[]; invalid: Case[] }>('merkleize');
  const chunksOf = ({ chunks, seed, fill }: Case): Uint8Array =>
    seed === undefined ? new Uint8Array(32 * chunks).fill(Number(fill)) : stream(seed, 32 * chunks);
  const limitOf = ({ limit }: Case): bigint | undefined => (limit === null ? undefined : BigInt(limit));

  it.each(valid)('$chunks chunks, limit $limit', async (vector) => {
    expect(toHex(await ssz.merkleize(hasher, chunksOf(vector), limitOf(vector)))).toBe(vector.root);
  });

  it.each(invalid)('refuses $chunks chunks, limit $limit', async (vector) => {
    await expect(ssz.merkleize(hasher, chunksOf(vector), limitOf(vector))).rejects.toThrow(RangeError);
  });

  const { cases } = loadSsz<{ cases: Required<Omit<Case, 'fill' | 'limit'>>[] }>('merkleize_progressive');

  it.each(cases)('$chunks chunks, progressive', async ({ chunks, seed, root }) => {
    expect(toHex(await ssz.merkleizeProgressive(hasher, stream(seed, 32 * chunks)))).toBe(root);
  });

  interface MixIn {
    readonly kind: string;
    readonly root: string;
    readonly value: string | readonly number[];
    readonly result: string;
  }
  const mixins = loadSsz<{ cases: MixIn[] }>('mixins').cases;

  it.each(mixins)('mix-in of $kind $value', ({ root, value, result }) => {
    const mixed =
      typeof value === 'string'
        ? ssz.mixInNumber(hasher, fromHex(root), BigInt(value))
        : ssz.mixInActiveFields(hasher, fromHex(root), value.map(Boolean));
    expect(toHex(mixed)).toBe(result);
  });
});
