/** The page: does jobs itself, or has its worker do them. Playwright calls `globalThis.site`. */
import { jobs } from '../jobs.ts';
import { pageJobs } from './page-jobs.ts';
import { storeJobs } from './store-jobs.ts';

let worker: Worker | undefined;

function inWorker(name: string, args: unknown): Promise<unknown> {
  worker ??= new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage({ name, args, port: port2 }, [port2]);
  return new Promise((resolve, reject) => {
    port1.onmessage = ({ data }) => ('error' in data ? reject(new Error(data.error)) : resolve(data.value));
    worker!.onerror = (event) => reject(new Error(`the worker failed: ${event.message}`));
  });
}

async function inPage(name: string, args: unknown): Promise<unknown> {
  // A task of its own, so that no leave that the debugger has reaches the library.
  await new Promise((resolve) => setTimeout(resolve));
  const job = { ...jobs, ...pageJobs, ...storeJobs }[name] as (args: unknown) => Promise<unknown>;
  return await job(args);
}

Object.assign(globalThis, { site: { page: inPage, worker: inWorker } });
