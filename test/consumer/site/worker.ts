/** A dedicated worker that does the jobs which its page sends. */
import { jobs } from '../jobs.ts';

declare const self: DedicatedWorkerGlobalScope;

self.onmessage = async ({ data: { name, args, port } }) => {
  try {
    port.postMessage({ value: await jobs[name as keyof typeof jobs](args) });
  } catch (error) {
    port.postMessage({ error: String(error) });
  }
};
