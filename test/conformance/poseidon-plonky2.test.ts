import { Field } from '@noble/curves/abstract/modular.js';
import { poseidon } from '@noble/curves/abstract/poseidon.js';
import { expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { elementsToBytes, gl } from '../../src/field/goldilocks.ts';
import {
  hashNoPad,
  hashOrNoop,
  hashPad,
  linearHash,
  poseidonConstants,
  poseidonMatrix,
  poseidonMultiply,
  poseidonPermutation,
  poseidonStates,
  reference,
  squeeze,
} from '../../src/hash/poseidon-plonky2.ts';
import { hexOf, parse, readVectors, seriesElement } from '../support/goldilocks-vectors.ts';

interface Vectors {
  permutation: { in: string[]; out: string[] }[];
  trace: { in: string[]; states: string[][] };
  mds_only: { in: string[]; out: string[] }[];
  hash_no_pad: Record<'in' | 'no_pad' | 'pad' | 'or_noop' | 'chained_capacity', string[]>[];
  chained_capacity_published: { digest: string[] };
  two_to_one: Record<'left' | 'right' | 'digest', string[]>[];
  squeeze_many: { in: string[]; outputs: string[] }[];
}

const vectors = readVectors<Vectors>('poseidon_plonky2');

it('derives the published constants', () => {
  const { round_constants, mds_circ } = readVectors<{ round_constants: string[][]; mds_circ: number[] }>(
    'constants_plonky2_poseidon',
  );
  expect(poseidonConstants()).toEqual(round_constants.map(parse));
  expect(poseidonMatrix).toEqual(mds_circ);
});

it('permutes as published, round by round', () => {
  expect(vectors.permutation).toHaveLength(30);
  for (const row of vectors.permutation) expect(poseidonPermutation(parse(row.in))).toEqual(parse(row.out));
  for (const row of vectors.mds_only) expect(poseidonMultiply(parse(row.in))).toEqual(parse(row.out));
  expect(poseidonStates(parse(vectors.trace.in))).toEqual(vectors.trace.states.map(parse));
});

it('agrees with the generic Poseidon of @noble/curves', () => {
  const unit = (c: number): bigint[] => Array.from({ length: 12 }, (_, i) => (i === c ? 1n : 0n));
  const columns = Array.from({ length: 12 }, (_, c) => poseidonMultiply(unit(c)));
  const oracle = poseidon({
    Fp: Field(gl.modulus),
    t: 12,
    roundsFull: 8,
    roundsPartial: 22,
    sboxPower: 7,
    mds: columns.map((_, r) => columns.map((column) => column[r]!)),
    roundConstants: poseidonConstants().map((row) => [...row]),
  });
  for (let k = 0; k < 20; k++) {
    const state = Array.from({ length: 12 }, (_, i) => seriesElement(100 + 12 * k + i));
    expect(poseidonPermutation(state)).toEqual(oracle(state));
  }
});

it('hashes elements by each rule', () => {
  expect(vectors.hash_no_pad).toHaveLength(41);
  for (const row of vectors.hash_no_pad) {
    const input = parse(row.in);
    expect(toHex(hashNoPad(input))).toBe(hexOf(row.no_pad));
    expect(toHex(reference.hashElements!(input))).toBe(hexOf(row.no_pad));
    expect(toHex(hashPad(input))).toBe(hexOf(row.pad));
    expect(toHex(hashOrNoop(input))).toBe(hexOf(row.or_noop));
    expect(toHex(linearHash(input))).toBe(hexOf(row.chained_capacity));
  }
  for (const row of vectors.squeeze_many) {
    expect(squeeze(parse(row.in), row.outputs.length)).toEqual(parse(row.outputs));
  }
});

it('makes the linear hash that Hermez published', () => {
  const fibonacci = [0n, 1n];
  while (fibonacci.length < 128) fibonacci.push(gl.add(fibonacci.at(-1)!, fibonacci.at(-2)!));
  expect(toHex(linearHash(fibonacci))).toBe(hexOf(vectors.chained_capacity_published.digest));
});

it('merges two digests', () => {
  for (const { left, right, digest } of vectors.two_to_one) {
    const pair = [left, right].map((word) => elementsToBytes(parse(word))) as [Uint8Array, Uint8Array];
    expect(toHex(reference.hashPair(...pair))).toBe(hexOf(digest));
  }
});
