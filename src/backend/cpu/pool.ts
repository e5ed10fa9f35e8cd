/** Worker threads, shared by all hashers of the process that asked for the same number of them. */
import { platform } from '#platform';
import { source } from '../../generated/worker.js';
import type { HostWorker } from '../../platform.js';
import type { FromWorker, ToWorker } from './messages.js';
import type { Recipe } from './recipe.js';
import { MessageSlots, SharedSlots, type Slot, type Slots } from './slots.js';
import { yieldToHost } from './yield.js';

/** A worker finds the next block ready while the caller is in one of its own. */
const SLOTS_PER_WORKER = 2;
/** What the caller may fill before it collects. */
const SPARE_SLOTS = 2;
/** Workers that die before they have started are started again this often: a page may forbid them. */
const MOST_FAILED_STARTS = 3;
/** Blocks take milliseconds. Browsers end workers without a word, so one that is silent for so long is dead. */
const PATIENCE_MS = 4_000;

export class Pool {
  readonly threads: number;
  /** Living workers by their number. */
  readonly workers: Map<number, HostWorker> = new Map();
  readonly #sharedMemory: boolean;
  #slots: Slots;
  readonly #engines = new Map<number, Recipe>();
  #nextKey = 1;
  #started = 0;
  #failedStarts = 0;
  /** Changes with every sign of life. */
  #heard = 0;
  #waiting: (() => void)[] = [];

  constructor(threads: number, sharedMemory: boolean = platform.sharedMemory) {
    this.threads = threads;
    this.#sharedMemory = sharedMemory;
    this.#slots = this.#makeSlots();
  }

  /** Whether work travels through shared memory. */
  get sharedMemory(): boolean {
    return this.#sharedMemory;
  }

  /** Whether at least one living worker has said that it runs. */
  get running(): boolean {
    return this.#started > 0 && this.workers.size > 0;
  }

  /** Makes an engine known to all workers, those to come included; returns its key. */
  addEngine(recipe: Recipe): number {
    const key = this.#nextKey++;
    this.#engines.set(key, recipe);
    for (const index of this.workers.keys()) this.#send(index, { type: 'engine', key, recipe });
    return key;
  }

  dropEngine(key: number): void {
    this.#engines.delete(key);
    for (const index of this.workers.keys()) this.#send(index, { type: 'drop', key });
  }

  /** Starts what is missing. Where no worker can start, the caller does all the work. */
  start(): void {
    for (let index = 0; index < this.threads; index++) {
      if (this.#failedStarts >= MOST_FAILED_STARTS) return;
      if (!this.workers.has(index)) this.#startWorker(index);
    }
  }

  acquire(): Slot | undefined {
    return this.workers.size > 0 ? this.#slots.acquire() : undefined;
  }

  /** Whether {@link wait} blocks this thread, so that nothing else can tell what a worker is doing. */
  get mayWait(): boolean {
    return this.#slots.mayWait;
  }

  /** Until some slot may be finished; where threads may block, at most this long. */
  async wait(milliseconds: number): Promise<void> {
    if (this.#slots.mayWait) return this.#slots.wait(milliseconds);
    // A worker of Node that only answers by message would not keep the process alive while we sleep.
    if (platform.name === 'node') return await yieldToHost();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silent = await new Promise<boolean>((resolve) => {
      this.#waiting.push(() => resolve(false));
      timer = setTimeout(() => resolve(true), PATIENCE_MS);
    });
    clearTimeout(timer);
    const heard = this.#heard;
    // A page that was held for so long finds timer and answers waiting for it at once.
    if (silent) await yieldToHost();
    if (!silent || this.#heard !== heard) return;
    if (this.#started === 0) this.#failedStarts++;
    this.#giveUp();
  }

  close(): void {
    for (const worker of this.workers.values()) worker.terminate();
    this.workers.clear();
  }

  /** Ends all workers; the next job starts others. */
  #giveUp(): void {
    this.close();
    this.#started = 0;
    this.#slots.abandon();
    // A web worker goes on for some seconds after its end, so the next ones get slots of their own.
    this.#slots = this.#makeSlots();
    this.#wake();
  }

  #makeSlots(): Slots {
    const slots = this.threads * SLOTS_PER_WORKER + SPARE_SLOTS;
    return this.#sharedMemory
      ? new SharedSlots(this.threads, slots, !platform.isWindow)
      : new MessageSlots(this.workers, slots);
  }

  #startWorker(index: number): void {
    let worker: HostWorker;
    try {
      worker = platform.startWorker(source);
    } catch {
      this.#failedStarts = MOST_FAILED_STARTS;
      return;
    }
    let started = false;
    this.workers.set(index, worker);
    worker.onMessage((data) => {
      if (this.workers.get(index) !== worker) return;
      const message = data as FromWorker;
      if (message.type === 'started') {
        started = true;
        this.#started++;
      }
      this.#slots.receive(message);
      this.#wake();
    });
    worker.onExit(() => {
      if (this.workers.get(index) !== worker) return;
      if (!started) this.#failedStarts++;
      // Only Node says this of a thread that has ended.
      if (platform.name !== 'node') return this.#giveUp();
      if (started) this.#started--;
      this.workers.delete(index);
      this.#slots.gone(index);
      this.#wake();
    });
    const { ring } = this.#slots;
    this.#send(index, {
      type: 'start',
      worker: index,
      workers: this.threads,
      report: platform.isWindow,
      ...(ring && { ring: { slots: ring.slots, buffer: ring.buffer } }),
    });
    for (const [key, recipe] of this.#engines) this.#send(index, { type: 'engine', key, recipe });
  }

  #send(index: number, message: ToWorker | Omit<Extract<ToWorker, { type: 'start' }>, 'announced'>): void {
    const announced = this.#slots.announce(index);
    this.workers.get(index)!.postMessage(message.type === 'start' ? { ...message, announced } : message);
  }

  #wake(): void {
    this.#heard++;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

const pools = new Map<number, { readonly pool: Pool; users: number }>();

/** The pool of `threads` workers; give it back with {@link releasePool}. */
export function acquirePool(threads: number): Pool {
  const entry = pools.get(threads) ?? { pool: new Pool(threads), users: 0 };
  pools.set(threads, entry);
  entry.users++;
  return entry.pool;
}

/** Ends the workers with their last user. */
export function releasePool(pool: Pool): void {
  const entry = pools.get(pool.threads);
  if (entry?.pool !== pool || --entry.users > 0) return;
  pools.delete(pool.threads);
  pool.close();
}
