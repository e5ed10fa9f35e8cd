/** `cambium sparse`: sparse trees on disk, over several processes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { cambium } from '../support/cambium.ts';
import { naiveCanonicalRoot } from '../support/naive-sparse.ts';
import { sha256 } from '../support/naive-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'cambium-sparse-'));
afterAll(() => rmSync(folder, { recursive: true }));

const text = (value: string): string => Buffer.from(sha256(new TextEncoder().encode(value))).toString('hex');
const sparse = async (...args: string[]) => await cambium(['sparse', ...args]);
const rootOf = (entries: [string, string][]): string =>
  toHex(naiveCanonicalRoot(new Map(entries.map(([key, leaf]) => [key, Buffer.from(leaf, 'hex')])))!);

describe('cambium sparse', () => {
  it('puts, gets, deletes and proves, each in a process of its own', async () => {
    const at = ['--store', join(folder, 'small')];
    const [a, b, c] = ['a', 'b', 'c'].map(text) as [string, string, string];
    expect(await sparse('put', a, b, ...at, '--hash', 'sha256')).toMatchObject({ code: 0 });
    const put = JSON.parse((await sparse('put', b, `0x${c}`, ...at, '--json')).stdout);
    expect(put).toMatchObject({
      layout: 'canonical',
      hash: 'sha256',
      root: rootOf([
        [a, b],
        [b, c],
      ]),
    });
    expect(await sparse('get', a, ...at)).toMatchObject({ code: 0, stdout: `0x${b}\n` });
    expect(await sparse('get', c, ...at)).toMatchObject({ code: 1, stdout: 'absent\n' });

    const proof = join(folder, 'proof.json');
    const verify = (...args: string[]) => sparse('verify', proof, '--hash', 'sha256', ...args);
    await sparse('prove', a, ...at, '--out', proof);
    expect(await verify('--root', put.root, '--key', a, '--leaf', b)).toMatchObject({ code: 0 });
    expect(await verify('--root', put.root, '--key', a, '--leaf', c)).toMatchObject({ code: 1 });
    expect(await verify('--root', put.root, '--key', a)).toMatchObject({ code: 1 });
    await sparse('prove', c, ...at, '--out', proof);
    expect(await verify('--root', put.root, '--key', c)).toMatchObject({ code: 0 });

    expect(await sparse('del', b, ...at)).toMatchObject({ code: 0 });
    expect(JSON.parse((await sparse('info', ...at, '--json')).stdout).root).toBe(rootOf([[a, b]]));
    expect(await sparse('get', b, ...at, '--root', put.root)).toMatchObject({ code: 0, stdout: `0x${c}\n` });
  });

  it('imports JSON lines and CSV', async () => {
    const at = ['--store', join(folder, 'imported'), '--hash', 'sha256'];
    const entries = Array.from({ length: 50 }, (_, i): [string, string] => [text(`k${i}`), text(`l${i}`)]);
    const [lines, csv] = [join(folder, 'in.jsonl'), join(folder, 'in.csv')];
    writeFileSync(
      lines,
      entries
        .slice(0, 30)
        .map(([key, leaf]) => `${JSON.stringify({ key, leaf })}\n`)
        .join(''),
    );
    const rows = [...entries.slice(30).map((row) => row.join(',')), `${entries[3]![0]},`];
    writeFileSync(csv, `key,leaf\r\n${rows.join('\r\n')}`);
    expect(JSON.parse((await sparse('import', lines, ...at, '--json')).stdout)).toMatchObject({
      entries: 30,
      root: rootOf(entries.slice(0, 30)),
    });
    const left = entries.filter((_, i) => i !== 3);
    expect(JSON.parse((await sparse('import', csv, ...at, '--json')).stdout)).toMatchObject({
      entries: 21,
      root: rootOf(left),
    });
  });

  it('takes text where keys are hashed', async () => {
    const at = ['--store', join(folder, 'jmt'), '--layout', 'jmt', '--hash', 'sha256'];
    expect(await sparse('put', 'name', 'value', ...at)).toMatchObject({ code: 0 });
    expect(await sparse('get', 'name', ...at)).toMatchObject({
      code: 0,
      stdout: `${toHex(Buffer.from('value'))}\n`,
    });
  });

  it('says what is wrong', async () => {
    const at = ['--store', join(folder, 'wrong')];
    const key = text('a');
    const bad = join(folder, 'bad.jsonl');
    writeFileSync(bad, `${JSON.stringify({ key, leaf: key })}\n{"key": "12"}\n`);
    const failures: [string[], RegExp][] = [
      [['get', key, ...at], /no such folder/],
      [['put', 'zz', key, ...at], /key "zz": expected 64 hexadecimal digits/],
      [['import', bad, ...at], /bad\.jsonl:2: key "12"/],
      [['import', join(folder, 'none'), ...at], /no such file/],
    ];
    for (const [args, message] of failures) {
      const { code, stderr } = await sparse(...args);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
    await sparse('put', key, key, ...at);
    expect((await sparse('get', key, ...at, '--root', key)).stderr).toMatch(/--root: .*no such root/);
    expect((await sparse('get', key, ...at, '--name', 'other')).stderr).toMatch(/no such tree/);
    const proof = join(folder, 'malformed.json');
    await sparse('prove', key, ...at, '--out', proof);
    writeFileSync(proof, readFileSync(proof, 'utf8').replace('"path": "0x', '"path": "0xzz'));
    const verified = await sparse('verify', proof, '--root', key, '--key', key);
    expect(verified).toMatchObject({ code: 2 });
    expect(verified.stderr).toMatch(/path: expected hexadecimal digits/);
  });
});
