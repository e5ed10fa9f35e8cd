/** Processes that commit to a tree until they are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A process that writes a number behind every commit: the size of its tree, or the step. */
export interface ForeverProcess {
  readonly child: ChildProcess;
  /** The number that it wrote last. */
  last(): number;
}

/** Starts `append-forever`, `insert-forever` or `sparse-forever`; resolves once it has made its first commit. */
export async function startForever(script: string, ...args: readonly string[]): Promise<ForeverProcess> {
  const path = fileURLToPath(new URL(`${script}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the process ended too early'))),
  ]);
  // The last line may be cut off by the kill.
  return { child, last: () => Number(output.split('\n').at(-2)) };
}
