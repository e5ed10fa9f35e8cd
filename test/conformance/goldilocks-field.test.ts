import { describe, expect, it } from 'vitest';
import { hasCode } from '../../src/errors.ts';
import {
  elementsFromBytes,
  elementsToBytes,
  gl,
  integersFromBytes,
  pow7,
  root7,
} from '../../src/field/goldilocks.ts';
import { readVectors } from '../support/goldilocks-vectors.ts';

interface FieldVectors {
  unary: Record<'a' | 'canonical' | 'neg' | 'double' | 'square' | 'exp7' | 'exp_inv7' | 'half', string>[] &
    { inv: string | null; non_canonical_input: boolean }[];
  binary: [string, string, string, string, string, string][];
  reduce128: [string, string][];
}

const { unary, binary, reduce128 } = readVectors<FieldVectors>('field');

describe('Goldilocks field, reference', () => {
  it('does the published unary operations, from inputs at or above the modulus too', () => {
    expect(unary).toHaveLength(29);
    for (const row of unary) {
      const a = gl.reduce(BigInt(row.a));
      expect(a).toBe(BigInt(row.canonical));
      expect(gl.neg(a)).toBe(BigInt(row.neg));
      expect(gl.add(a, a)).toBe(BigInt(row.double));
      expect(gl.square(a)).toBe(BigInt(row.square));
      expect(pow7(a)).toBe(BigInt(row.exp7));
      expect(root7(a)).toBe(BigInt(row.exp_inv7));
      expect(gl.mul(a, gl.inverse(2n))).toBe(BigInt(row.half));
      if (row.inv === null) expect(() => gl.inverse(a)).toThrow(RangeError);
      else expect(gl.inverse(a)).toBe(BigInt(row.inv));
    }
  });

  it('does the published binary operations and reductions', () => {
    for (const row of binary) {
      const [a, b, sum, difference, reverse, product] = row.map((x) => gl.reduce(BigInt(x))) as [
        bigint,
        bigint,
        bigint,
        bigint,
        bigint,
        bigint,
      ];
      expect([gl.add(a, b), gl.sub(a, b), gl.sub(b, a), gl.mul(a, b)]).toEqual([
        sum,
        difference,
        reverse,
        product,
      ]);
    }
    expect(reduce128).toHaveLength(104);
    for (const [wide, reduced] of reduce128) expect(gl.reduce(BigInt(wide))).toBe(BigInt(reduced));
  });

  it('encodes elements little-endian, and refuses the first that is not canonical', () => {
    const top = gl.modulus - 1n;
    const bytes = elementsToBytes([1n, top]);
    expect([...bytes]).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]);
    expect(elementsFromBytes(bytes)).toEqual([1n, top]);
    for (const bad of [gl.modulus, 2n ** 64n - 1n]) {
      const wide = elementsToBytes([0n, bad, bad]);
      expect(integersFromBytes(wide)).toEqual([0n, bad, bad]);
      expect(() => elementsFromBytes(wide, 4)).toThrow(
        expect.objectContaining({ code: 'NOT_CANONICAL', index: 5 }),
      );
    }
    expect(hasCode(new Error('other'), 'NOT_CANONICAL')).toBe(false);
  });
});
