import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/bytes.ts';
import { fr } from '../../src/field/bn254.ts';
import {
  addPoints,
  GRUMPKIN_ORDER,
  isOnGrumpkin,
  multiplyPoint,
  negatePoint,
} from '../../src/field/grumpkin.ts';
import {
  MAX_GENERATORS,
  pedersenCommit,
  pedersenHash,
  pedersenHashBytesWithoutLength,
  reference,
} from '../../src/hash/pedersen-bn254.ts';
import { DATA_DOMAIN, generators, lengthGenerator } from '../../src/hash/pedersen-generators.ts';
import { parse, readVectors, written } from '../support/bn254-vectors.ts';

type Coordinates = readonly [x: string, y: string];
const constants = readVectors<{
  lengthGenerator: Coordinates;
  defaultGenerators: Coordinates[];
  otherDomains: { domain: string; generators: Coordinates[] }[];
}>('constants_grumpkin_pedersen');

const point = ([x, y]: Coordinates): { x: bigint; y: bigint } => ({ x: BigInt(x), y: BigInt(y) });

interface Case {
  readonly name: string;
  readonly inputs: string[];
  readonly hashIndex: number;
}

describe('generators', () => {
  it('of the data, of the length, and of other domains', () => {
    expect(generators(DATA_DOMAIN, 0, 128)).toEqual(constants.defaultGenerators.map(point));
    expect(lengthGenerator()).toEqual(point(constants.lengthGenerator));
    for (const { domain, generators: expected } of constants.otherDomains) {
      expect(generators(domain, 0, expected.length)).toEqual(expected.map(point));
    }
    expect(generators(DATA_DOMAIN, 0, 128).every(isOnGrumpkin)).toBe(true);
  });

  it('are refused beyond the last', () => {
    expect(() => generators(DATA_DOMAIN, MAX_GENERATORS, 1)).toThrow(RangeError);
    expect(() => generators(DATA_DOMAIN, -1, 1)).toThrow(RangeError);
  });
});

describe('points', () => {
  const [g] = generators(DATA_DOMAIN, 0, 1);

  it('form a group of their order', () => {
    expect(multiplyPoint(g!, GRUMPKIN_ORDER)).toBeUndefined();
    expect(multiplyPoint(g!, GRUMPKIN_ORDER - 1n)).toEqual(negatePoint(g!));
    expect(multiplyPoint(g!, 0n)).toBeUndefined();
    expect(addPoints(g!, g!)).toEqual(multiplyPoint(g!, 2n));
    expect(addPoints(g!, negatePoint(g!))).toBeUndefined();
    expect(addPoints(undefined, g!)).toEqual(g);
    expect(addPoints(multiplyPoint(g!, 5n), multiplyPoint(g!, 9n))).toEqual(multiplyPoint(g!, 14n));
    expect(() => multiplyPoint(g!, -1n)).toThrow(RangeError);
  });
});

describe('pedersen-bn254', () => {
  it('hashes the published elements', () => {
    for (const vector of readVectors<{ vectors: (Case & { hash: string })[] }>('pedersen_hash').vectors) {
      expect(written(pedersenHash(parse(vector.inputs), vector.hashIndex)), vector.name).toBe(vector.hash);
    }
  });

  it('hashes the published pairs', () => {
    const { vectors } = readVectors<{ vectors: { left: string; right: string; pedersen: string }[] }>(
      'pair_hash',
    );
    for (const { left, right, pedersen } of vectors) {
      expect(toHex(reference.hashPair(fromHex(left), fromHex(right)))).toBe(pedersen);
    }
  });

  it('commits as published; the identity, which the vectors write as all ones, is undefined', () => {
    const { vectors } = readVectors<{ vectors: (Case & { point: { x: string; y: string } })[] }>(
      'pedersen_commit',
    );
    for (const { name, inputs, hashIndex, point: expected } of vectors) {
      const sum = pedersenCommit(parse(inputs), hashIndex);
      const identity = `0x${'f'.repeat(64)}`;
      expect(sum ? { x: written(sum.x), y: written(sum.y) } : { x: identity, y: identity }, name).toEqual(
        expected,
      );
    }
  });

  it('hashes the published bytes, whose length it does not bind', () => {
    const { vectors } = readVectors<{ vectors: { bytes: string; hashIndex: number; hash: string }[] }>(
      'pedersen_hash_buffer',
    );
    for (const { bytes, hashIndex, hash } of vectors) {
      expect(written(pedersenHashBytesWithoutLength(fromHex(bytes), hashIndex))).toBe(hash);
    }
    const text = (value: string): Uint8Array => new TextEncoder().encode(value);
    expect(pedersenHashBytesWithoutLength(text('\0abc'))).toBe(pedersenHashBytesWithoutLength(text('abc')));
  });

  it('refuses no elements, too many, an index out of range and what is not canonical', () => {
    expect(() => pedersenHash([])).toThrow(RangeError);
    expect(() => pedersenCommit([])).toThrow(RangeError);
    expect(() => pedersenHashBytesWithoutLength(new Uint8Array())).toThrow(RangeError);
    expect(() => pedersenHash([1n, 2n], MAX_GENERATORS - 1)).toThrow(/elements: expected 1 to 1 /);
    for (const index of [-1, 0.5, Number.NaN, 2 ** 53, 200_000]) {
      expect(() => pedersenHash([1n], index), `${index}`).toThrow(RangeError);
    }
    for (const bad of [fr.modulus, fr.modulus + 1n, 2n ** 256n - 1n, -1n]) {
      const refused = expect.objectContaining({ code: 'NOT_CANONICAL', index: 1 });
      expect(() => pedersenHash([1n, bad]), `${bad}`).toThrow(refused);
    }
  });
});
