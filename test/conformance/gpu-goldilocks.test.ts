import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/backend/cpu/engine.ts';
import { type OpenGpu, openGpuBackend } from '../../src/backend/gpu/index.ts';
import type { ChunkJob } from '../../src/backend/types.ts';
import { concatBytes, type Digest, fromHex, toHex } from '../../src/bytes.ts';
import { elementsToBytes, gl } from '../../src/field/goldilocks.ts';
import { type HashId, hashSpec } from '../../src/hash/registry.ts';
import type { HashModule } from '../../src/hash/types.ts';
import { hexOf, parse, readVectors, seriesElement } from '../support/goldilocks-vectors.ts';

type Merge = Record<string, string[]> & { left: string[]; right: string[] };
type ByteCases = (Record<string, string[]> & { in_hex: string })[];

/** Where the published pairs and byte hashes of an id are. */
const VECTORS: readonly { id: HashId; pairs: () => Merge[]; key: string; bytes?: () => ByteCases }[] = [
  ...(['rpo', 'rpx'] as const).flatMap((family) =>
    (['rate_first', 'capacity_first'] as const).map((key) => ({
      id: (key === 'rate_first' ? family : `${family}-capacity-first`) as HashId,
      pairs: () => readVectors<{ merge: Merge[] }>(`${family}_merge`).merge,
      key,
      bytes: () => readVectors<{ cases: ByteCases }>(`${family}_hash_bytes`).cases,
    })),
  ),
  {
    id: 'poseidon-plonky2',
    pairs: () => readVectors<{ two_to_one: Merge[] }>('poseidon_plonky2').two_to_one,
    key: 'digest',
  },
  {
    id: 'poseidon2-miden',
    pairs: () => readVectors<{ miden_poseidon2: { merge: Merge[] } }>('poseidon2').miden_poseidon2.merge,
    key: 'digest',
    bytes: () =>
      readVectors<{ miden_poseidon2: { hash_bytes: ByteCases } }>('poseidon2').miden_poseidon2.hash_bytes,
  },
  ...([8, 12] as const).map((width) => ({
    id: `poseidon2-plonky3-${width}` as HashId,
    pairs: () =>
      readVectors<{ padding_free_sponge: Record<string, Merge[]> }>('poseidon2').padding_free_sponge[
        `compress_width_${width}`
      ]!,
    key: 'digest',
  })),
];

const elements = (count: number, first = 0): Digest =>
  elementsToBytes(Array.from({ length: count }, (_, i) => seriesElement(first + i)));

describe.each(VECTORS)('[gpu] $id', ({ id, pairs, key, bytes }) => {
  let gpu: OpenGpu;
  let module: HashModule;
  beforeAll(async () => {
    const spec = hashSpec(id);
    module = await spec.load();
    const { messageBlocks } = module;
    const opened = await openGpuBackend(spec, { engine: referenceEngine(module, spec.input), messageBlocks });
    if ('refused' in opened) throw new Error(opened.refused);
    gpu = opened;
  });
  afterAll(() => gpu?.backend.close());

  async function hashPairs(nodes: Uint8Array): Promise<Uint8Array> {
    const out = new Uint8Array(nodes.length / 2);
    await gpu.backend.pairs({ nodes, out, samples: 0 });
    return out;
  }

  const job = (source: ChunkJob['source'], leafCount: number, levels: number): ChunkJob => ({
    source,
    leafCount,
    levels,
    padding: 'zero',
    zeros: Array.from({ length: levels + 1 }, () => new Uint8Array(32)),
    samples: 0,
  });

  it('merges the published pairs', async () => {
    const rows = pairs();
    const words = rows.flatMap(({ left, right }) => [...left, ...right]);
    const digests = await hashPairs(elementsToBytes(parse(words)));
    rows.forEach((row, i) => {
      expect(toHex(digests.subarray(32 * i, 32 * i + 32))).toBe(hexOf(row[key]!));
    });
  });

  it('agrees with the reference around the edges of a workgroup', async () => {
    for (const count of [1, 2, 15, 16, 17, 63, 64, 65]) {
      const nodes = elements(8 * count, count);
      const expected = Array.from({ length: count }, (_, i) =>
        module.hashPair(nodes.subarray(64 * i, 64 * i + 32), nodes.subarray(64 * i + 32, 64 * i + 64)),
      );
      expect(toHex(await hashPairs(nodes))).toBe(toHex(concatBytes(...expected)));
    }
  });

  it('folds a small tree', async () => {
    const digests = elements(4 * 37);
    const { layers } = await gpu.backend.chunk(job({ kind: 'digests', digests }, 37, 6));
    let level = Array.from({ length: 37 }, (_, i) => digests.subarray(32 * i, 32 * i + 32));
    const zero = new Uint8Array(32);
    while (level.length > 1) {
      level = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) =>
        module.hashPair(level[2 * i]!, level[2 * i + 1] ?? zero),
      );
    }
    expect(toHex(layers[0]!)).toBe(toHex(level[0]!));
  });

  it('refuses the first element that is not canonical', async () => {
    for (const bad of [gl.modulus, 2n ** 64n - 1n]) {
      for (const index of [0, 301, 519]) {
        const nodes = elements(520);
        nodes.set(elementsToBytes([bad]), 8 * index);
        nodes.set(elementsToBytes([bad]), 8 * 519);
        const refused = { code: 'NOT_CANONICAL', index };
        await expect(hashPairs(nodes)).rejects.toMatchObject(refused);
        const leaves = job({ kind: 'digests', digests: nodes }, 130, 8);
        await expect(gpu.backend.chunk(leaves)).rejects.toMatchObject(refused);
        const later = { code: 'NOT_CANONICAL', index: index + 4 * 2 ** 33 };
        await expect(gpu.backend.chunk({ ...leaves, firstLeaf: 2 ** 33 })).rejects.toMatchObject(later);
      }
    }
    const top = elementsToBytes(Array<bigint>(8).fill(gl.modulus - 1n));
    expect(toHex(await hashPairs(top))).toBe(toHex(module.hashPair(top.subarray(0, 32), top.subarray(32))));
  });

  // Hashes without a byte form have no such kernel, and no such test.
  if (!bytes) return;
  it('hashes the published messages, in one batch', async () => {
    const rows = bytes();
    const messages = rows.map(({ in_hex }) => fromHex(in_hex));
    const lengths = Uint32Array.from(messages, (message) => message.length);
    const source = { kind: 'messages', messages: concatBytes(...messages), lengths } as const;
    const { layers } = await gpu.backend.chunk(job(source, rows.length, 0));
    rows.forEach((row, i) => {
      expect(toHex(layers[0]!.subarray(32 * i, 32 * i + 32))).toBe(hexOf(row[key]!));
    });
  });
});
