/** Worker threads never keep a process alive. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Exit status of the script, and how long after its last line it came. */
async function run(way: string): Promise<{ code: number | null; late: number }> {
  const tsx = ['node_modules/tsx/dist/cli.mjs', '--tsconfig', 'tsconfig.tools.json'];
  const child = spawn(process.execPath, [...tsx, 'test/support/cpu-exit.ts', way], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let ended = performance.now();
  child.stdout.on('data', () => {
    ended = performance.now();
  });
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { code, late: performance.now() - ended };
}

it.each(['closed', 'left open', 'in flight'])('%s: the process exits by itself', async (way) => {
  const { code, late } = await run(way);
  expect(code).toBe(0);
  expect(late).toBeLessThan(5000);
});

it('exits when told to with workers running', async () => {
  expect((await run('process.exit')).code).toBe(0);
});
