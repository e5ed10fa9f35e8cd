/** The scalar field of BN254, and its elements as 32 bytes big-endian. */
import type { Digest } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { type PrimeField, primeField } from './prime.js';

/** Bytes of one encoded element. */
export const ELEMENT_BYTES = 32;

/** The field; `p - 1 = 2^28 * odd`, and `x -> x^5` is a permutation. */
export const fr: PrimeField =
  /* @__PURE__ */ primeField(0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n);

/** The integer that 32 big-endian bytes write, canonical or not. */
export function integerFromBytes(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let value = 0n;
  for (let at = 0; at < ELEMENT_BYTES; at += 8) value = (value << 64n) | view.getBigUint64(at);
  return value;
}

/**
 * A canonical element from its 32 bytes.
 *
 * @param index position of the element in its input, for the error.
 * @throws {CambiumError} `NOT_CANONICAL` at or above the modulus.
 */
export function elementFromBytes(bytes: Uint8Array, index: number): bigint {
  return canonicalElement(integerFromBytes(bytes), index);
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
    throw new TypeError(`elements[${index}]: expected a bigint, got ${typeof value}`);
  }
  if (value >= 0n && value < fr.modulus) return value;
  throw new CambiumError(
    'NOT_CANONICAL',
    `element ${index}: ${value} is not below the BN254 scalar modulus`,
    {
      index,
    },
  );
}

/** The 32 bytes of a canonical element. */
export function elementToBytes(element: bigint): Digest {
  const bytes = new Uint8Array(ELEMENT_BYTES);
  const view = new DataView(bytes.buffer);
  for (let at = 24, rest = element; at >= 0; at -= 8, rest >>= 64n) view.setBigUint64(at, rest);
  return bytes;
}
