import { poseidon2Hash } from '@zkpassport/poseidon2';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bytes.ts';
import { fr } from '../../src/field/bn254.ts';
import {
  externalMatrix,
  internalDiagonal,
  permute,
  poseidon2,
  poseidon2Separated,
  reference,
  roundConstants,
} from '../../src/hash/poseidon2-bn254.ts';
import { loadHash } from '../../src/hash/registry.ts';
import type { HashModule } from '../../src/hash/types.ts';
import { parse, randomIntegers, readVectors, written } from '../support/bn254-vectors.ts';

interface Constants {
  externalMatrix: number[][];
  internalDiagMinusOne: string[];
  roundConstants: string[][];
}
const permutations = readVectors<{ vectors: { input: string[]; output: string[] }[] }>(
  'poseidon2_permutation',
);
const hashes = readVectors<{ vectors: { name: string; inputs: string[]; hash: string }[] }>('poseidon2_hash');
const pairs = readVectors<{ vectors: { left: string; right: string; hash: string }[] }>('pair_hash');
const zeros = readVectors<Record<string, string[]>>('zero_hashes');

/** Digests of all-empty trees, level by level. */
function zeroHashes(module: HashModule, levels: number): string[] {
  const digests = [new Uint8Array(32)];
  while (digests.length < levels) digests.push(module.hashPair(digests.at(-1)!, digests.at(-1)!));
  return digests.map(toHex);
}

describe('Poseidon2 over BN254', () => {
  it('derives the published constants', () => {
    const published = readVectors<Constants>('constants_poseidon2_bn254_t4');
    expect(roundConstants().map((round) => round.map(written))).toEqual(published.roundConstants);
    expect(internalDiagonal.map(written)).toEqual(published.internalDiagMinusOne);
    expect(externalMatrix.map((row) => row.map(Number))).toEqual(
      published.externalMatrix.map((row) => row.map(Number)),
    );
  });

  it.each(permutations.vectors)('permutation of $input', ({ input, output }) => {
    expect(permute(parse(input)).map(written)).toEqual(output);
  });

  it.each(hashes.vectors)('hash, $name', ({ inputs, hash }) => {
    expect(written(poseidon2(parse(inputs)))).toBe(hash);
    expect(toHex(reference.hashElements!(parse(inputs)))).toBe(hash);
  });

  it('pairs', () => {
    expect(pairs.vectors).toHaveLength(56);
    for (const { left, right, hash } of pairs.vectors) {
      expect(toHex(reference.hashPair(fromHex(left), fromHex(right)))).toBe(hash);
    }
  });

  it('agrees with @zkpassport/poseidon2', () => {
    const random = randomIntegers(3, fr.modulus);
    for (let length = 0; length < 12; length++) {
      const elements = Array.from({ length }, () => random.next().value);
      expect(poseidon2(elements)).toBe(poseidon2Hash(elements));
    }
  });

  it('refuses elements that are not canonical, by their index', () => {
    const refusal = (index: number): unknown => expect.objectContaining({ code: 'NOT_CANONICAL', index });
    const [good, bad] = [fromHex(written(1n)), fromHex(written(fr.modulus))];
    expect(() => reference.hashPair(bad, bad)).toThrow(refusal(0));
    expect(() => reference.hashPair(good, bad)).toThrow(refusal(1));
    expect(() => poseidon2([1n, 2n, fr.modulus])).toThrow(refusal(2));
  });

  it('zero hashes', () => expect(zeroHashes(reference, 65)).toEqual(zeros.poseidon2));
});

describe('Poseidon2 nodes with a separator', () => {
  it.each([2982624097, 1157584160, 3756303423] as const)('%i: zero hashes', async (separator) => {
    const module = await loadHash(`poseidon2-bn254-sep-${separator}`);
    expect(zeroHashes(module, 65)).toEqual(zeros[`poseidon2_separator_${separator}`]);
  });

  it('are the sponge over three elements; elements are hashed without', async () => {
    const spec = poseidon2Separated(7n);
    const module = await spec.load();
    expect(spec.id).toBe('poseidon2-bn254-sep-7');
    const digest = module.hashPair(fromHex(written(1n)), fromHex(written(2n)));
    expect(toHex(digest)).toBe(written(poseidon2([7n, 1n, 2n])));
    expect(module.hashElements!([1n, 2n])).toEqual(reference.hashElements!([1n, 2n]));
  });

  it('refuse a separator that is no element', () => {
    expect(() => poseidon2Separated(fr.modulus)).toThrow(expect.objectContaining({ code: 'NOT_CANONICAL' }));
  });
});
