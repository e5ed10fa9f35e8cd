/** Reference code of every hash of bytes: published digests, and independent libraries on random messages. */
import { readFileSync } from 'node:fs';
import { blake3 as nobleBlake3 } from '@noble/hashes/blake3.js';
import { describe, expect, it } from 'vitest';
import { concatBytes, toHex } from '../../src/bytes.ts';
import { blake3 } from '../../src/hash/blake3.ts';
import { byteHashes, LONG_LENGTHS, openssl, SHORT_LENGTHS } from '../support/byte-hashes.ts';
import { expectBytes, randomBytes } from '../support/cpu.ts';
import { sha256 } from '../support/naive-tree.ts';

interface Published {
  readonly lengths: Readonly<Record<string, string>>;
  readonly pairs: readonly string[];
  readonly zeros: readonly string[];
}

const { algorithms } = JSON.parse(
  readFileSync(new URL('../vectors/monotree/hashes.json', import.meta.url), 'utf8'),
) as { algorithms: Readonly<Record<string, Published>> };

/** `message(L)` and `pair(j)` of the vector file. */
const messageOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i % 251);
const nodeOf = (side: string, j: number): Uint8Array =>
  sha256(new TextEncoder().encode(`monotree/${side}/${j}`));

const bare = (bytes: Uint8Array): string => toHex(bytes).slice(2);

describe.each(byteHashes.filter(({ vectors }) => vectors))(
  'published digests of $id',
  ({ spec, vectors }) => {
    const { lengths, pairs, zeros } = algorithms[vectors!]!;

    it('messages around every block edge, to 64 KiB', async () => {
      const { hash } = await spec.load();
      expect(Object.keys(lengths)).toHaveLength(42);
      for (const [length, digest] of Object.entries(lengths)) {
        expect(bare(hash!(messageOf(Number(length)))), length).toBe(digest);
      }
    });

    it('pairs', async () => {
      const { hashPair } = await spec.load();
      expect(pairs).toHaveLength(16);
      pairs.forEach((digest, j) => {
        expect(bare(hashPair(nodeOf('left', j), nodeOf('right', j)))).toBe(digest);
      });
    });

    it('zero digests', async () => {
      const { hashPair } = await spec.load();
      expect(bare(spec.zero)).toBe(zeros[0]);
      let zero: Uint8Array = spec.zero;
      for (const digest of zeros.slice(1)) {
        zero = hashPair(zero, zero);
        expect(bare(zero)).toBe(digest);
      }
    });
  },
);

describe.each(byteHashes)('reference of $id', ({ spec, noble, openssl: algorithm }) => {
  it('agrees with independent code on random messages', async () => {
    const { hash, hashPair } = await spec.load();
    for (const length of [...SHORT_LENGTHS.slice(0, 301), ...LONG_LENGTHS]) {
      const message = randomBytes(length);
      const digest = hash!(message);
      expectBytes(digest, noble(message), `${length} bytes`);
      if (algorithm) expectBytes(digest, openssl(algorithm, message), `${length} bytes, OpenSSL`);
    }
    const [left, right] = [randomBytes(32), randomBytes(32)];
    expectBytes(hashPair(left, right), noble(concatBytes(left, right)));
  });

  it('counts blocks so that equal numbers cost the same', async () => {
    const { messageBlocks } = await spec.load();
    const counts = Array.from({ length: 2000 }, (_, length) => messageBlocks!(length));
    expect(counts[0]).toBe(1);
    expect(counts.slice(1).every((count, i) => count === counts[i] || count === counts[i]! + 1)).toBe(true);
  });
});

it('BLAKE3 takes a tree of 1024 chunks', () => {
  const message = randomBytes(2 ** 20);
  expectBytes(blake3(message), nobleBlake3(message));
});
