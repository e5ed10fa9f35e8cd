/** Field elements in the encoding of a hash. */
import type { Digest } from '../bytes.js';
import type { FieldInput } from './types.js';

/** Integers that the bytes stand for, canonical or not. */
export function decodeElements(bytes: Uint8Array, { elementBytes, order }: FieldInput): bigint[] {
  return Array.from({ length: bytes.length / elementBytes }, (_, i) => {
    const element = bytes.slice(i * elementBytes, (i + 1) * elementBytes);
    if (order === 'le') element.reverse();
    return element.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
  });
}

/** Bytes of integers that fit the encoding. */
export function encodeElements(elements: readonly bigint[], { elementBytes, order }: FieldInput): Digest {
  const bytes = new Uint8Array(elements.length * elementBytes);
  elements.forEach((element, i) => {
    for (let k = 0; k < elementBytes; k++) {
      const shift = BigInt(8 * (order === 'le' ? k : elementBytes - 1 - k));
      bytes[i * elementBytes + k] = Number((element >> shift) & 0xffn);
    }
  });
  return bytes;
}
