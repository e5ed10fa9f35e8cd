/** What only Node, and Deno as it imitates Node, has: worker threads, Dawn, native addons. */
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Platform } from '../platform.js';

interface DawnModule {
  create(flags: string[]): object;
}

// Dawn crashes the process when the object from `create` is collected while a device lives, so it is held for good.
let dawn: object | undefined;

/** Resolves an optional package: from the application first, then from beside this library. */
async function importOptional<T>(
  name: string,
): Promise<{ readonly module: T; readonly url: string } | undefined> {
  for (const base of [`${process.cwd()}/package.json`, import.meta.url]) {
    let path: string;
    try {
      path = createRequire(base).resolve(name);
    } catch {
      continue;
    }
    const url = pathToFileURL(path).href;
    return { module: (await import(url)) as T, url };
  }
  return undefined;
}

export const platform: Platform = {
  name: 'node',
  cores: availableParallelism(),
  isWindow: false,
  sharedMemory: true,
  startWorker(source) {
    const worker = new Worker(source, { eval: true });
    return {
      postMessage: (message, transfer = []) => worker.postMessage(message, [...transfer]),
      onMessage(listener) {
        // A listener for messages keeps the process alive again, so this must come behind it.
        worker.on('message', listener);
        worker.unref();
      },
      onExit(listener) {
        worker.on('error', (error) => listener(error instanceof Error ? error : new Error(String(error))));
        worker.on('exit', (code) => listener(new Error(`the worker ended with code ${code}`)));
      },
      terminate: () => void worker.terminate(),
    };
  },
  async openGpu() {
    // Deno brings WebGPU of its own.
    const { navigator } = globalThis as { navigator?: { readonly gpu?: object } };
    if (navigator?.gpu) return { gpu: navigator.gpu };
    if (dawn) return { gpu: dawn };
    try {
      const found = await importOptional<DawnModule>('webgpu');
      if (!found) return { missing: 'the package webgpu (Dawn) is not installed' };
      dawn = found.module.create([]);
      return { gpu: dawn };
    } catch (error) {
      return { missing: `the package webgpu (Dawn) does not load: ${(error as Error).message}` };
    }
  },
  async nativeSha256() {
    try {
      const found = await importOptional<{ hashInto(input: Uint8Array, output: Uint8Array): void }>(
        '@chainsafe/hashtree',
      );
      return found && { url: found.url, hashInto: found.module.hashInto };
    } catch {
      // Installed without a binary for this machine: WASM does the work.
      return undefined;
    }
  },
};
