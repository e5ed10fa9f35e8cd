import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bytes.ts';
import { elementsToBytes } from '../../src/field/goldilocks.ts';
import type { MidenModule } from '../../src/hash/miden-sponge.ts';
import {
  rescueConstants,
  rescueMatrix,
  rescueMultiply,
  rpoPermutation,
  rpoStates,
  rpxPermutation,
  rpxStates,
} from '../../src/hash/rescue-prime.ts';
import { reference as rpo } from '../../src/hash/rpo.ts';
import { reference as rpoCapacityFirst } from '../../src/hash/rpo-capacity-first.ts';
import { hashBytesLegacy, hashElementsLegacy } from '../../src/hash/rpo-legacy.ts';
import { reference as rpx } from '../../src/hash/rpx.ts';
import { reference as rpxCapacityFirst } from '../../src/hash/rpx-capacity-first.ts';
import { hexOf, parse, readVectors } from '../support/goldilocks-vectors.ts';

type Digests = { rate_first: string[]; capacity_first: string[] };
interface Constants {
  mds_row: number[];
  ark1: string[][];
  ark2: string[][];
}
interface PermutationVectors {
  cases: { in: string[]; out: string[] }[];
  non_canonical_inputs: { in: string[]; out: string[] }[];
  trace: { in: string[]; states: string[][] };
  mds_only?: { in: string[]; out: string[] }[];
  mds_reduction_edge?: { cases: { in: string[]; out: string[] }[] };
}
interface ElementVectors {
  sequence: ({ n: number } & Digests)[];
  random: ({ in: string[] } & Digests)[];
  in_domain: ({ in: string[]; domain: string } & Digests)[];
  legacy_padding_v0_9?: { cases: { n: number; digest: string[] }[] };
}
interface ByteVectors {
  cases: ({ in_hex: string } & Digests)[];
  zeros: ({ n: number } & Digests)[];
  ones: ({ n: number } & Digests)[];
}
interface MergeVectors {
  merge: ({ left: string[]; right: string[] } & Digests)[];
  merge_in_domain: ({ left: string[]; right: string[]; domain: string } & Digests)[];
  merge_with_int?: ({ seed: string[]; value: string } & Digests)[];
}

const wordBytes = (word: string[]): Uint8Array => elementsToBytes(parse(word));
const sequence = (n: number): bigint[] => Array.from({ length: n }, (_, i) => BigInt(i));

it('derives the published constants', () => {
  const { mds_row, ark1, ark2 } = readVectors<Constants>('constants_rpo');
  expect(rescueMatrix).toEqual(mds_row);
  expect(rescueConstants()).toEqual(ark1.flatMap((row, round) => [parse(row), parse(ark2[round]!)]));
});

describe.each([
  { name: 'rpo', permute: rpoPermutation, states: rpoStates, count: 14 },
  { name: 'rpx', permute: rpxPermutation, states: rpxStates, count: 7 },
])('$name permutation, reference', ({ name, permute, states, count }) => {
  const vectors = readVectors<PermutationVectors>(`${name}_permutation`);

  it('maps the published states', () => {
    expect(vectors.cases).toHaveLength(25);
    for (const { in: input, out } of [...vectors.cases, ...vectors.non_canonical_inputs]) {
      expect(permute(parse(input))).toEqual(parse(out));
    }
  });

  it('passes through the published states round by round', () => {
    expect(vectors.trace.states).toHaveLength(count);
    expect(states(parse(vectors.trace.in))).toEqual(vectors.trace.states.map(parse));
  });
});

it('multiplies by the matrix, at the edges of the reduction too', () => {
  const { mds_only, mds_reduction_edge } = readVectors<PermutationVectors>('rpo_permutation');
  expect(mds_reduction_edge!.cases).toHaveLength(51);
  for (const { in: input, out } of [...mds_only!, ...mds_reduction_edge!.cases]) {
    expect(rescueMultiply(parse(input))).toEqual(parse(out));
  }
});

describe.each([
  { family: 'rpo', layout: 'rate_first', hash: rpo },
  { family: 'rpo', layout: 'capacity_first', hash: rpoCapacityFirst },
  { family: 'rpx', layout: 'rate_first', hash: rpx },
  { family: 'rpx', layout: 'capacity_first', hash: rpxCapacityFirst },
] as { family: string; layout: keyof Digests; hash: MidenModule }[])(
  '$hash.id, reference',
  ({ family, layout, hash }) => {
    it('hashes elements', () => {
      const { sequence: counted, random, in_domain } = readVectors<ElementVectors>(`${family}_hash_elements`);
      for (const row of counted) expect(toHex(hash.hashElements(sequence(row.n)))).toBe(hexOf(row[layout]));
      for (const row of random) expect(toHex(hash.hashElements(parse(row.in)))).toBe(hexOf(row[layout]));
      for (const row of in_domain) {
        expect(toHex(hash.hashInDomain(parse(row.in), BigInt(row.domain)))).toBe(hexOf(row[layout]));
      }
    });

    it('hashes bytes', () => {
      const { cases, zeros, ones } = readVectors<ByteVectors>(`${family}_hash_bytes`);
      expect(cases).toHaveLength(131);
      for (const row of cases) expect(toHex(hash.hash(fromHex(row.in_hex)))).toBe(hexOf(row[layout]));
      for (const row of zeros) expect(toHex(hash.hash(new Uint8Array(row.n)))).toBe(hexOf(row[layout]));
      for (const row of ones)
        expect(toHex(hash.hash(new Uint8Array(row.n).fill(255)))).toBe(hexOf(row[layout]));
    });

    it('merges digests', () => {
      const { merge, merge_in_domain, merge_with_int = [] } = readVectors<MergeVectors>(`${family}_merge`);
      for (const row of merge) {
        expect(toHex(hash.hashPair(wordBytes(row.left), wordBytes(row.right)))).toBe(hexOf(row[layout]));
        expect(toHex(hash.hashElements(parse([...row.left, ...row.right])))).toBe(hexOf(row[layout]));
      }
      for (const row of merge_in_domain) {
        const digest = hash.mergeInDomain(wordBytes(row.left), wordBytes(row.right), BigInt(row.domain));
        expect(toHex(digest)).toBe(hexOf(row[layout]));
      }
      for (const row of merge_with_int) {
        expect(toHex(hash.mergeWithInt(wordBytes(row.seed), BigInt(row.value)))).toBe(hexOf(row[layout]));
      }
    });
  },
);

describe('rpo with the padding of miden-crypto v0.10 and before', () => {
  it('hashes elements', () => {
    const { cases } = readVectors<ElementVectors>('rpo_hash_elements').legacy_padding_v0_9!;
    expect(cases).toHaveLength(25);
    for (const { n, digest } of cases) expect(toHex(hashElementsLegacy(sequence(n)))).toBe(hexOf(digest));
  });

  it('hashes bytes as the elements that they are packed into, where both capacities agree', () => {
    const packed = [0x07060504030201n, 0x0e0d0c0b0a0908n, 0x0110_0fn];
    const message = Uint8Array.from({ length: 16 }, (_, i) => i + 1);
    // 16 bytes are no partial word of bytes, so the capacity is 0 although a one is padded; 17 bytes are.
    expect(toHex(hashBytesLegacy(message.slice(0, 15)))).toBe(
      toHex(hashElementsLegacy([...packed.slice(0, 2), 0x010fn])),
    );
    expect(toHex(hashBytesLegacy(message))).not.toBe(toHex(hashElementsLegacy(packed)));
    expect(toHex(hashBytesLegacy(new Uint8Array(56)))).toBe(toHex(hashElementsLegacy(Array(8).fill(0n))));
  });
});

it('refuses what is not canonical, and says where', () => {
  const p = 0xffffffff00000001n;
  const bad = elementsToBytes([0n, 0n, p, 0n]);
  const good = new Uint8Array(32);
  const refused = (index: number) => expect.objectContaining({ code: 'NOT_CANONICAL', index });
  expect(() => rpo.hashPair(good, bad)).toThrow(refused(6));
  expect(() => rpo.hashPair(bad, good)).toThrow(refused(2));
  expect(() => rpo.hashElements([1n, 2n, p])).toThrow(refused(2));
  expect(() => rpo.hashElements([-1n])).toThrow(refused(0));
  expect(() => rpo.hashElements([1 as unknown as bigint])).toThrow(TypeError);
  expect(() => rpo.hashPair(good.subarray(1), good)).toThrow(RangeError);
  expect(() => rpo.mergeWithInt(good, 2n ** 64n)).toThrow(RangeError);
});
