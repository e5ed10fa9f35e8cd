import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/bytes.ts';
import { elementToBytes, fr } from '../../src/field/bn254.ts';
import { parameters, permute, poseidon, reference } from '../../src/hash/poseidon-bn254.ts';
import { schedule } from '../../src/hash/poseidon-bn254-schedule.ts';
import { parse, randomIntegers, readVectors, written } from '../support/bn254-vectors.ts';

interface Constants {
  digests: Record<string, { RP: number; sha256_round_constants: string; sha256_M: string }>;
  full: Record<string, { roundConstants: string[]; M: string[][] }>;
}
interface Vectors {
  vectors: { name: string; t: number; inputs: string[]; hash: string }[];
  full_state: { t: number; inputs: string[]; state: string[] }[];
}
const constants = readVectors<Constants>('constants_poseidon_circomlib');
const { vectors, full_state } = readVectors<Vectors>('poseidon_circomlib');
const widths = Array.from({ length: 16 }, (_, i) => i + 2);

const digestOf = (elements: readonly bigint[]): string =>
  createHash('sha256')
    .update(concatBytes(...elements.map(elementToBytes)))
    .digest('hex');

describe("circomlib's Poseidon", () => {
  it.each(widths)('width %i: derives the published constants', (width) => {
    const { partialRounds, roundConstants, matrix } = parameters(width);
    const published = constants.digests[width]!;
    expect(partialRounds).toBe(published.RP);
    expect(digestOf(roundConstants.flat())).toBe(published.sha256_round_constants);
    expect(digestOf(matrix.flat())).toBe(published.sha256_M);
    const full = constants.full[width];
    if (full) expect(roundConstants.flat().map(written)).toEqual(full.roundConstants);
  });

  it.each(vectors)('width $t, $name', ({ inputs, hash }) => {
    expect(written(poseidon(parse(inputs)))).toBe(hash);
    expect(toHex(reference.hashElements!(parse(inputs)))).toBe(hash);
  });

  it.each(full_state)('whole state of width $t', ({ inputs, state }) => {
    expect(permute([0n, ...parse(inputs)]).map(written)).toEqual(state);
  });

  it('agrees with poseidon-lite', async () => {
    const oracles = new Map<string, unknown>(Object.entries(await import('poseidon-lite')));
    const random = randomIntegers(5, fr.modulus);
    for (let n = 1; n <= 16; n++) {
      const elements = Array.from({ length: n }, () => random.next().value);
      const oracle = oracles.get(`poseidon${n}`) as (elements: bigint[]) => bigint;
      expect(poseidon(elements)).toBe(oracle(elements));
    }
  });

  it('zero hashes of pairs', () => {
    const digests = [new Uint8Array(32)];
    while (digests.length < 65) digests.push(reference.hashPair(digests.at(-1)!, digests.at(-1)!));
    expect(digests.map(toHex)).toEqual(
      readVectors<Record<string, string[]>>('zero_hashes').poseidon_circomlib_t3,
    );
  });

  it('refuses what it does not hash', () => {
    expect(() => poseidon([])).toThrow(RangeError);
    expect(() => poseidon(new Array(17).fill(0n))).toThrow(RangeError);
    expect(() => parameters(18)).toThrow(RangeError);
    expect(() => poseidon([0n, fr.modulus])).toThrow(
      expect.objectContaining({ code: 'NOT_CANONICAL', index: 1 }),
    );
    const bad = fromHex(written(fr.modulus));
    expect(() => reference.hashPair(new Uint8Array(32), bad)).toThrow(
      expect.objectContaining({ code: 'NOT_CANONICAL', index: 1 }),
    );
  });
});

/** The permutation as the schedule has it. */
function permuteBySchedule(state: readonly bigint[]): bigint[] {
  const { first, before, sparse, sparseConstants, behind } = schedule(state.length);
  const box = (x: bigint): bigint => fr.pow(x, 5n);
  const dense = (s: bigint[], layer: (typeof before)[number]): bigint[] =>
    layer.matrix.map((row, i) => fr.reduce(row.reduce((sum, m, j) => sum + m * s[j]!, layer.constants[i]!)));
  let s = state.map((x, i) => fr.add(x, first[i]!));
  for (const layer of before) s = dense(s.map(box), layer);
  for (const constant of sparseConstants) {
    const [y, w] = [box(s[0]!), s.slice(1)];
    s = [
      fr.reduce(sparse.ofBox[0]! * y + w[0]! + constant),
      ...w.map((_, i) => fr.reduce(sparse.ofBox[i + 1]! * y + sparse.ofFirst[i]! * w[0]! + (w[i + 1] ?? 0n))),
    ];
  }
  behind.forEach((layer, i) => {
    s = dense(i ? s.map(box) : [box(s[0]!), ...s.slice(1)], layer);
  });
  return s;
}

describe('the schedule with cheap partial rounds', () => {
  it.each(widths)('width %i', (width) => {
    const random = randomIntegers(width, fr.modulus);
    const state = Array.from({ length: width }, () => random.next().value);
    expect(permuteBySchedule(state)).toEqual(permute(state));
  });
});
