import { bn254 } from '@noble/curves/bn254.js';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bytes.ts';
import { canonicalElement, elementFromBytes, elementToBytes, fr } from '../../src/field/bn254.ts';
import { randomIntegers, readVectors, written } from '../support/bn254-vectors.ts';

type Case = Record<'a' | 'b' | 'add' | 'sub' | 'mul' | 'neg_a' | 'sqr_a' | 'pow5_a' | 'pow_a_b', string> & {
  inv_a: string | null;
};

const { modulus, vectors } = readVectors<{ modulus: string; vectors: Case[] }>('field_bn254_fr');

describe('the BN254 scalar field', () => {
  it('has the published modulus', () => {
    expect(written(fr.modulus)).toBe(modulus);
    expect(vectors).toHaveLength(285);
  });

  it.each(vectors.map((vector, i) => [i, vector] as const))('vector %i', (_, vector) => {
    const [a, b] = [BigInt(vector.a), BigInt(vector.b)];
    expect({
      add: written(fr.add(a, b)),
      sub: written(fr.sub(a, b)),
      mul: written(fr.mul(a, b)),
      neg_a: written(fr.neg(a)),
      sqr_a: written(fr.square(a)),
      pow5_a: written(fr.pow(a, 5n)),
      pow_a_b: written(fr.pow(a, b)),
      inv_a: a ? written(fr.inverse(a)) : null,
    }).toEqual({ ...vector, a: undefined, b: undefined });
  });

  it('agrees with @noble/curves', () => {
    const { Fr } = bn254.fields;
    const random = randomIntegers(7, fr.modulus);
    for (let i = 0; i < 1000; i++) {
      const [a, b] = [random.next().value, random.next().value];
      expect(fr.mul(a, b)).toBe(Fr.mul(a, b));
      expect(fr.sub(a, b)).toBe(Fr.sub(a, b));
    }
  });

  it('inverts many at once as it inverts one', () => {
    const values = vectors.map(({ a }) => BigInt(a)).filter(Boolean);
    expect(fr.batchInverse(values)).toEqual(values.map(fr.inverse));
    expect(fr.batchInverse([])).toEqual([]);
    expect(() => fr.batchInverse([1n, 0n])).toThrow(RangeError);
    expect(() => fr.inverse(0n)).toThrow(RangeError);
  });
});

describe('encoded elements', () => {
  it('are 32 bytes, big-endian', () => {
    expect(toHex(elementToBytes(0x0102n))).toBe(written(0x0102n));
    for (const { a } of vectors) expect(written(elementFromBytes(fromHex(a), 0))).toBe(a);
  });

  it.each([fr.modulus, fr.modulus + 1n, 2n ** 256n - 1n])('%i is refused', (value) => {
    expect(() => elementFromBytes(fromHex(written(value)), 5)).toThrow(
      expect.objectContaining({ code: 'NOT_CANONICAL', index: 5 }),
    );
  });

  it('below 0, or no bigint, is refused', () => {
    expect(() => canonicalElement(-1n, 2)).toThrow(expect.objectContaining({ code: 'NOT_CANONICAL' }));
    expect(() => canonicalElement(1 as unknown as bigint, 2)).toThrow(TypeError);
  });
});
