/** `cambium tree` with indexed trees, over several processes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { cambium } from '../support/cambium.ts';
import { bytesOf, NaiveIndexedTree } from '../support/naive-indexed.ts';

const folder = mkdtempSync(join(tmpdir(), 'cambium-indexed-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Opening a GPU takes longer than all of these. */
const onCpu = (command: string): string[] =>
  ['create', 'insert'].includes(command) ? ['--backend', 'cpu'] : [];
const tree = async (...args: string[]) => await cambium(['tree', ...args, ...onCpu(args[0]!)]);
const hex = (value: number): string => toHex(bytesOf(BigInt(value)));
const file = (name: string, ...values: number[]): string => {
  const path = join(folder, name);
  writeFileSync(path, values.map((value) => `${hex(value)}\n`).join(''));
  return path;
};

describe('cambium tree, indexed', () => {
  it('inserts values and proves what is in the tree, and what is not', async () => {
    const at = ['--store', join(folder, 'kept')];
    const model = new NaiveIndexedTree(10, 2);
    const made = await tree('create', ...at, '--depth', '10', '--scheme', 'typescript', '--prefill', '2');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('sha256, indexed, typescript') });
    const values = [50, 0, 20, 90, 35];
    const inserted = await tree(
      'insert',
      file('values', ...values),
      '--leaves',
      'hex',
      ...at,
      '--batch',
      '3',
      '--json',
    );
    model.batch([[50n], [0n], [20n]]);
    model.batch([[90n], [35n]]);
    const root = toHex(model.root);
    expect(JSON.parse(inserted.stdout)).toMatchObject({ inserted: 5, size: 7, root, scheme: 'typescript' });

    const known = ['--root', root, '--depth', '10', '--scheme', 'typescript'];
    const proof = join(folder, 'proof.json');
    expect(await tree('prove', ...at, '--value', hex(20), '--out', proof)).toMatchObject({ code: 0 });
    const valid = { code: 0, stdout: 'the proof is valid\n' };
    expect(await tree('verify-value', proof, '--value', hex(20), ...known)).toMatchObject(valid);
    for (const wrong of [
      ['--value', hex(20), '--absent'],
      ['--value', hex(35)],
      ['--value', hex(20), '--hash', 'sha256-truncated'],
    ]) {
      expect(await tree('verify-value', proof, ...known, ...wrong)).toMatchObject({ code: 1 });
    }
    const absence = join(folder, 'absence.json');
    expect(await tree('prove-absence', ...at, '--value', hex(36), '--out', absence)).toMatchObject({
      code: 0,
    });
    const about36 = ['--value', hex(36), '--absent', ...known];
    expect(await tree('verify-value', absence, ...about36)).toMatchObject(valid);
    const text = readFileSync(absence, 'utf8');
    writeFileSync(absence, text.replace('"nextIndex": 2', '"nextIndex": 4'));
    const refuted = await tree('verify-value', absence, ...about36, '--json');
    expect(refuted.code).toBe(1);
    expect(JSON.parse(refuted.stdout)).toEqual({ valid: false, why: 'its leaf and siblings do not show it' });
    writeFileSync(absence, text.replace('"nextIndex": 2', '"nextIndex": "2"'));
    expect(await tree('verify-value', absence, ...about36)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('leaf.nextIndex'),
    });
  });

  it('updates slots', async () => {
    const at = ['--store', join(folder, 'slots')];
    const shape = ['--depth', '6', '--scheme', 'typescript', '--updatable'];
    await tree('create', ...at, ...shape);
    await tree('insert', file('first', 7, 70, 9, 90), '--leaves', 'hex', ...at);
    const second = await tree('insert', file('second', 7, 71, 8, 80), '--leaves', 'hex', ...at, '--json');
    const model = new NaiveIndexedTree(6, 1, 0n);
    model.batch([
      [7n, 70n],
      [9n, 90n],
    ]);
    model.batch([
      [7n, 71n],
      [8n, 80n],
    ]);
    const { root } = JSON.parse(second.stdout);
    expect(root).toBe(toHex(model.root));
    const proof = join(folder, 'slot.json');
    await tree('prove', ...at, '--value', hex(7), '--out', proof);
    const known = ['--root', root, '--depth', '6', '--scheme', 'typescript', '--value', hex(7)];
    expect(await tree('verify-value', proof, ...known, '--data', hex(71))).toMatchObject({ code: 0 });
    expect(await tree('verify-value', proof, ...known, '--data', hex(70))).toMatchObject({ code: 1 });
    expect(await tree('verify-value', proof, ...known)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--data'),
    });
  });

  it('says what is wrong', async () => {
    const at = ['--store', join(folder, 'wrong')];
    const refused = async (why: string, ...args: string[]) =>
      expect(await tree(...args, ...at)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    await refused(
      '--scheme: separated does not go with sha256',
      'create',
      '--depth',
      '3',
      '--scheme',
      'separated',
    );
    await refused('--prefill: ', 'create', '--depth', '3', '--scheme', 'pr', '--prefill', '9');
    await refused('go with --scheme', 'create', '--depth', '3', '--updatable');
    await tree('create', '--depth', '3', '--scheme', 'pr', ...at);
    const values = file('twice', 5, 6, 5);
    await refused('entries 0 and 2 are the same (KEY_EXISTS)', 'insert', values, '--leaves', 'hex');
    await refused('it takes values: insert', 'append', values, '--leaves', 'hex');
    await refused('(KEY_ABSENT)', 'prove', '--value', hex(5));
    await refused('(KEY_EXISTS)', 'prove-absence', '--value', hex(0));
    await refused('--value: an indexed tree proves values', 'prove', '--index', '0');
    await refused('--size: ', 'prove', '--value', hex(0), '--size', '1');
    const info = JSON.parse((await tree('info', '--json', ...at)).stdout);
    expect(info).toMatchObject({ size: 1, depth: 3, scheme: 'pr', updatable: false });

    const plain = ['--store', join(folder, 'plain')];
    await tree('create', '--depth', '3', ...plain);
    expect(await tree('insert', values, '--leaves', 'hex', ...plain)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it takes leaves: append'),
    });
  });
});
