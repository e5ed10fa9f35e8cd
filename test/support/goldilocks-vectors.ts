/** Vectors over the Goldilocks field: elements are written `0x` and 16 digits, digests are four of them. */
import { readFileSync } from 'node:fs';
import { toHex } from '../../src/bytes.ts';
import { elementsToBytes, gl } from '../../src/field/goldilocks.ts';

/** A file of `test/vectors/goldilocks`. */
export function readVectors<T>(name: string): T {
  return JSON.parse(
    readFileSync(new URL(`../vectors/goldilocks/${name}.json`, import.meta.url), 'utf8'),
  ) as T;
}

export const parse = (elements: readonly string[]): bigint[] => elements.map(BigInt);

/** The bytes of elements as hexadecimal, for comparisons that read well when they fail. */
export const hexOf = (elements: readonly string[]): string => toHex(elementsToBytes(parse(elements)));

/** The element that the vectors' leaf series has at this place. */
export const seriesElement = (i: number): bigint =>
  gl.reduce((BigInt(i + 1) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn);
