/** The page: what its users do, on the built page in a real browser. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { madeLeaves } from '../../demo/src/leaves.ts';
import { createHasher, type HashId, hashes, merkleRoot, toHex } from '../../src/index.ts';
import { parseReport } from '../../src/report/index.ts';
import { cambium } from '../support/cambium.ts';
import {
  type Demo,
  growTree,
  layoutShifts,
  type OpenPage,
  openDemo,
  textOf,
  type View,
} from '../support/demo.ts';

const folder = mkdtempSync(join(tmpdir(), 'cambium-page-'));
let demo: Demo;
let opened: OpenPage[] = [];
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(async () => {
  await demo?.close();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  const complaints = opened.flatMap((one) => one.complaints);
  for (const { page } of opened) await page.close();
  opened = [];
  expect(complaints).toEqual([]);
});

async function open(view?: View, from: Demo = demo): Promise<Page> {
  const one = await from.open(view);
  opened.push(one);
  return one.page;
}

async function choose(page: Page, hash: HashId, leaves: number): Promise<void> {
  await page.getByRole('combobox', { name: 'Hash' }).selectOption(hash);
  await page.getByRole('spinbutton', { name: 'How many' }).fill(String(leaves));
}

/** Leaves the GPU out, where it would only cost time. */
async function onCpuAlone(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'GPU' }).uncheck();
}

const root = (page: Page, lane: 'cpu' | 'gpu'): Promise<string> =>
  textOf(page, `[data-lane=${lane}] .root code`);

/** Node's root over the leaves that the page makes up. */
async function nodeRoot(hash: HashId, leaves: number): Promise<string> {
  const hasher = await createHasher(hash, { backend: 'cpu' });
  const digest = await merkleRoot(hasher, madeLeaves(leaves));
  await hasher.close();
  return toHex(digest);
}

/** Drops a file on the page, as a user does. */
async function drop(page: Page, name: string, content: Uint8Array): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([name, bytes]) => {
      const scope = globalThis as unknown as Record<
        'DataTransfer' | 'File',
        new (
          ...args: unknown[]
        ) => never
      >;
      const data = new scope.DataTransfer() as { items: { add(file: unknown): void } };
      data.items.add(new scope.File([new Uint8Array(bytes)], name));
      return data;
    },
    [name, [...content]] as const,
  );
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: transfer });
}

describe('[browser] page: trees', () => {
  it('offers every hash', async () => {
    const page = await open();
    const ids = await page.locator('#hash option').allTextContents();
    expect(ids.sort()).toEqual([...hashes.keys()].sort());
  });

  it.each<[HashId, number]>([
    ['sha256', 5000],
    ['poseidon2-bn254', 33],
  ])('%s: CPU, GPU and Node have one root', async (hash, leaves) => {
    const page = await open();
    await choose(page, hash, leaves);
    expect(await growTree(page)).toMatch(/^Both roots agree/);
    const expected = await nodeRoot(hash, leaves);
    expect(await root(page, 'cpu')).toBe(expected);
    expect(await root(page, 'gpu')).toBe(expected);
    const rows = page.locator('#layers tbody tr');
    expect(await rows.count()).toBe(Math.ceil(Math.log2(leaves)) + 1);
    expect(await rows.first().textContent()).toContain(expected);
    const times = await page.locator('[data-lane=gpu] .time').allTextContents();
    expect(times).toHaveLength(4);
    for (const time of times) expect(time).toMatch(/^[\d.,]+ (µs|ms|s)$/);
    expect(await textOf(page, '[data-lane=gpu] .engine')).toContain('swiftshader, software');
  });

  it('works without cross-origin isolation', async () => {
    const page = await open({ isolated: false });
    expect(await textOf(page, '[data-of=memory]')).toBe('copied to threads');
    await choose(page, 'sha256', 100_000);
    expect(await growTree(page)).toMatch(/^Both roots agree/);
    expect(await root(page, 'gpu')).toBe(await nodeRoot('sha256', 100_000));
  });

  it('one leaf is its own root', async () => {
    const page = await open();
    await choose(page, 'blake3', 1);
    await onCpuAlone(page);
    expect(await growTree(page)).toMatch(/^Grown: 1 leaf, 0 levels/);
    expect(await root(page, 'cpu')).toBe(toHex(madeLeaves(1)));
  });

  it.each(['cpu', 'gpu'] as const)(
    '%s: cancel ends the work at once, and the next tree grows',
    async (lane) => {
      const page = await open();
      await choose(page, 'rpo', 2 ** 22);
      await page.getByRole('checkbox', { name: lane === 'cpu' ? 'GPU' : 'CPU' }).uncheck();
      await page.getByRole('button', { name: 'Build', exact: true }).click();
      // Some of it has been done.
      await page.waitForFunction(
        `document.querySelector('[data-lane=${lane}] progress').value > 0`,
        undefined,
        { timeout: 60_000 },
      );
      const start = performance.now();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.waitForSelector('#build:enabled');
      expect(performance.now() - start).toBeLessThan(5000);
      expect(await textOf(page, '#grow-status')).toBe('Cancelled.');
      await choose(page, 'sha256', 1000);
      await growTree(page);
      expect(await root(page, lane)).toBe(await nodeRoot('sha256', 1000));
    },
  );
});

describe('[browser] page: a worker that hears nothing', () => {
  it('is replaced when the work is cancelled: a driver may be compiling', async () => {
    const page = await open();
    await choose(page, 'poseidon2-bn254', 1000);
    await page.getByRole('checkbox', { name: 'CPU' }).uncheck();
    await page.getByRole('button', { name: 'Build', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForSelector('#build:enabled', { timeout: 6000 });
    expect(await textOf(page, '#grow-status')).toBe('Cancelled.');
    await choose(page, 'sha256', 1000);
    expect(await growTree(page)).toMatch(/^Grown/);
    expect(await root(page, 'gpu')).toBe(await nodeRoot('sha256', 1000));
  });
});

describe('[browser] page: files', () => {
  const content = Uint8Array.from({ length: 30_000 }, (_, i) => (i * i) >> 3);
  const lines = new TextEncoder().encode('one\r\ntwo\n\nfour');
  const digests = madeLeaves(77);

  it.each<[HashId, string, Uint8Array]>([
    ['keccak256', 'blocks:1000', content],
    ['sha256', 'lines', lines],
    ['rpo', 'raw32', digests],
    ['blake2b', 'hex', new TextEncoder().encode(toHex(digests).slice(2).replace(/.{64}/g, '$&\n'))],
  ])("%s over %s: a dropped file's root is the command line's", async (hash, format, bytes) => {
    const path = join(folder, `${hash}-${format.replace(':', '-')}`);
    writeFileSync(path, bytes);
    const args = ['root', path, '--json', '--hash', hash, '--leaves', format, '--backend', 'cpu'];
    const { stdout } = await cambium(args);
    const expected = JSON.parse(stdout);
    const page = await open();
    await page.getByRole('combobox', { name: 'Hash' }).selectOption(hash);
    await drop(page, 'dropped.bin', bytes);
    const [kind, block] = format.split(':');
    await page.getByRole('combobox', { name: 'Cut into' }).selectOption(kind!);
    if (block) await page.getByRole('spinbutton', { name: 'Bytes of a block' }).fill(block);
    // How a file is cut is no matter of the backend: two formats on the GPU are enough.
    const gpu = kind === 'blocks' || kind === 'raw32';
    if (!gpu) await onCpuAlone(page);
    expect(await growTree(page)).toContain(
      `${gpu ? 'Both roots agree' : 'Grown'}: ${expected.leaves} leaves`,
    );
    expect(await root(page, 'cpu')).toBe(expected.root);
    if (gpu) expect(await root(page, 'gpu')).toBe(expected.root);
  });

  it('an empty file has no leaves, and nothing to prove', async () => {
    const page = await open();
    await drop(page, 'empty', new Uint8Array(0));
    await onCpuAlone(page);
    expect(await growTree(page)).toMatch(/0 leaves/);
    expect(await root(page, 'cpu')).toBe(`0x${'0'.repeat(64)}`);
    expect(await page.getByRole('button', { name: 'Prove and verify' }).isDisabled()).toBe(true);
  });

  it('a file that does not fit its format is refused with the place', async () => {
    const page = await open();
    await drop(page, 'bad.txt', new TextEncoder().encode(`${'0'.repeat(64)}\nnonsense\n`));
    await page.getByRole('combobox', { name: 'Cut into' }).selectOption('hex');
    expect(await growTree(page)).toBe('line 2: "n" at digit 1 is no hexadecimal digit');
  });

  it('leaves outside of the field are refused', async () => {
    const page = await open();
    await page.getByRole('combobox', { name: 'Hash' }).selectOption('poseidon2-bn254');
    await drop(page, 'large', new Uint8Array(64).fill(255));
    await page.getByRole('combobox', { name: 'Cut into' }).selectOption('raw32');
    expect(await growTree(page)).toMatch(/element 0/);
  });

  it('offers no hashed leaves for a hash of elements alone', async () => {
    const page = await open();
    await drop(page, 'some', content);
    const options = page.locator('#format option:enabled');
    expect(await options.count()).toBe(4);
    await page.getByRole('combobox', { name: 'Hash' }).selectOption('poseidon-bn254');
    await page.waitForSelector('#format option[value=blocks]:disabled', { state: 'attached' });
    expect(
      await options.evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value)),
    ).toEqual(['raw32', 'hex']);
  });
});

describe('[browser] page: proofs', () => {
  const verdict = (page: Page, value: string): Locator =>
    page.locator(`#proof-status[data-verdict=${value}]`);

  it.each<HashId>(['sha256', 'rpo'])('%s: one holds until a byte of it is changed', async (hash) => {
    const page = await open();
    await choose(page, hash, 1000);
    await onCpuAlone(page);
    await growTree(page);
    await page.getByRole('spinbutton', { name: 'Leaf' }).fill('999');
    await page.getByRole('button', { name: 'Prove and verify' }).click();
    await verdict(page, 'true').waitFor();
    for (const part of ['leaf 999', 'level 0, left', 'level 9, left']) {
      const change = page.getByRole('button', { name: `Change a byte of ${part}` });
      await change.click();
      await verdict(page, 'false').waitFor();
      expect(await page.locator('#proof li:has(button) mark').count()).toBe(1);
      await page.getByRole('button', { name: 'Restore' }).click();
      await verdict(page, 'true').waitFor();
    }
  });

  it('the command line verifies the file of one, and refuses it damaged', async () => {
    const page = await open();
    await choose(page, 'blake2s', 300);
    await growTree(page);
    await page.getByRole('spinbutton', { name: 'Leaf' }).fill('17');
    await page.getByRole('button', { name: 'Prove and verify' }).click();
    await verdict(page, 'true').waitFor();
    const expected = await root(page, 'cpu');
    const verify = async (name: string): Promise<number | null> => {
      const path = join(folder, name);
      const pending = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download proof' }).click();
      const download = await pending;
      expect(download.suggestedFilename()).toBe('proof-17.json');
      await download.saveAs(path);
      const { leaf } = JSON.parse(readFileSync(path, 'utf8'));
      const claim = [
        '--hash',
        'blake2s',
        '--root',
        expected,
        '--leaf',
        leaf,
        '--index',
        '17',
        '--depth',
        '9',
        '--size',
        '300',
      ];
      return (await cambium(['verify', path, ...claim])).code;
    };
    expect(await verify('proof.json')).toBe(0);
    await page.getByRole('button', { name: 'Change a byte of level 3, right' }).click();
    await verdict(page, 'false').waitFor();
    expect(await verify('damaged.json')).toBe(1);
  });
});

describe('[browser] page: figures', () => {
  it('the chart shows each point as it is measured, and stops when told', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.waitForFunction(`document.querySelectorAll('#chart .dot.gpu').length >= 3`);
    await page.locator('#chart-card').getByRole('button', { name: 'Stop' }).click();
    await page.waitForSelector('#measure:enabled');
    expect(await textOf(page, '#chart-status')).toMatch(/^sha256, stopped: the software adapter /);
    await page.getByText('Figures').click();
    const rows = page.locator('#chart-table tbody tr');
    expect(await rows.count()).toBeGreaterThanOrEqual(3);
    expect(await rows.first().textContent()).toMatch(/^64/);
    expect(await textOf(page, '#chart figcaption')).toContain('software adapter');
  });

  it('the report of a hash is shown, and its JSON is one that the library reads', async () => {
    const page = await open();
    await page.getByRole('combobox', { name: 'Hash' }).selectOption('blake3');
    await page.getByRole('combobox', { name: 'for about' }).selectOption('5');
    await page.getByRole('button', { name: 'Run the report' }).click();
    await page.waitForSelector('#report-run:enabled', { timeout: 90_000 });
    expect(await textOf(page, '#report-status')).toMatch(/^Done: \d+ points/);
    const pending = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download JSON' }).click();
    const path = join(folder, 'report.json');
    await (await pending).saveAs(path);
    const report = parseReport(readFileSync(path, 'utf8'));
    expect(report.hashes.map(({ hash }) => hash)).toEqual(['blake3']);
    expect(report.adapter).toMatchObject({ architecture: 'swiftshader', software: true });
    expect(new Set(report.hashes[0]!.points.map(({ lane }) => lane))).toContain('gpu');
    const view = page.frameLocator('#report');
    expect(await view.locator('body').textContent()).toContain('blake3');
  });
});

describe('[browser] page: everyone', () => {
  /** Complaints of axe, with the elements. */
  async function violations(page: Page): Promise<unknown> {
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = (await page.evaluate('axe.run({ iframes: false })')) as {
      violations: { id: string; nodes: { html: string }[] }[];
    };
    return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
  }

  it.each([
    [390, false],
    [390, true],
    [1440, false],
    [1440, true],
  ])('%i pixels, dark %s: no overflow, no jumps, nothing that hinders', async (width, dark) => {
    const page = await open({ width, dark });
    const overflow = (): Promise<number> =>
      page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(await overflow()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await choose(page, 'sha256', 3000);
    await onCpuAlone(page);
    await growTree(page);
    await page.getByRole('button', { name: 'Any leaf' }).click();
    await page.getByRole('button', { name: 'Change a byte of level 4' }).click();
    await page.waitForSelector('[data-verdict=false]');
    expect(await overflow()).toBe(0);
    expect(await violations(page)).toEqual([]);
    expect(await layoutShifts(page)).toBeLessThan(0.01);
  });

  it('keyboard alone grows a tree; the focus goes to Cancel and back', async () => {
    const page = await open();
    await choose(page, 'rpo', 2 ** 18);
    await page.getByRole('checkbox', { name: 'GPU' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const focused = (): Promise<string> => page.evaluate('document.activeElement.id');
    await expect.poll(focused).toBe('cancel');
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('build');
    expect(await page.getByRole('status').filter({ hasText: 'Cancelled.' }).count()).toBe(1);
  });
});

describe('[browser] page without WebGPU', () => {
  let without: Demo;
  beforeAll(async () => {
    without = await openDemo({ webgpu: false });
  });
  afterAll(() => without?.close());

  it('says so, and everything runs on the CPU', async () => {
    const page = await open({}, without);
    expect(await page.evaluate('navigator.gpu?.requestAdapter() ?? null')).toBe(null);
    expect(await textOf(page, '#notice')).toMatch(/^There is no GPU here: .*CPU\.$/);
    expect(await page.getByRole('checkbox', { name: 'GPU' }).isDisabled()).toBe(true);
    await choose(page, 'sha256', 3000);
    expect(await growTree(page)).toBe('Grown: 3,000 leaves, 12 levels.');
    expect(await root(page, 'cpu')).toBe(await nodeRoot('sha256', 3000));
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.waitForSelector('#chart .dot.cpu-1');
    await page.locator('#chart-card').getByRole('button', { name: 'Stop' }).click();
    await page.waitForSelector('#measure:enabled');
    expect(await textOf(page, '#chart-status')).toBe(
      'sha256, stopped: there is no GPU here to compare with.',
    );
  });
});
