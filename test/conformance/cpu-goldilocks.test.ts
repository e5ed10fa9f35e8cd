/** Goldilocks hashes in WASM, every build: vectors, rows and messages of all lengths, pairs in place. */
import { describe, expect, it } from 'vitest';
import type { KernelSource } from '../../kernels/lib/kernel.ts';
import { fromHex, toHex } from '../../src/bytes.ts';
import { elementsToBytes } from '../../src/field/goldilocks.ts';
import { type HashId, hashSpec } from '../../src/hash/registry.ts';
import { expectBytes, randomBytes } from '../support/cpu.ts';
import { EDGES } from '../support/goldilocks-edges.ts';
import { hexOf, parse, readVectors, seriesElement } from '../support/goldilocks-vectors.ts';
import { enginesOf } from '../support/kernels.ts';

type Layout = 'rate_first' | 'capacity_first';
type Words = Record<Layout | 'left' | 'right' | 'digest' | 'in', string[]> & { in_hex: string };

const IDS: readonly HashId[] = [
  'rpo',
  'rpx',
  'rpo-capacity-first',
  'rpx-capacity-first',
  'poseidon-plonky2',
  'poseidon2-miden',
  'poseidon2-plonky3-12',
  'poseidon2-plonky3-8',
];

/** Published pairs, rows and messages of a hash, with their digests. */
function vectorsOf(id: HashId): {
  pairs: [string, string][];
  rows: [bigint[], string][];
  messages: [string, string][];
} {
  if (id === 'poseidon-plonky2') {
    type Row = { in: string[]; no_pad: string[] };
    const { two_to_one, hash_no_pad } = readVectors<{ two_to_one: Words[]; hash_no_pad: Row[] }>(
      'poseidon_plonky2',
    );
    return {
      pairs: two_to_one.map((row) => [hexOf([...row.left, ...row.right]), hexOf(row.digest)]),
      rows: hash_no_pad.map((row) => [parse(row.in), hexOf(row.no_pad)]),
      messages: [],
    };
  }
  if (id.startsWith('poseidon2')) {
    const all =
      readVectors<Record<'miden_poseidon2' | 'padding_free_sponge', Record<string, Words[]>>>('poseidon2');
    const [pairs, rows, messages] = {
      'poseidon2-miden': (['merge', 'hash_elements', 'hash_bytes'] as const).map(
        (name) => all.miden_poseidon2[name]!,
      ),
      'poseidon2-plonky3-12': ['compress_width_12', 'width_12_rate_8'].map(
        (name) => all.padding_free_sponge[name]!,
      ),
      'poseidon2-plonky3-8': ['compress_width_8', 'width_8_rate_4'].map(
        (name) => all.padding_free_sponge[name]!,
      ),
    }[id as 'poseidon2-miden'] as [Words[], Words[], Words[] | undefined];
    return {
      pairs: pairs.map((row) => [hexOf([...row.left, ...row.right]), hexOf(row.digest)]),
      rows: rows.map((row) => [parse(row.in), hexOf(row.digest)]),
      messages: (messages ?? []).map((row) => [row.in_hex, hexOf(row.digest)]),
    };
  }
  const name = id.slice(0, 3);
  const layout: Layout = id.endsWith('capacity-first') ? 'capacity_first' : 'rate_first';
  const { merge } = readVectors<{ merge: Words[] }>(`${name}_merge`);
  const { random } = readVectors<{ random: Words[] }>(`${name}_hash_elements`);
  const { cases } = readVectors<{ cases: Words[] }>(`${name}_hash_bytes`);
  return {
    pairs: merge.map((row) => [hexOf([...row.left, ...row.right]), hexOf(row[layout])]),
    rows: random.map((row) => [parse(row.in), hexOf(row[layout])]),
    messages: cases.map((row) => [row.in_hex, hexOf(row[layout])]),
  };
}

const elements = (count: number, first: number): bigint[] =>
  Array.from({ length: count }, (_, i) =>
    (i + first) % 5 ? seriesElement(i + first) : EDGES[(i + first) % 13]!,
  );

describe.each(IDS)('%s', async (id) => {
  const { kernels } = (await import(`../../kernels/hash/${id}.ts`)) as { kernels: KernelSource };
  const reference = await hashSpec(id).load();
  const vectors = vectorsOf(id);

  describe.each(enginesOf(kernels))('%s', (_, engine) => {
    it('has the published digests', () => {
      expect(vectors.pairs.length).toBeGreaterThan(0);
      expect(vectors.rows.length).toBeGreaterThan(0);
      for (const [nodes, digest] of vectors.pairs) {
        const out = new Uint8Array(32);
        engine.hashPairs(fromHex(nodes), out);
        expect(toHex(out)).toBe(digest);
      }
      for (const [row, digest] of vectors.rows) {
        const out = new Uint8Array(32);
        engine.hashRows!(elementsToBytes(row), row.length, out);
        expect(toHex(out), `${row.length} elements`).toBe(digest);
      }
      for (const [message, digest] of vectors.messages) {
        const bytes = fromHex(message);
        const out = new Uint8Array(32);
        engine.hashMessages!(bytes, Uint32Array.of(bytes.length), out);
        expect(toHex(out), `${bytes.length} bytes`).toBe(digest);
      }
    });

    it('layers of all widths, in place too', () => {
      for (const pairs of [0, 1, 2, 3, 4, 5, 7, 9]) {
        const nodes = elementsToBytes(elements(8 * pairs, pairs));
        const right = new Uint8Array(32 * pairs);
        for (let i = 0; i < pairs; i++) {
          const [left, other] = [
            nodes.subarray(64 * i, 64 * i + 32),
            nodes.subarray(64 * i + 32, 64 * i + 64),
          ];
          right.set(reference.hashPair(left, other), 32 * i);
        }
        engine.hashPairs(nodes, nodes.subarray(0, 32 * pairs));
        expectBytes(nodes.subarray(0, 32 * pairs), right, `${pairs} pairs`);
      }
    });

    it('rows of 0 to 40 elements, and no rows', () => {
      for (let length = 0; length <= 40; length++) {
        const rows = Array.from({ length: 5 }, (_, i) => elements(length, 7 * i));
        const out = new Uint8Array(32 * rows.length);
        engine.hashRows!(elementsToBytes(rows.flat()), length, out);
        const right = rows.flatMap((row) => [...reference.hashElements!(row)]);
        expectBytes(out, Uint8Array.from(right), `${length} elements`);
      }
      engine.hashRows!(new Uint8Array(0), 3, new Uint8Array(0));
    });

    if (!reference.hash) return;
    it('messages of 0 to 300 bytes, alone and beside others', () => {
      const lengths = Uint32Array.from({ length: 301 }, (_, i) => i);
      const messages = randomBytes(lengths.reduce((sum, length) => sum + length, 0));
      const right = new Uint8Array(32 * lengths.length);
      let start = 0;
      for (const length of lengths) {
        right.set(reference.hash!(messages.subarray(start, start + length)), 32 * length);
        start += length;
      }
      const out = new Uint8Array(right.length);
      engine.hashMessages!(messages, lengths, out);
      expectBytes(out, right);
    });
  });
});
