/** Digests of Goldilocks hashes: four elements, eight little-endian bytes each. */
import { assertLength, DIGEST_BYTES } from '../bytes.js';
import { elementsFromBytes } from '../field/goldilocks.js';

/** Elements of a digest. */
export const WORD = 4;

/** A permutation of a state of elements: any integers in, canonical elements out. */
export type Permutation = (state: readonly bigint[]) => bigint[];

/**
 * The eight elements of two digests.
 *
 * @throws {TypeError} when one is no byte array. @throws {RangeError} when one is not 32 bytes.
 * @throws {CambiumError} `NOT_CANONICAL` with the element's position in `left || right`.
 */
export function pairElements(left: Uint8Array, right: Uint8Array): bigint[] {
  assertLength(left, DIGEST_BYTES, 'left');
  assertLength(right, DIGEST_BYTES, 'right');
  return [...elementsFromBytes(left), ...elementsFromBytes(right, WORD)];
}
