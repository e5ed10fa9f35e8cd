/** RPO as miden-crypto had it until v0.10: capacity first, and a one behind an input that ends within a block. */
import { assertBytes, type Digest } from '../bytes.js';
import { canonicalElement } from '../field/goldilocks.js';
import { midenSponge } from './miden-sponge.js';
import { rpoPermutation } from './rescue-prime.js';

/** Absorbs elements behind a capacity that says whether a one was added. */
const sponge = (elements: readonly bigint[], first: bigint): Digest =>
  midenSponge(rpoPermutation, 'capacity-first', elements, { first, padding: [1n] });

/**
 * The digest of any number of elements.
 *
 * @throws {CambiumError} `NOT_CANONICAL` with the index of an element out of range.
 */
export function hashElementsLegacy(elements: readonly bigint[]): Digest {
  return sponge(elements.map(canonicalElement), elements.length % 8 ? 1n : 0n);
}

/**
 * The digest of a message: seven bytes to an element, a byte 1 behind the data of a last one that is not full.
 * The capacity looks at the number of bytes, not of elements, as the code of that time did.
 */
export function hashBytesLegacy(message: Uint8Array): Digest {
  assertBytes(message, 'message');
  const elements = Array.from({ length: Math.ceil(message.length / 7) }, (_, i) => {
    const chunk = message.subarray(7 * i, 7 * i + 7);
    return chunk.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), chunk.length < 7 ? 1n : 0n);
  });
  return sponge(elements, message.length % 8 ? 1n : 0n);
}
