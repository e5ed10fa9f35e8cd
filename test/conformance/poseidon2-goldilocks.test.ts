import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bytes.ts';
import { elementsToBytes, gl } from '../../src/field/goldilocks.ts';
import {
  legacyMidenPermutation,
  type Poseidon2Width,
  poseidon2Constants,
  poseidon2Diagonals,
  poseidon2Permutation,
  poseidon2States,
} from '../../src/hash/poseidon2-goldilocks.ts';
import { reference as miden } from '../../src/hash/poseidon2-miden.ts';
import { reference as width8 } from '../../src/hash/poseidon2-plonky3-8.ts';
import { reference as width12 } from '../../src/hash/poseidon2-plonky3-12.ts';
import { hexOf, parse, readVectors } from '../support/goldilocks-vectors.ts';

type States = { in: string[]; out: string[] }[];
type Pair = { left: string[]; right: string[]; digest: string[] };
type Hashed = { in: string[]; digest: string[] }[];
interface Vectors {
  permutation_width_8: States;
  permutation_width_12: States;
  permutation_width_16: States;
  permutation_legacy_miden_width_12: States;
  trace_width_12: { in: string[]; states: string[][] };
  miden_poseidon2: {
    hash_elements: Hashed;
    hash_bytes: { in_hex: string; digest: string[] }[];
    merge: (Pair & { domain: string; digest_in_domain: string[] })[];
  };
  padding_free_sponge: {
    width_12_rate_8: Hashed;
    width_8_rate_4: Hashed;
    compress_width_8: Pair[];
    compress_width_12: Pair[];
  };
}
type WidthConstants = Record<'external_initial' | 'external_final', string[][]> &
  Record<'internal' | 'internal_diagonal', string[]>;

const vectors = readVectors<Vectors>('poseidon2');
const bytesOf = (word: string[]): Uint8Array => elementsToBytes(parse(word));

describe.each([8, 12, 16] as Poseidon2Width[])('Poseidon2 of width %i, reference', (width) => {
  it('derives the published constants', () => {
    const published = readVectors<Record<string, WidthConstants>>('constants_poseidon2')[`width_${width}`]!;
    expect(poseidon2Constants(width)).toEqual(
      [...published.external_initial, ...published.internal.map((x) => [x]), ...published.external_final].map(
        parse,
      ),
    );
    const diagonal = poseidon2Diagonals[width].map(([numerator, shift]) =>
      gl.mul(gl.reduce(BigInt(numerator)), gl.inverse(2n ** BigInt(shift))),
    );
    expect(diagonal).toEqual(parse(published.internal_diagonal));
  });

  it('permutes as published', () => {
    const cases = vectors[`permutation_width_${width}`];
    expect(cases).toHaveLength(12);
    for (const { in: input, out } of cases) expect(poseidon2Permutation(parse(input))).toEqual(parse(out));
  });
});

it('permutes as published round by round', () => {
  const { in: input, states } = vectors.trace_width_12;
  expect(poseidon2States(parse(input))).toEqual(states.map(parse));
  expect(() => poseidon2Permutation([1n])).toThrow(RangeError);
});

it("permutes as Miden's first instance did", () => {
  for (const { in: input, out } of vectors.permutation_legacy_miden_width_12) {
    expect(legacyMidenPermutation(parse(input))).toEqual(parse(out));
  }
});

it('hashes elements, bytes and pairs in the sponge of Miden', () => {
  const { hash_elements, hash_bytes, merge } = vectors.miden_poseidon2;
  for (const row of hash_elements) expect(toHex(miden.hashElements(parse(row.in)))).toBe(hexOf(row.digest));
  for (const row of hash_bytes) expect(toHex(miden.hash(fromHex(row.in_hex)))).toBe(hexOf(row.digest));
  for (const { left, right, digest, domain, digest_in_domain } of merge) {
    expect(toHex(miden.hashPair(bytesOf(left), bytesOf(right)))).toBe(hexOf(digest));
    expect(toHex(miden.mergeInDomain(bytesOf(left), bytesOf(right), BigInt(domain)))).toBe(
      hexOf(digest_in_domain),
    );
  }
});

it('hashes elements and pairs in the wrappers of Plonky3', () => {
  const { width_12_rate_8, width_8_rate_4, compress_width_8, compress_width_12 } =
    vectors.padding_free_sponge;
  for (const [module, hashed, pairs] of [
    [width12, width_12_rate_8, compress_width_12],
    [width8, width_8_rate_4, compress_width_8],
  ] as const) {
    for (const row of hashed) expect(toHex(module.hashElements!(parse(row.in)))).toBe(hexOf(row.digest));
    for (const { left, right, digest } of pairs) {
      expect(toHex(module.hashPair(bytesOf(left), bytesOf(right)))).toBe(hexOf(digest));
    }
  }
});
