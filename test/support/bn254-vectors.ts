/** Vectors over the BN254 scalar field: elements are written `0x` and 64 digits. */
import { readFileSync } from 'node:fs';

/** A file of `test/vectors/bn254`. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../vectors/bn254/${name}.json`, import.meta.url), 'utf8')) as T;
}

export const parse = (elements: readonly string[]): bigint[] => elements.map(BigInt);

/** An element as the vectors write it. */
export const written = (element: bigint): string => `0x${element.toString(16).padStart(64, '0')}`;

/** Integers below `limit` that follow from a seed. */
export function* randomIntegers(seed: number, limit: bigint): Generator<bigint, never> {
  let state = seed >>> 0;
  for (;;) {
    let value = 0n;
    for (let word = 0; word < 12; word++) {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      value = (value << 32n) | BigInt(state >>> 0);
    }
    yield value % limit;
  }
}
