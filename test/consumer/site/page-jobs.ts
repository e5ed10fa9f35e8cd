/** What only a page's own thread is asked: how long it is held, and how it fares when its workers fail. */
import { createHasher, merkleRoot, toHex } from 'cambium';
import { leavesOf } from '../leaves.ts';

/** Every worker that anything on this page started, the library's included. */
const workers: Worker[] = [];
globalThis.Worker = class extends Worker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    workers.push(this);
  }
};

export interface HeldAnswer {
  readonly root: string;
  readonly milliseconds: number;
  /** Durations of the tasks over 50 ms. */
  readonly longTasks: readonly number[];
  /** Turns that other work on the page had meanwhile. */
  readonly turns: number;
}

/** Runs `work`, and looks for tasks over 50 ms, which is what browsers call long. */
async function watched(work: () => Promise<string>): Promise<HeldAnswer> {
  const longTasks: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasks.push(duration);
  });
  observer.observe({ type: 'longtask' });
  let turns = 0;
  const heart = setInterval(() => turns++, 10);
  const start = performance.now();
  const root = await work();
  const milliseconds = performance.now() - start;
  clearInterval(heart);
  // Entries are queued behind their task.
  await new Promise((resolve) => setTimeout(resolve, 100));
  observer.disconnect();
  return { root, milliseconds, longTasks, turns };
}

/** The root of many leaves on the CPU, on the page's thread as far as the policy forbids workers. */
async function longRoot({ leaves }: { readonly leaves: number }): Promise<HeldAnswer> {
  const hasher = await createHasher('sha256', { backend: 'cpu' });
  const input = leavesOf(leaves);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const answer = await watched(async () => toHex(await merkleRoot(hasher, input)));
  await hasher.close();
  return answer;
}

/** What the watch says of a thread that is held for so long. */
async function heldFor({ milliseconds }: { readonly milliseconds: number }): Promise<HeldAnswer> {
  return await watched(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    return '';
  });
}

/** How a worker ends in the middle of a job. */
const ENDS: Readonly<Record<string, (worker: Worker) => void>> = {
  // As a browser does it that lacks memory: nobody is told.
  terminated: (worker) => worker.terminate(),
  failed: (worker) => worker.dispatchEvent(new ErrorEvent('error', { message: 'failed by the test' })),
};

/** Roots while workers end in the middle of each, and one afterwards; how many workers were started. */
async function dyingWorkers({ leaves, how }: { readonly leaves: number; readonly how: string }): Promise<{
  roots: string[];
  started: number;
}> {
  const hasher = await createHasher('sha256', { backend: 'cpu', threads: 2 });
  const input = leavesOf(leaves);
  const roots: string[] = [];
  const first = workers.length;
  const root = async (): Promise<void> => void roots.push(toHex(await merkleRoot(hasher, input)));
  await root();
  for (let round = 0; round < 2; round++) {
    const running = root();
    setTimeout(() => workers.slice(first).forEach(ENDS[how]!), 5 * round);
    await running;
  }
  await root();
  await hasher.close();
  return { roots, started: workers.length - first };
}

export const pageJobs: Readonly<Record<string, unknown>> = { longRoot, heldFor, dyingWorkers };
