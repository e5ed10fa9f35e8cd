/** Processes that commit to a tree until they are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A process that writes the size of its tree behind every commit. */
export interface ForeverProcess {
  readonly child: ChildProcess;
  /** The size that it wrote last. */
  lastSize(): number;
}

/** Starts `append-forever` or `insert-forever` on a store; resolves once it has made its first commit. */
export async function startForever(script: string, kind: string, directory: string): Promise<ForeverProcess> {
  const path = fileURLToPath(new URL(`${script}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, kind, directory], {
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
  return { child, lastSize: () => Number(output.split('\n').at(-2)) };
}
