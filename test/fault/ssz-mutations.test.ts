/** Encodings with random damage: refused as malformed, or accepted and then written back byte for byte. */
import { afterAll, describe, expect, it } from 'vitest';
import { fromHex } from '../../src/bytes.ts';
import { hasCode } from '../../src/errors.ts';
import { createHasher } from '../../src/hasher.ts';
import * as ssz from '../../src/ssz/index.ts';
import { type Random, randomOf } from '../support/ssz-random.ts';
import { isWithdrawn, loadSsz, TYPED_FILES, type TypedCases, typeOf } from '../support/ssz-vectors.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const COUNT = process.env.CAMBIUM_TEST_ALL === '1' ? 100_000 : 2000;
/** Longer ones take longer and hold no other cases. */
const MAX_BYTES = 5000;

const corpus = TYPED_FILES.flatMap((file) => {
  const { structs, valid } = loadSsz<TypedCases>(file);
  return valid
    .filter((each) => !isWithdrawn(each) && each.serialized.length <= 2 * MAX_BYTES)
    .map(({ type, serialized }) => ({ type: typeOf(type, structs), bytes: fromHex(serialized) }));
});

/** One to three changes of bytes, of lengths, or of what looks like an offset. */
function damage(bytes: Uint8Array, random: Random): Uint8Array {
  let damaged = Uint8Array.from(bytes);
  for (let i = random(3); i >= 0; i--) {
    const at = random(damaged.length + 1);
    const kinds = [
      () => damaged.fill(random(256), at, at + 1),
      () => damaged.fill(random(2) ? 255 : 0, at, at + 4),
      () => damaged.subarray(0, at),
      () => Uint8Array.from([...damaged.subarray(0, at), random(256), ...damaged.subarray(at)]),
      () => {
        if (at < damaged.length) damaged[at]! ^= 1 << random(8);
        return damaged;
      },
    ];
    damaged = Uint8Array.from(kinds[random(kinds.length)]!());
  }
  return damaged;
}

/** Numbers, strings and objects in a value. */
function sizeOf(value: ssz.SszValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (value instanceof Uint8Array) return 1 + value.length;
  return Object.values(value).reduce((sum: number, part) => sum + sizeOf(part), 1);
}

describe('damaged encodings', () => {
  it(`are refused, or mean what they say: ${COUNT}`, () => {
    const random = randomOf('damage');
    const outcomes = { refused: 0, accepted: 0 };
    for (let i = 0; i < COUNT; i++) {
      const { type, bytes } = corpus[random(corpus.length)]!;
      const damaged = damage(bytes, random);
      let value: ssz.SszValue;
      try {
        value = ssz.deserialize(type, damaged);
      } catch (error) {
        if (!hasCode(error, 'MALFORMED')) throw error;
        expect(() => ssz.hashTreeRootSync(hasher, type, ssz.serialized(damaged))).toThrow(/^ssz: at byte/);
        outcomes.refused++;
        continue;
      }
      outcomes.accepted++;
      expect(Buffer.compare(ssz.serialize(type, value), damaged)).toBe(0);
      const fixed = type.fixedBytes ?? 0;
      expect(sizeOf(value)).toBeLessThanOrEqual(8 * damaged.length + 8 * fixed + 100);
      const root = ssz.hashTreeRootSync(hasher, type, ssz.serialized(damaged));
      expect(Buffer.compare(ssz.hashTreeRootSync(hasher, type, value), root)).toBe(0);
    }
    expect(outcomes.refused).toBeGreaterThan(COUNT / 10);
    expect(outcomes.accepted).toBeGreaterThan(COUNT / 10);
  }, 900_000);

  it('promise nothing that is not there', () => {
    const promises = ssz.list(ssz.list(ssz.uint64, 2n ** 40n), 2n ** 40n);
    // An offset that says a billion elements in eight bytes.
    const claim = Uint8Array.from([0xfc, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
    expect(() => ssz.deserialize(promises, claim)).toThrow(/offset 4294967292/);
    expect(() => ssz.deserialize(ssz.vector(promises, 2 ** 30), claim)).toThrow(/offset 4294967292/);
    expect(() => ssz.hashTreeRootSync(hasher, ssz.vector(promises, 2 ** 30), ssz.serialized(claim))).toThrow(
      /offset 4294967292/,
    );
    expect(() => ssz.deserialize(ssz.byteVector(2 ** 31), claim)).toThrow(/8 bytes/);
  });
});
