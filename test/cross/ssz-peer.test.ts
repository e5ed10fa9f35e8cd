/** `@chainsafe/ssz` as the second opinion on random types, and as a user of our hasher. */
import { isDeepStrictEqual } from 'node:util';
import { hasher as defaultHasher, setHasher } from '@chainsafe/persistent-merkle-tree';
import { hasher as asSha256Hasher } from '@chainsafe/persistent-merkle-tree/hasher/as-sha256';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import * as ssz from '../../src/ssz/index.ts';
import { zeroRoot } from '../../src/ssz/zeros.ts';
import { expectBytes, pairsOf, randomBytes, shifted } from '../support/cpu.ts';
import { peerType } from '../support/ssz-peer.ts';
import { randomOf, randomType, randomValue } from '../support/ssz-random.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());
const ours = ssz.persistentMerkleTreeHasher(hasher);

/** Runs a case for many types; which ones is the same in every run. */
function forRandomTypes(
  name: string,
  count: number,
  check: (type: ssz.SszType, value: ssz.SszValue) => void,
) {
  const random = randomOf(name);
  for (let i = 0; i < count; i++) {
    const type = randomType(random, 3);
    try {
      check(type, randomValue(random, type));
    } catch (error) {
      throw new Error(`case ${i}: ${JSON.stringify(type, (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`, {
        cause: error,
      });
    }
  }
}

describe('random types and values', () => {
  beforeAll(() => setHasher(asSha256Hasher));
  afterAll(() => setHasher(defaultHasher));

  it('have the peer’s bytes and root', () => {
    forRandomTypes('peer', 200, (type, value) => {
      const bytes = ssz.serialize(type, value);
      expect(isDeepStrictEqual(ssz.deserialize(type, bytes), value)).toBe(true);
      const json = JSON.parse(JSON.stringify(ssz.toJson(type, value)));
      expect(isDeepStrictEqual(ssz.fromJson(type, json), value)).toBe(true);
      const other = peerType(type);
      const theirs = other.deserialize(bytes);
      expectBytes(other.serialize(theirs), bytes);
      expect(toHex(ssz.hashTreeRootSync(hasher, type, value))).toBe(toHex(other.hashTreeRoot(theirs)));
    });
  });
});

describe('the peer on our hasher', () => {
  beforeAll(() => setHasher(ours));
  afterAll(() => setHasher(defaultHasher));

  it('comes to the same roots, of values and of trees', () => {
    const before = hasher.info.counters.hashesCpu;
    forRandomTypes('on our hasher', 100, (type, value) => {
      const root = toHex(ssz.hashTreeRootSync(hasher, type, value));
      const other = peerType(type);
      const bytes = ssz.serialize(type, value);
      expect(toHex(other.hashTreeRoot(other.deserialize(bytes)))).toBe(root);
      if (type.kind !== 'container' || type.active) return;
      const view = other.deserializeToViewDU(bytes);
      view.commit();
      expect(toHex(view.hashTreeRoot())).toBe(root);
    });
    expect(hasher.info.counters.hashesCpu).toBeGreaterThan(before);
  });
});

describe('our hasher', () => {
  it('has the members of the peer’s', () => {
    expect(Object.keys(ours).sort()).toEqual(Object.keys(asSha256Hasher).sort());
    expect(ours.name).toBe(`cambium ${hasher.info.cpu.engine}`);
  });

  it('hashes layers and pairs at any address', () => {
    for (const pairs of [0, 1, 2, 5, 1025]) {
      const input = shifted(randomBytes(64 * pairs), 3);
      const output = shifted(new Uint8Array(32 * pairs), 1);
      ours.hashInto(input, output);
      expectBytes(output, pairsOf(input));
    }
    const pair = randomBytes(64);
    const output = new Uint8Array(32);
    ours.digest64Into(pair.subarray(0, 32), pair.subarray(32), output);
    expectBytes(output, pairsOf(pair));
    expectBytes(ours.digest64(pair.subarray(0, 32), pair.subarray(32)), output);
    expect(() => ours.hashInto(pair, new Uint8Array(64))).toThrow(RangeError);
    expect(() => ours.digest64Into(pair.subarray(32), pair.subarray(32), new Uint8Array(31))).toThrow(
      RangeError,
    );
  });

  it('merkleizes as the peer’s', () => {
    for (const [chunks, padFor] of [
      [1, 1],
      [2, 2],
      [2, 3],
      [4, 4],
      [6, 5],
      [6, 2 ** 40],
      [34, 64],
    ] as const) {
      const blocks = randomBytes(32 * chunks);
      const [got, right] = [new Uint8Array(40), new Uint8Array(40)];
      asSha256Hasher.merkleizeBlocksBytes(blocks.slice(), padFor, right, 8);
      ours.merkleizeBlocksBytes(blocks.slice(), padFor, got, 8);
      expectBytes(got, right, `${chunks} for ${padFor}`);
      if (chunks === 1) continue;
      const parts = Array.from({ length: chunks / 2 }, (_, i) => blocks.slice(64 * i, 64 * i + 64));
      ours.merkleizeBlockArray([...parts, new Uint8Array(64)], parts.length, padFor, got, 8);
      expectBytes(got, right, `array of ${chunks} for ${padFor}`);
    }
    const root = new Uint8Array(32);
    ours.merkleizeBlocksBytes(new Uint8Array(0), 2 ** 49 + 1, root, 0);
    expectBytes(root, zeroRoot(50));
    ours.merkleizeBlockArray([], 0, 8, root, 0);
    expectBytes(root, zeroRoot(3));
    expect(() => ours.merkleizeBlocksBytes(new Uint8Array(64), 0, root, 0)).toThrow(RangeError);
    expect(() => ours.merkleizeBlocksBytes(new Uint8Array(96), 4, root, 0)).toThrow(RangeError);
    expect(() => ours.merkleizeBlockArray([], 1, 8, root, 0)).toThrow(RangeError);
  });

  it('folds levels into memory of their own', () => {
    const data = randomBytes(256 * 3);
    const copy = data.slice();
    const first = ours.digestNLevel(data, 3);
    expectBytes(first, pairsOf(pairsOf(pairsOf(data))));
    expectBytes(data, copy);
    ours.digestNLevel(randomBytes(256), 3);
    expectBytes(first, pairsOf(pairsOf(pairsOf(data))));
    expect(() => ours.digestNLevel(randomBytes(64), 3)).toThrow(RangeError);
  });

  it('runs schedules of more pairs than a batch, the deepest level first', () => {
    const object = (): ssz.HashObject => ({ h0: 0, h1: 0, h2: 0, h3: 0, h4: 0, h5: 0, h6: 0, h7: 0 });
    const leaves = Array.from({ length: 6000 }, (_, i) => ({ ...object(), h0: i, h3: -i, h7: (i ** 2) | 0 }));
    const middle = Array.from({ length: 3000 }, object);
    const tops = Array.from({ length: 1500 }, object);
    const pairUp = (sources: ssz.HashObject[], targets: ssz.HashObject[]) =>
      targets.map((dest, i) => ({ src0: sources[2 * i]!, src1: sources[2 * i + 1]!, dest }));
    ours.executeHashComputations([pairUp(middle, tops), pairUp(leaves, middle)]);
    const bytes = Uint8Array.from(
      new Uint8Array(Int32Array.from(leaves.flatMap((leaf) => Object.values(leaf))).buffer),
    );
    const got = new Uint8Array(Int32Array.from(tops.flatMap((top) => Object.values(top))).buffer);
    expectBytes(got, pairsOf(pairsOf(bytes)));
    const parent = object();
    ours.digest64HashObjects(middle[0]!, middle[1]!, parent);
    expect(parent).toEqual(tops[0]);
  });

  it('is made of SHA-256 only', async () => {
    const blake = await createHasher('blake3', { backend: 'cpu', threads: 0 });
    expect(() => ssz.persistentMerkleTreeHasher(blake)).toThrow(TypeError);
    expect(() => ssz.hashTreeRootSync(blake, ssz.uint8, 1)).toThrow(TypeError);
    await blake.close();
  });
});
