/**
 * Runs the tests: everything on the software GPU, then the GPU tests again on a real adapter where there is one.
 *
 * Arguments go to vitest. A suite says by a tag in its title that it needs a device: `[gpu]`, `[browser]`, `[deno]`.
 * Silence is no success: the run fails when fewer of those ran than `EXPECTED`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { swiftShaderEnv } from './swiftshader.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Of this process alone: runs side by side must not read each other's. */
const report = join(root, `.cache/vitest-${process.pid}.json`);

/** Fewest tests of each kind that a run without arguments must have seen passing or failing. */
const EXPECTED = { gpu: 58, browser: 0, deno: 0 };
type Kind = keyof typeof EXPECTED;
const KINDS = Object.keys(EXPECTED) as Kind[];

interface VitestReport {
  testResults: { status: string; assertionResults: { fullName: string; status: string }[] }[];
}

interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  ran: Record<Kind, number>;
  clean: boolean;
}

/** What vitest wrote; a file that could not even be loaded, or a lost report, counts as one failed test. */
function readReport(clean: boolean): Outcome {
  const outcome: Outcome = { passed: 0, failed: 0, skipped: 0, ran: { gpu: 0, browser: 0, deno: 0 }, clean };
  if (!existsSync(report)) return { ...outcome, failed: 1 };
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as VitestReport;
  rmSync(report);
  for (const { status, assertionResults } of testResults) {
    if (status === 'failed' && !assertionResults.some((test) => test.status === 'failed')) outcome.failed++;
    for (const test of assertionResults) {
      if (test.status !== 'passed' && test.status !== 'failed') {
        outcome.skipped++;
        continue;
      }
      outcome[test.status]++;
      for (const kind of KINDS) if (test.fullName.includes(`[${kind}]`)) outcome.ran[kind]++;
    }
  }
  return outcome;
}

function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): Outcome {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  return readReport(status === 0);
}

/** Whether Dawn finds more than a software adapter in this environment; asked in a process of its own. */
function hasRealAdapter(): boolean {
  const probe = `const gpu = (await import('webgpu')).create([]);
    const { info } = (await gpu.requestAdapter()) ?? {};
    const name = info ? [info.vendor, info.architecture, info.description].join(' ') : 'swiftshader';
    process.exit(/swiftshader|llvmpipe|basic render/i.test(name) ? 1 : 0);`;
  return (
    spawnSync(process.execPath, ['--input-type=module', '-e', probe], { cwd: root, stdio: 'ignore' })
      .status === 0
  );
}

const args = process.argv.slice(2);
const env = swiftShaderEnv();
const outcomes = [runVitest(args, env)];
if (env.VK_DRIVER_FILES && hasRealAdapter()) {
  console.log('GPU tests again, on the real adapter');
  outcomes.push(runVitest([...args, '--testNamePattern', '\\[gpu\\]'], process.env));
}

const sum = (count: (outcome: Outcome) => number): number =>
  outcomes.reduce((all, outcome) => all + count(outcome), 0);
let fine = outcomes.every((outcome) => outcome.clean);
for (const kind of KINDS) {
  const ran = sum((outcome) => outcome.ran[kind]);
  console.log(`${kind} tests run: ${ran}`);
  if (args.length === 0 && ran < EXPECTED[kind]) {
    console.log(`expected at least ${EXPECTED[kind]} ${kind} tests`);
    fine = false;
  }
}
const failed = sum((outcome) => outcome.failed);
if (!fine || failed) process.exitCode = 1;
console.log(`tests: ${sum((o) => o.passed)} passed, ${failed} failed, ${sum((o) => o.skipped)} skipped`);
