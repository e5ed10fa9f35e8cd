import { describe, expect, it } from 'vitest';
import { assertLength, assertMultiple, concatBytes, equalBytes, fromHex, toHex } from '../../src/bytes.ts';

describe('hex', () => {
  it('goes there and back', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    expect(fromHex(toHex(bytes))).toEqual(bytes);
    expect(toHex(new Uint8Array(0))).toBe('0x');
    expect(fromHex('0XaBcD')).toEqual(Uint8Array.of(0xab, 0xcd));
    expect(fromHex('abcd')).toEqual(Uint8Array.of(0xab, 0xcd));
  });

  it('says where it is wrong', () => {
    expect(() => fromHex('0xabc')).toThrow(
      new RangeError('fromHex: expected an even number of digits, got 3'),
    );
    expect(() => fromHex('0xag')).toThrow('"g" at 3 is no hex digit');
    expect(() => fromHex('0x0x')).toThrow('"x" at 3 is no hex digit');
    expect(() => fromHex(' 00')).toThrow(RangeError);
    expect(() => fromHex(7 as unknown as string)).toThrow(TypeError);
  });
});

describe('byte helpers', () => {
  it('compare and join', () => {
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true);
    expect(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false);
    expect(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(false);
    expect(concatBytes(Uint8Array.of(1), new Uint8Array(0), Uint8Array.of(2, 3))).toEqual(
      Uint8Array.of(1, 2, 3),
    );
  });

  it('name the argument that does not fit', () => {
    expect(() => assertLength([1], 1, 'leaf')).toThrow(
      new TypeError('leaf: expected a Uint8Array, got Array'),
    );
    expect(() => assertLength(null, 1, 'leaf')).toThrow('leaf: expected a Uint8Array, got null');
    expect(() => assertLength(new Uint8Array(3), 32, 'leaf')).toThrow(
      new RangeError('leaf: expected 32 bytes, got 3'),
    );
    expect(() => assertMultiple(new Uint8Array(33), 32, 'leaves')).toThrow(
      'leaves: expected a multiple of 32 bytes, got 33',
    );
  });
});
