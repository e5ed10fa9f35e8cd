/** `cambium tree`: trees on disk, over several processes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { cambium } from '../support/cambium.ts';
import { naiveRoot } from '../support/naive-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'cambium-tree-'));
afterAll(() => rmSync(folder, { recursive: true }));

const digests = (count: number): Uint8Array =>
  Uint8Array.from({ length: count * 32 }, (_, i) => (i * 37) >>> 3);
/** Root of the first leaves at depth 12. */
const root = (count: number): Uint8Array =>
  naiveRoot(
    Array.from({ length: count }, (_, i) => digests(70).subarray(i * 32, i * 32 + 32)),
    12,
    'zero',
  );
const tree = async (...args: string[]) => await cambium(['tree', ...args]);
const info = async (store: string) => JSON.parse((await tree('info', '--store', store, '--json')).stdout);

describe('cambium tree', () => {
  it('keeps a tree from one process to the next, and proves its past', async () => {
    const store = join(folder, 'kept');
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    writeFileSync(first, digests(70).subarray(0, 33 * 32));
    writeFileSync(second, digests(70).subarray(33 * 32));

    expect(await tree('create', '--store', store, '--depth', '12')).toMatchObject({ code: 0 });
    expect(await info(store)).toMatchObject({ size: 0, depth: 12, hash: 'sha256' });
    expect(await tree('append', first, '--leaves', 'raw32', '--store', store)).toMatchObject({ code: 0 });
    const early = await info(store);
    expect(early).toMatchObject({ size: 33, root: toHex(root(33)) });
    const appended = await tree('append', second, '--leaves', 'raw32', '--store', store, '--json');
    expect(JSON.parse(appended.stdout)).toMatchObject({ appended: 37, size: 70 });
    expect(await info(store)).toMatchObject({ size: 70, root: toHex(root(70)) });

    const proof = join(folder, 'proof.json');
    expect(
      await tree('prove', '--store', store, '--index', '5', '--size', '33', '--out', proof),
    ).toMatchObject({
      code: 0,
    });
    const leaf = toHex(digests(70).subarray(5 * 32, 6 * 32));
    const known = ['--root', early.root, '--leaf', leaf, '--index', '5', '--depth', '12', '--size', '33'];
    expect(await tree('verify', proof, ...known)).toMatchObject({ code: 0, stdout: 'the proof is valid\n' });
    known[1] = (await info(store)).root;
    expect(await tree('verify', proof, ...known)).toMatchObject({ code: 1 });
  });

  it('says what is wrong', async () => {
    const store = join(folder, 'wrong');
    const file = join(folder, 'leaves');
    writeFileSync(file, digests(5));
    const missing = await tree('info', '--store', join(folder, 'none'));
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('none: no such folder') });
    await tree('create', '--store', store, '--depth', '2');
    expect(await tree('create', '--store', store, '--depth', '2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has such a tree already'),
    });
    expect(await tree('info', '--store', store, '--name', 'other')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no such tree'),
    });
    expect(await tree('append', file, '--leaves', 'raw32', '--store', store)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TREE_FULL'),
    });
    expect(await info(store)).toMatchObject({ size: 0 });
    expect(await tree('prove', '--index', '0', '--store', store)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the tree had 0 leaves'),
    });
    expect(await tree('create', '--store', store, '--depth', '65', '--name', 'deep')).toMatchObject({
      code: 2,
    });
  });
});
