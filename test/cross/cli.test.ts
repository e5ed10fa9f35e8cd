/** The command line as a process: outputs, exit codes, messages. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { cambium } from '../support/cambium.ts';
import { naiveHeight, naiveRoot, naiveZero, sha256 } from '../support/naive-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'cambium-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: Uint8Array | string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const cpu = ['--backend', 'cpu', '--threads', '1'];

/** Root over these messages, by definition. */
const rootOf = (
  messages: readonly Uint8Array[],
  padding: 'zero' | 'promote' | 'duplicate' = 'zero',
): string => {
  const leaves = messages.map((message) => sha256(message));
  return toHex(naiveRoot(leaves, naiveHeight(leaves.length), padding));
};
const blocksOf = (content: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(content.length / size) }, (_, i) =>
    content.subarray(i * size, (i + 1) * size),
  );

async function rootJson(path: string, args: readonly string[] = [], stdin?: Uint8Array | string) {
  const { code, stdout, stderr } = await cambium(
    ['root', path, '--json', ...cpu, ...args],
    stdin === undefined ? {} : { stdin },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const content = Uint8Array.from({ length: 10_000 }, (_, i) => (i * i) >> 3);
const sample = file('sample.bin', content);

describe('root', () => {
  it('has all fields of --json', async () => {
    const found = await rootJson(sample);
    expect(found).toEqual({
      root: rootOf(blocksOf(content, 1024)),
      ...{ leaves: 10, depth: 4, padding: 'zero', hash: 'sha256', backend: 'cpu' },
      seconds: expect.any(Number),
    });
    expect(found.seconds).toBeGreaterThan(0);
  });

  it('prints the same for people', async () => {
    const { code, stdout } = await cambium(['root', sample, ...cpu]);
    expect(code).toBe(0);
    expect(stdout).toContain(rootOf(blocksOf(content, 1024)));
    expect(stdout).toMatch(/^leaves +10$/m);
    expect(stdout).toMatch(/^backend +cpu: .*, 1 thread, as asked$/m);
  });

  it('reads standard input', async () => {
    expect(await rootJson('-', [], content)).toMatchObject({
      root: rootOf(blocksOf(content, 1024)),
      leaves: 10,
    });
  });

  it.each([1, 7, 64, 9999, 10_000, 10_001, 20_000_000])('blocks:%i', async (size) => {
    const blocks = blocksOf(content, size);
    const found = await rootJson(sample, ['--leaves', `blocks:${size}`]);
    expect(found).toMatchObject({ root: rootOf(blocks), leaves: blocks.length });
  });

  it('cuts blocks and lines over the borders of what is read at a time', async () => {
    const long = new Uint8Array(9 * 2 ** 20 + 5).map((_, i) => (i % 1009 === 0 ? 10 : (i % 251) | 128));
    const path = file('long.bin', long);
    const blocks = await rootJson(path, ['--leaves', 'blocks:100003']);
    expect(blocks.root).toBe(rootOf(blocksOf(long, 100_003)));
    const lines = Buffer.from(long).toString('latin1').split('\n');
    const found = await rootJson(path, ['--leaves', 'lines']);
    expect(found.root).toBe(rootOf(lines.map((line) => Buffer.from(line, 'latin1'))));
  });

  it.each([
    ['one\ntwo\nthree\n', ['one', 'two', 'three']],
    ['one\ntwo\nthree', ['one', 'two', 'three']],
    ['one\r\ntwo\r\n', ['one', 'two']],
    ['one\r\n\r\n\n two \r\r\n', ['one', '', '', ' two \r']],
    ['\n', ['']],
    ['\r', ['\r']],
    ['é\nß', ['é', 'ß']],
  ])('lines of %j', async (text, lines) => {
    const found = await rootJson('-', ['--leaves', 'lines'], text);
    expect(found).toMatchObject({ root: rootOf(lines.map(bytes)), leaves: lines.length });
  });

  it('raw32 and hex are digests already', async () => {
    const digests = ['a', 'b', 'c'].map((text) => sha256(bytes(text)));
    const expected = { root: toHex(naiveRoot(digests, 2, 'zero')), leaves: 3 };
    expect(await rootJson('-', ['--leaves', 'raw32'], Buffer.concat(digests))).toMatchObject(expected);
    const [a, b, c] = digests.map((digest) => toHex(digest)) as [string, string, string];
    for (const text of [`${a}\n${b}\n${c}\n`, `${a.slice(2)}\r\n${b.slice(2).toUpperCase()}\r\n${c}`]) {
      expect(await rootJson('-', ['--leaves', 'hex'], text)).toMatchObject(expected);
    }
  });

  it('empty input has no leaves, in every format', async () => {
    const empty = file('empty', '');
    for (const format of ['blocks:1024', 'lines', 'raw32', 'hex']) {
      expect(await rootJson(empty, ['--leaves', format])).toMatchObject({
        ...{ root: toHex(naiveZero(0)), leaves: 0, depth: 0 },
      });
    }
    expect(await rootJson(empty, ['--depth', '20'])).toMatchObject({ root: toHex(naiveZero(20)), depth: 20 });
  });

  it('takes padding, depth and hash', async () => {
    for (const padding of ['promote', 'duplicate'] as const) {
      const found = await rootJson(sample, ['--padding', padding]);
      expect(found).toMatchObject({ root: rootOf(blocksOf(content, 1024), padding), padding });
    }
    const leaves = blocksOf(content, 1024).map((block) => sha256(block));
    const deep = await rootJson(sample, ['--depth', '40']);
    expect(deep).toMatchObject({ root: toHex(naiveRoot(leaves, 40, 'zero')), depth: 40 });
    const other = await rootJson(sample, ['--hash', 'sha256-truncated']);
    expect(other.root).toMatch(/^0x00/);
  });
});

describe('what is refused with exit code 2', () => {
  const refusals: [what: string, args: string[], stdin: string | Uint8Array, message: RegExp][] = [
    ['no such file', ['root', join(folder, 'none')], '', /none: no such file/],
    ['a directory', ['root', folder], '', /: it is a directory/],
    [
      'half a digest',
      ['root', '-', '--leaves', 'raw32'],
      new Uint8Array(75),
      /75 bytes .* byte offset 64 has only 11/,
    ],
    [
      'a short line',
      ['root', '-', '--leaves', 'hex'],
      `${'0'.repeat(64)}\n${'0'.repeat(63)}\n`,
      /line 2: .* got 63/,
    ],
    ['an empty line', ['root', '-', '--leaves', 'hex'], `${'0'.repeat(64)}\n\n`, /line 2: .* got 0/],
    ['no digit', ['root', '-', '--leaves', 'hex'], `0x${'0'.repeat(60)}x000`, /line 1: "x" at digit 61/],
    ['a format', ['root', '-', '--leaves', 'blocks:0'], '', /--leaves .* blocks:BYTES/],
    [
      'a padding',
      ['root', '-', '--padding', 'odd'],
      '',
      /Allowed choices are zero, promote, duplicate, none/,
    ],
    ['a depth', ['root', '-', '--depth', '65'], '', /--depth .* from 0 to 64/],
    [
      'depth beside promote',
      ['root', '-', '--depth', '3', '--padding', 'promote'],
      '',
      /--depth goes with --padding zero/,
    ],
    [
      'leaves beyond depth',
      ['root', '-', '--depth', '1', '--leaves', 'blocks:1'],
      'abc',
      /3 of them do not fit/,
    ],
    [
      'three leaves under none',
      ['root', '-', '--padding', 'none', '--leaves', 'blocks:1'],
      'abc',
      /'none' wants a power of two/,
    ],
    [
      'no leaf to duplicate',
      ['root', '-', '--padding', 'duplicate'],
      '',
      /'duplicate' wants at least one leaf/,
    ],
    ['a hash', ['root', '-', '--hash', 'md5'], '', /--hash/],
    ['threads', ['root', '-', '--threads', '0'], '', /--threads/],
    ['no file', ['root'], '', /missing required argument/],
    ['an unknown option', ['root', '-', '--salt', '1'], '', /unknown option/],
    ['an unknown command', ['grow'], '', /unknown command/],
    ['no index', ['prove', '-'], 'abc', /--index/],
    ['an index beyond', ['prove', '-', '--index', '1'], 'abc', /--index 1: standard input has leaves 0 to 0/],
    ['an index of nothing', ['prove', '-', '--index', '0'], '', /has no leaves/],
    [
      'a place for the proof',
      ['prove', '-', '--index', '0', '--out', join(folder, 'no', 'p')],
      'abc',
      /--out .*: ENOENT/,
    ],
  ];

  it.each(refusals)('%s', async (_, args, stdin, message) => {
    const { code, stdout, stderr } = await cambium(args, { stdin });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});

describe('prove and verify', () => {
  const prove = async (padding: string, index: number) => {
    const path = join(folder, `${padding}-${index}.json`);
    const args = ['prove', sample, '--index', `${index}`, '--padding', padding, '--out', path, ...cpu];
    const { code, stdout } = await cambium(args);
    expect(code).toBe(0);
    const proof = JSON.parse(readFileSync(path, 'utf8'));
    expect(stdout).toContain(proof.leaf);
    return { path, proof };
  };
  const flags = (proof: Record<string, string | number>, change: Record<string, string> = {}): string[] =>
    Object.entries({
      ...Object.fromEntries(
        ['root', 'leaf', 'index', 'depth', 'size', 'padding'].map((name) => [name, proof[name]]),
      ),
      ...change,
    }).flatMap(([name, value]) => [`--${name}`, `${value}`]);

  it.each(['zero', 'promote', 'duplicate'])('under padding %s', async (padding) => {
    const { path, proof } = await prove(padding, 9);
    expect(proof).toMatchObject({
      format: 'cambium-proof/1',
      hash: 'sha256',
      depth: 4,
      size: 10,
      padding,
      index: 9,
    });
    expect(proof.root).toBe(rootOf(blocksOf(content, 1024), padding as 'zero'));
    expect(proof.leaf).toBe(toHex(sha256(content.subarray(9216))));
    expect(await cambium(['verify', path, ...flags(proof)])).toMatchObject({
      code: 0,
      stdout: 'the proof is valid\n',
    });
  });

  it('a proof goes through standard output and input', async () => {
    const { stdout, code } = await cambium(['prove', '-', '--index', '3', ...cpu], { stdin: content });
    expect(code).toBe(0);
    const proof = JSON.parse(stdout);
    const { code: verified } = await cambium(['verify', '-', ...flags(proof)], { stdin: stdout });
    expect(verified).toBe(0);
  });

  it('--json, size and padding may be left out', async () => {
    const { path, proof } = await prove('zero', 2);
    const few = ['root', 'leaf', 'index', 'depth'].flatMap((name) => [`--${name}`, `${proof[name]}`]);
    const { code, stdout } = await cambium(['verify', path, ...few, '--json']);
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, valid: true });
  });

  it('exit code 1 names what differs from the flags', async () => {
    const { path, proof } = await prove('zero', 5);
    const changes: Record<string, string> = {
      ...{ root: `${proof.root.slice(0, -1)}${proof.root.endsWith('0') ? 1 : 0}`, leaf: proof.root },
      ...{ index: '4', depth: '5', size: '11', hash: 'sha256-truncated' },
    };
    for (const [name, value] of Object.entries(changes)) {
      const { code, stdout } = await cambium(['verify', path, ...flags(proof, { [name]: value })]);
      expect({ name, code }).toEqual({ name, code: 1 });
      expect(stdout).toMatch(new RegExp(`not valid: ${name} differs, the file says`));
    }
  });

  it('exit code 1 for a false proof', async () => {
    const { proof } = await prove('zero', 5);
    const changed = file('false.json', JSON.stringify({ ...proof, siblings: [...proof.siblings].reverse() }));
    const { code, stdout } = await cambium(['verify', changed, ...flags(proof), '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ valid: false, why: expect.stringContaining('siblings') });
  });

  it('exit code 2 for what is no proof, or no claim', async () => {
    const { path, proof } = await prove('promote', 5);
    const broken = file('broken.json', JSON.stringify({ ...proof, leaf: '0x00' }));
    const cases: [args: string[], message: RegExp][] = [
      [[broken, ...flags(proof)], /broken\.json: proof: leaf: expected 0x and 64/],
      [[sample, ...flags(proof)], /no JSON/],
      [[join(folder, 'none'), ...flags(proof)], /no such file/],
      [[path, ...flags(proof, { root: '0x12' })], /--root .* 64 hexadecimal digits/],
      [[path, ...flags(proof, { index: '10' })], /--index: .* 0 to 9, got 10/],
      [[path, ...flags(proof).slice(0, 8), '--padding', 'promote'], /--size: padding 'promote' needs it/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await cambium(['verify', ...args]);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
  });
});

describe('the other commands', () => {
  it('start hashes a file of this repository, or the one that is named', async () => {
    const own = await cambium(['start', ...cpu]);
    expect(own.code).toBe(0);
    expect(own.stdout).toMatch(/^file +.*package-lock\.json$/m);
    for (const name of ['root', 'leaves', 'depth', 'backend', 'time']) {
      expect(own.stdout).toMatch(new RegExp(`^${name} +\\S`, 'm'));
    }
    expect(own.stdout).toMatch(/^proof +of leaf \d+: \d+ siblings, verified$/m);
    const named = await cambium(['start', sample, ...cpu]);
    expect(named.stdout).toContain(rootOf(blocksOf(content, 1024)));
  });

  it('devices tells engine, threads, and why there is no GPU', async () => {
    const env = { VK_DRIVER_FILES: join(folder, 'none'), VK_ICD_FILENAMES: join(folder, 'none') };
    const { code, stdout } = await cambium(['devices', '--json'], { env });
    expect(code).toBe(0);
    const found = JSON.parse(stdout);
    expect(found.cpu).toEqual({ engine: expect.any(String), threads: expect.any(Number) });
    if (!found.gpu) expect(found.gpuRefused).toMatch(/adapter|webgpu/);
    const { stdout: text } = await cambium(['devices'], { env });
    expect(text).toMatch(/^cpu +.* threads?$/m);
  });

  it('bench measures a layer and a tree', async () => {
    const { code, stdout } = await cambium(['bench', '--json', '--budget', '2']);
    expect(code).toBe(0);
    const { format, hashes } = JSON.parse(stdout);
    expect(format).toBe('cambium-report/1');
    expect(hashes[0]).toMatchObject({ hash: 'sha256' });
    expect(new Set(hashes[0].points.map(({ work }: { work: string }) => work))).toEqual(
      new Set(['layer', 'tree']),
    );
    for (const { total } of hashes[0].points) expect(total.median).toBeGreaterThan(0);
  });

  it('bench writes a report and compares it with itself', async () => {
    const out = join(folder, 'report');
    const { code } = await cambium(['bench', '--report', out, '--budget', '0.5', '--hash', 'blake3']);
    expect(code).toBe(0);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('## blake3');
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/);
    const path = join(out, 'report.json');
    const compared = await cambium(['bench', '--compare', path, path]);
    expect(compared).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/blake3, tree of \d+ .* 1\.00x .* same/),
    });
    const one = await cambium(['bench', '--compare', path]);
    expect(one).toMatchObject({ code: 2, stderr: expect.stringContaining('expected two files, got 1') });
    const other = await cambium(['bench', '--compare', path, join(out, 'report.md')]);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('report.md: report: no JSON') });
    const wrong = await cambium(['bench', '--budget', 'long']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('expected seconds') });
  });

  it('help and version are no failures', async () => {
    const help = await cambium(['--help']);
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('Exit codes: 0 fine') });
    expect(help.stdout).not.toContain('start');
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await cambium(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});

describe('interruptions and failures', () => {
  it('exit code 130 on SIGINT', async () => {
    const { code, stdout, stderr } = await cambium(['root', '-', ...cpu], {
      whileRunning(child) {
        // Half a second into a stream that does not end, the progress line shows that it is being read.
        child.stdin!.write(content);
        child.stderr!.once('data', () => child.kill('SIGINT'));
      },
    });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toMatch(/cambium: interrupted\n$/);
  });

  it('exit code 3 where the GPU that was asked for is missing', async () => {
    const env = { VK_DRIVER_FILES: join(folder, 'none'), VK_ICD_FILENAMES: join(folder, 'none') };
    const { code, stderr } = await cambium(['root', sample, '--backend', 'gpu'], { env });
    // On macOS and Windows the adapter is not found through Vulkan, and the job succeeds.
    if (process.platform === 'linux') {
      expect(code).toBe(3);
      expect(stderr).toMatch(/no GPU for sha256: .*\(BACKEND_UNAVAILABLE\)/);
    } else expect(code).toBe(0);
  });

  it('a reader that goes away is no failure', async () => {
    const { code, stderr } = await cambium(['root', '-', ...cpu], {
      whileRunning(child) {
        child.stdout!.destroy();
        child.stdin!.end(content);
      },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('[gpu] the same root on the GPU', async () => {
    const { code, stdout } = await cambium(['root', sample, '--backend', 'gpu', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ root: rootOf(blocksOf(content, 1024)), backend: 'gpu' });
  });
});
