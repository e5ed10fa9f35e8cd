/**
 * RPO with the capacity first against Miden's SDK. The SDK has no RPX, and takes 131 MB: what it made of rows is recorded
 * (`scripts/record-miden.ts`), and with `CAMBIUM_TEST_ALL=1` it is asked itself.
 */
import { describe, expect, it } from 'vitest';
import { midenRpo, midenSdk } from '../../bench/miden.ts';
import { kernels } from '../../kernels/hash/rpo-capacity-first.ts';
import { toHex } from '../../src/bytes.ts';
import { elementsToBytes, gl } from '../../src/field/goldilocks.ts';
import { reference } from '../../src/hash/rpo-capacity-first.ts';
import { createHasher } from '../../src/hasher.ts';
import { randomIntegers } from '../support/bn254-vectors.ts';
import { hexOf, parse, readVectors } from '../support/goldilocks-vectors.ts';
import { enginesOf } from '../support/kernels.ts';

const { vectors } = readVectors<{ vectors: { in: string[]; digest: string[] }[] }>('miden_sdk');
const rows = vectors.map((vector) => parse(vector.in));
const digests = vectors.map(({ digest }) => hexOf(digest));

describe("digests of Miden's SDK", () => {
  it('are those of the reference', () => {
    expect(rows).toHaveLength(66);
    expect(rows.map((row) => toHex(reference.hashElements!(row)))).toEqual(digests);
  });

  it.each(enginesOf(kernels))('are those of WASM, %s', (_, engine) => {
    const out = new Uint8Array(32);
    rows.forEach((row, i) => {
      engine.hashRows!(elementsToBytes(row), row.length, out);
      expect(toHex(out)).toBe(digests[i]);
      if (row.length !== 8) return;
      engine.hashPairs(elementsToBytes(row), out);
      expect(toHex(out)).toBe(digests[i]);
    });
  });

  it('[gpu] are those of the GPU', async () => {
    await using hasher = await createHasher('rpo-capacity-first', {
      backend: 'gpu',
      crossCheck: 'off',
      threads: 0,
    });
    // Around whole blocks of eight.
    for (const length of [1, 7, 8, 9, 16, 17, 40]) {
      const places = [...rows.keys()].filter((i) => rows[i]!.length === length);
      const bytes = elementsToBytes(places.flatMap((i) => rows[i]!));
      const got = Buffer.from(await hasher.hashRows(bytes, length)).toString('hex');
      expect(got).toBe(places.map((i) => digests[i]!.slice(2)).join(''));
    }
    expect(hasher.info.counters.hashesCpu).toBe(0);
  });
});

if (process.env.CAMBIUM_TEST_ALL === '1') {
  it("Miden's SDK makes what is recorded, and of random rows what the reference makes", async () => {
    const sdk = await midenSdk();
    expect(rows.map((row) => toHex(midenRpo(sdk, row)))).toEqual(digests);
    const random = randomIntegers(17, gl.modulus);
    for (let i = 0; i < 1000; i++) {
      const row = Array.from({ length: 1 + (i % 40) }, () => random.next().value);
      expect(toHex(midenRpo(sdk, row))).toBe(toHex(reference.hashElements!(row)));
    }
  });
}
