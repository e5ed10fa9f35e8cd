/** Runs the built command line as its users do: as a process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Standard input; without it there is none. */
  readonly stdin?: Uint8Array | string;
  readonly env?: NodeJS.ProcessEnv;
  /** Gets the process once it runs. */
  readonly whileRunning?: (child: ChildProcess) => void;
}

/** Runs `cambium` with these arguments to its end. */
export async function cambium(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const env = { ...process.env, ...options.env };
  const child = spawn(process.execPath, [MAIN, ...args], { env });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // The process may end before it has read everything.
  child.stdin.on('error', () => {});
  if (options.whileRunning) options.whileRunning(child);
  else child.stdin.end(options.stdin ?? '');
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, ...output };
}
