/** Runs a script of `test/support` as a process of its own. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface ChildOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds from its last line until it was gone. */
  readonly late: number;
}

/** Waits until the process has ended. */
export async function runScript(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ChildOutcome> {
  const tsx = ['node_modules/tsx/dist/cli.mjs', '--tsconfig', 'tsconfig.tools.json'];
  const child = spawn(process.execPath, [...tsx, `test/support/${name}.ts`, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  let last = performance.now();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (text) => {
      output[stream] += text;
      if (stream === 'stdout') last = performance.now();
    });
  }
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...output, late: performance.now() - last };
}
