/** Runs vitest as a process, and counts what it ran. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Of this process alone: runs side by side must not read each other's. */
const report = join(root, `.cache/vitest-${process.pid}.json`);

/** A suite says by a tag in its title that it needs a device: `[gpu]`, `[browser]`, `[deno]`. */
export const KINDS = ['gpu', 'browser', 'deno'] as const;
export type Kind = (typeof KINDS)[number];

interface VitestReport {
  testResults: { status: string; assertionResults: { fullName: string; status: string }[] }[];
}

/** What a run did. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  ran: Record<Kind, number>;
  /** Whether vitest itself was content. */
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

/** Runs the tests that `args` select, in this environment and with this Node. */
export function runVitest(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  node: string = process.execPath,
): Outcome {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(node, [vitest, 'run', ...reporters, ...args], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  return readReport(status === 0);
}
