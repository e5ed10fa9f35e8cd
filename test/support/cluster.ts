/** Workers as processes, and what a root should be. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Padding } from '../../src/backend/types.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { merkleRoot } from '../../src/tree/merkle.ts';
import { counting } from './leaf-generators.mjs';

const script = fileURLToPath(new URL('cluster-worker.mjs', import.meta.url));

export interface WorkerProcess {
  readonly process: ChildProcess;
  readonly name: string;
  /** Ends as an operator would end it. */
  stop(): Promise<void>;
  /** Ends without a word. */
  kill(): Promise<void>;
}

export interface WorkerSetting {
  readonly redis: string;
  readonly prefix: string;
  readonly name?: string;
  readonly files?: readonly string[];
  readonly http?: readonly string[];
  readonly concurrency?: number;
}

/** Starts a worker; resolves when it waits for work. */
export async function startWorker(setting: WorkerSetting): Promise<WorkerProcess> {
  const { name = randomUUID() } = setting;
  const child = spawn(process.execPath, [script, JSON.stringify({ ...setting, name })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout!.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
  });
  const end = (signal: NodeJS.Signals) => async (): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  return { process: child, name, stop: end('SIGTERM'), kill: end('SIGKILL') };
}

/** A root on this machine alone. */
export async function rootHere(
  leaves: Parameters<typeof merkleRoot>[1] | Iterable<Uint8Array>,
  options: { readonly padding?: Padding; readonly depth?: number } = {},
): Promise<Uint8Array> {
  const hasher: Hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
  try {
    const source = leaves instanceof Uint8Array || !(Symbol.iterator in leaves) ? leaves : stream(leaves);
    return await merkleRoot(hasher, source, options);
  } finally {
    await hasher.close();
  }
}

/** The bytes of `counting`. */
export const countingLeaves = (leaves: number): Iterable<Uint8Array> => counting(0, leaves * 32);

async function* stream(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
