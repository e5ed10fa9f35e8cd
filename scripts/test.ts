/**
 * Runs the tests: everything on the software GPU, then the GPU tests again on a real adapter where there is one.
 *
 * Arguments go to vitest. Silence is no success: the run fails when fewer tests that need a device ran than
 * `EXPECTED`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { swiftShaderEnv } from './swiftshader.ts';
import { KINDS, type Kind, type Outcome, runVitest } from './vitest.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Fewest tests of each kind that a run without arguments must have seen passing or failing. */
const EXPECTED: Record<Kind, number> = { gpu: 310, browser: 104, deno: 24 };

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
