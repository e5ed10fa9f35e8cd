/**
 * `npx tsx scripts/record-miden.ts`, after `npm ci --prefix bench/peers`: writes what Miden's SDK makes of rows of elements to
 * `test/vectors/goldilocks/miden_sdk.json`.
 *
 * The SDK takes 131 MB, so the tests of a fresh clone compare with this record, and `npm run test:all` with the SDK.
 */
import { writeFileSync } from 'node:fs';
import { MIDEN_SDK, midenRpo, midenSdk } from '../bench/miden.ts';
import { gl } from '../src/field/goldilocks.ts';
import { EDGES } from '../test/support/goldilocks-edges.ts';
import { seriesElement } from '../test/support/goldilocks-vectors.ts';

const LONGEST = 40;

const rows: bigint[][] = [];
for (let length = 1; length <= LONGEST; length++) {
  rows.push(Array.from({ length }, (_, i) => seriesElement(LONGEST * length + i)));
}
for (const [i, edge] of EDGES.entries()) {
  rows.push(new Array<bigint>(8).fill(edge), [edge, gl.modulus - 1n, ...EDGES.slice(i, i + 6)]);
}

const sdk = await midenSdk();
const written = (element: bigint): string => `0x${element.toString(16).padStart(16, '0')}`;
const vectors = rows.map((row) => {
  const digest = new DataView(midenRpo(sdk, row).slice().buffer);
  const elements = [0, 8, 16, 24].map((at) => digest.getBigUint64(at, true));
  return { in: row.map(written), digest: elements.map(written) };
});
const file = {
  source: `Recorded from the npm package ${MIDEN_SDK}, Rpo256.hashElements: RPO with the capacity first.`,
  format:
    'Elements are canonical, "0x" + 16 lower-case hex digits; a digest is four elements, element 0 first.',
  vectors,
};
const path = new URL('../test/vectors/goldilocks/miden_sdk.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(file, null, 1)}\n`);
