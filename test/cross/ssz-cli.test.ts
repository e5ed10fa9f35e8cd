/** `cambium ssz` as its users run it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { fromHex } from '../../src/bytes.ts';
import { cambium } from '../support/cambium.ts';
import { loadSsz } from '../support/ssz-vectors.ts';

const folder = mkdtempSync(join(tmpdir(), 'cambium-ssz-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BEACON = fileURLToPath(new URL('../vectors/ssz/beacon_minimal.json', import.meta.url));
const { cases } = loadSsz<{ cases: { type_name: string; root: string; serialized: string }[] }>(
  'beacon_minimal',
);
const header = cases.find(({ type_name }) => type_name === 'phase0.BeaconBlockHeader')!;

const proofs = loadSsz<{
  single: {
    name: string;
    type: unknown;
    serialized: string;
    gindex: string;
    leaf: string;
    branch: string[];
  }[];
}>('proofs').single;
const bench = proofs.find(({ name }) => name === 'bench object element 1')!;

function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('cambium ssz', () => {
  it('root of a type out of a file with several', async () => {
    const file = write('header.ssz', fromHex(header.serialized));
    const args = ['--schema', BEACON, '--type', header.type_name, file, '--backend', 'cpu', '--json'];
    const { code, stdout } = await cambium(['ssz', 'root', ...args]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ root: header.root, bytes: 112 });
  });

  it.each([
    ['--path', '1'],
    ['--gindex', bench.gindex],
  ])('prove by %s', async (flag, place) => {
    const schema = write('schema.json', JSON.stringify(bench.type));
    const file = write('transactions.ssz', fromHex(bench.serialized));
    const args = ['--schema', schema, file, '--backend', 'cpu', flag, place];
    const { code, stdout } = await cambium(['ssz', 'prove', ...args]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      gindex: bench.gindex,
      leaf: bench.leaf,
      branch: bench.branch,
    });
  });

  it('says what is wrong with schema, bytes, and place', async () => {
    const schema = write('schema.json', '{"kind":"list","elem":{"kind":"uint","bytes":8},"limit":4}');
    const good = write('good.ssz', new Uint8Array(8));
    const long = write('long.ssz', new Uint8Array(40));
    const bad = write('bad.json', '{"kind":"list","elem":{"kind":"uint","bytes":3}}');
    const run = (args: string[]) => cambium(['ssz', ...args, '--backend', 'cpu']);
    const failed = (expected: RegExp) => ({ code: 2, stderr: expect.stringMatching(expected) });
    expect(await run(['root', '--schema', schema, long])).toMatchObject(failed(/5 elements.*MALFORMED/));
    expect(await run(['root', '--schema', bad, good])).toMatchObject(
      failed(/schema\.elem\.bytes.*MALFORMED/),
    );
    expect(await run(['root', '--schema', schema, '--type', 'x', good])).toMatchObject(
      failed(/no such type/),
    );
    expect(await run(['prove', '--schema', schema, good, '--path', '4'])).toMatchObject(failed(/below 4/));
    expect(await run(['prove', '--schema', schema, good])).toMatchObject(failed(/--path or --gindex/));
  });
});
