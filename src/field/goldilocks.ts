/** The field of integers modulo 2^64 - 2^32 + 1, and its elements as eight bytes little-endian. */
import type { Digest } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { type PrimeField, primeField } from './prime.js';

/** Bytes of one encoded element. */
export const ELEMENT_BYTES = 8;

/** The field; `p - 1 = 2^32 * 3 * 5 * 17 * 257 * 65537`, and 7 is the smallest exponent that permutes it. */
export const gl: PrimeField = /* @__PURE__ */ primeField(0xffffffff00000001n);

/** The exponent that undoes `x^7`: `7 * INVERSE_OF_SEVEN = 1 mod p - 1`. */
const INVERSE_OF_SEVEN = 10540996611094048183n;

/** `x^7`. */
export function pow7(x: bigint): bigint {
  return gl.pow(x, 7n);
}

/** The seventh root: `x^(1/7)`. */
export function root7(x: bigint): bigint {
  return gl.pow(x, INVERSE_OF_SEVEN);
}

/**
 * Refuses what is no canonical element, and gives it back otherwise.
 *
 * @param index position of the element in its input, for the error.
 * @throws {TypeError} when it is no bigint.
 * @throws {CambiumError} `NOT_CANONICAL` below 0, or at or above the modulus.
 */
export function canonicalElement(value: bigint, index: number): bigint {
  if (typeof value !== 'bigint') {
    throw new TypeError(`element ${index}: expected a bigint, got ${typeof value}`);
  }
  if (value >= 0n && value < gl.modulus) return value;
  throw new CambiumError('NOT_CANONICAL', `element ${index}: ${value} is not below 2^64 - 2^32 + 1`, {
    index,
  });
}

/** The 64-bit integers that little-endian bytes write, canonical or not. */
export function integersFromBytes(bytes: Uint8Array): bigint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / ELEMENT_BYTES }, (_, i) =>
    view.getBigUint64(i * ELEMENT_BYTES, true),
  );
}

/**
 * Canonical elements from their bytes, eight each.
 *
 * @param first position of the first element in its input, for the error.
 * @throws {CambiumError} `NOT_CANONICAL` when one is at or above the modulus.
 */
export function elementsFromBytes(bytes: Uint8Array, first = 0): bigint[] {
  return integersFromBytes(bytes).map((value, i) => canonicalElement(value, first + i));
}

/** The bytes of canonical elements, eight each. */
export function elementsToBytes(elements: readonly bigint[]): Digest {
  const bytes = new Uint8Array(elements.length * ELEMENT_BYTES);
  const view = new DataView(bytes.buffer);
  elements.forEach((element, i) => {
    view.setBigUint64(i * ELEMENT_BYTES, element, true);
  });
  return bytes;
}
