/**
 * A thread of the pool. Bundled to one text by `scripts/generate/worker.ts`; runs as a worker thread of Node and as a
 * web worker.
 */
import type { SyncEngine } from '../types.js';
import type { FromWorker, ToWorker } from './messages.js';
import { fromRecipe } from './recipe.js';
import { execute, outputBytes } from './request.js';
import { DONE, FAILED, READY, Ring, TAKEN } from './ring.js';

interface Port {
  onmessage: ((event: { readonly data: ToWorker }) => void) | null;
  postMessage(message: FromWorker, transfer?: ArrayBuffer[]): void;
}

declare const process:
  | { getBuiltinModule?(name: 'node:worker_threads'): { readonly parentPort: Port | null } | undefined }
  | undefined;

const threads = typeof process === 'object' ? process?.getBuiltinModule?.('node:worker_threads') : undefined;
const port: Port = threads?.parentPort ?? (globalThis as unknown as Port);

/**
 * How long an idle worker looks out for work before it sleeps, in milliseconds. Waking a thread can take a tenth of that:
 * trees hash layer after layer, with their narrow levels and a commit in between.
 */
const SPIN = 2;

const engines = new Map<number, SyncEngine>();
let worker = 0;
let ring: Ring | undefined;
let report = false;
let handled = 0;

async function handle(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'start':
      worker = message.worker;
      report = message.report;
      if (message.ring) ring = new Ring(message.workers, message.ring.slots, message.ring.buffer);
      // Announcements to a predecessor that died are no longer on their way.
      handled = message.announced;
      port.postMessage({ type: 'started' });
      break;
    case 'engine':
      engines.set(message.key, await fromRecipe(message.recipe));
      break;
    case 'drop':
      engines.delete(message.key);
      break;
    case 'work':
      work(message);
  }
}

/** One slot that came by message. */
function work({ slot, request, input }: Extract<ToWorker, { type: 'work' }>): void {
  try {
    const output = new Uint8Array(outputBytes(request));
    execute(engines.get(request.engine)!, request, new Uint8Array(input), output);
    port.postMessage({ type: 'done', slot, output: output.buffer }, [output.buffer]);
  } catch {
    port.postMessage({ type: 'done', slot });
  }
}

/** Takes slots of the ring until a message waits outside. */
function serve(shared: Ring): void {
  while (shared.announced(worker) === handled) {
    const seen = shared.workCount();
    if (takeOne(shared) || shared.announced(worker) !== handled) continue;
    if (!spin(shared, seen)) shared.waitForWork(seen);
  }
}

/** Looks out for work a little longer: in the middle of a job, sleep and wake-up cost more than a block. */
function spin(shared: Ring, seen: number): boolean {
  const end = performance.now() + SPIN;
  while (performance.now() < end) if (shared.workCount() !== seen) return true;
  return false;
}

function takeOne(shared: Ring): boolean {
  for (let slot = 0; slot < shared.slots; slot++) {
    if (shared.state(slot) !== READY || !shared.move(slot, READY, TAKEN + worker)) continue;
    let end: typeof DONE | typeof FAILED = DONE;
    try {
      const request = shared.request(slot);
      execute(engines.get(request.engine)!, request, shared.input(slot), shared.output(slot));
    } catch {
      end = FAILED;
    }
    shared.finish(slot, worker, end);
    if (report) port.postMessage({ type: 'finished' });
    return true;
  }
  return false;
}

let queue = Promise.resolve();
port.onmessage = ({ data }) => {
  queue = queue
    .then(() => handle(data))
    // An engine that cannot be made here lets its slots fail, and the caller hashes them.
    .catch(() => {})
    .then(() => {
      handled++;
      if (ring) serve(ring);
    });
};
