/** The page's side of the worker. */
import type { Cancel, Reply, Request, Tasks } from './tasks.ts';

/** How long a cancelled task may take to end before its worker is replaced. */
const PATIENCE_MS = 2_500;

/** A task that failed; `code` is the library's, where the error was one of its own. */
export class TaskError extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }

  /** Whether the user ended it. */
  get cancelled(): boolean {
    return this.code === 'ABORTED';
  }
}

interface Call {
  resolve(answer: unknown): void;
  reject(error: TaskError): void;
  onProgress?: ((progress: never) => void) | undefined;
}

export interface CallOptions<N extends keyof Tasks> {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Tasks[N]['progress']) => void;
}

/** Starts the worker with the first task, and again when it has been lost. */
export class Client {
  readonly #calls = new Map<number, Call>();
  readonly #onLost: () => void;
  #worker: Worker | undefined;
  #next = 0;

  /** @param onLost told when a worker has ended with everything that it held. */
  constructor(onLost: () => void) {
    this.#onLost = onLost;
  }

  /** @throws {TaskError} what went wrong in the worker, or `ABORTED`. */
  async call<N extends keyof Tasks>(
    name: N,
    args: Tasks[N]['args'],
    { signal, onProgress }: CallOptions<N> = {},
  ): Promise<Tasks[N]['answer']> {
    if (signal?.aborted) throw new TaskError('cancelled', 'ABORTED');
    const worker = this.#running();
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject, onProgress });
    });
    worker.postMessage({ id, name, args } satisfies Request);
    const cancel = (): void => this.#cancel(worker, id);
    signal?.addEventListener('abort', cancel);
    try {
      return (await answer) as Tasks[N]['answer'];
    } finally {
      this.#calls.delete(id);
      signal?.removeEventListener('abort', cancel);
    }
  }

  #cancel(worker: Worker, id: number): void {
    worker.postMessage({ cancel: id } satisfies Cancel);
    setTimeout(() => {
      // A driver that compiles hears nothing.
      if (this.#worker === worker && this.#calls.has(id)) this.#lose(new TaskError('cancelled', 'ABORTED'));
    }, PATIENCE_MS);
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./worker/main.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.#worker === worker) this.#lose(new TaskError(event.message || 'the worker could not start'));
    };
    this.#worker = worker;
    return worker;
  }

  #receive(reply: Reply): void {
    const call = this.#calls.get(reply.id);
    if (!call) return;
    if ('progress' in reply) call.onProgress?.(reply.progress as never);
    else if ('error' in reply) call.reject(new TaskError(reply.error.message, reply.error.code));
    else call.resolve(reply.answer);
  }

  #lose(error: TaskError): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const call of this.#calls.values()) call.reject(error);
    this.#onLost();
  }
}
