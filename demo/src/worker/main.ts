/** The worker: does what the page asks, several tasks at a time, each of which can be cancelled. */
import { CambiumError } from 'cambium';
import type { Cancel, Reply, Request, Tasks } from '../tasks.ts';
import { grow } from './grow.ts';
import { lookAround } from './machine.ts';
import { proofJson, prove, verify } from './proofs.ts';
import { report } from './report.ts';

/** What a task gets beside its arguments. */
export interface TaskContext<P> {
  readonly signal: AbortSignal;
  readonly tell: (progress: P) => void;
}

type Handlers = {
  readonly [N in keyof Tasks]: (
    args: Tasks[N]['args'],
    context: TaskContext<Tasks[N]['progress']>,
  ) => Promise<Tasks[N]['answer']>;
};

const handlers: Handlers = { machine: lookAround, grow, prove, verify, proofJson, report };

const running = new Map<number, AbortController>();

function reply(message: Reply): void {
  self.postMessage(message);
}

async function run({ id, name, args }: Request): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const handler = handlers[name] as (args: unknown, context: TaskContext<unknown>) => Promise<unknown>;
    const tell = (progress: unknown): void => reply({ id, progress });
    reply({ id, answer: await handler(args, { signal: controller.signal, tell }) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Whatever failed after a cancel failed because of it.
    const code = controller.signal.aborted
      ? 'ABORTED'
      : error instanceof CambiumError
        ? error.code
        : undefined;
    reply({ id, error: { message, ...(code && { code }) } });
  } finally {
    running.delete(id);
  }
}

self.onmessage = ({ data }: MessageEvent<Request | Cancel>) => {
  if ('cancel' in data) running.get(data.cancel)?.abort();
  else void run(data);
};
