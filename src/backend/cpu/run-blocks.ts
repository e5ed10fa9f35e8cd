/** Runs the blocks of one job: some in the workers, some on the caller's thread, whoever is free first. */
import { platform } from '#platform';
import { throwIfAborted } from '../../errors.js';
import type { SyncEngine } from '../types.js';
import type { Pool } from './pool.js';
import { execute, outputBytes, type Request } from './request.js';
import type { Slot } from './slots.js';
import { turnIsDue, yieldToHost } from './yield.js';

/** How long the caller's thread works before the host gets a turn, in milliseconds. */
const SLICE: number = platform.isWindow ? 10 : 20;

/** How long the caller waits for the last blocks before it does one itself, in milliseconds. */
const PATIENCE = 0.2;

/** A piece of a job. Its place in the input and output is its own knowledge. */
export interface Block {
  /** Hashes in it, for the measure of speed. */
  readonly hashes: number;
  /** What a worker must know; absent for a block too large for a slot. */
  readonly request?: Request;
  /** Hashes straight from and to the user's memory. */
  run(engine: SyncEngine): void;
  /** Copies the input into a slot. */
  fill(input: Uint8Array): void;
  /** Copies the output out of a slot. */
  finish(output: Uint8Array): void;
}

/** What runs the blocks of one hash. */
export interface Crew {
  readonly engine: SyncEngine;
  /** Absent where the caller works alone. */
  readonly pool?: Pool | undefined;
  /** Told the time of each block that the caller hashed. */
  measured(hashes: number, nanoseconds: number): void;
}

interface Away {
  readonly slot: Slot;
  readonly block: Block;
}

/**
 * Runs all blocks. They are begun in order, so that a block may write where earlier blocks were read.
 *
 * @throws {CambiumError} `ABORTED` between two slices.
 */
export async function runBlocks(
  blocks: Iterator<Block>,
  crew: Crew,
  signal: AbortSignal | undefined,
): Promise<void> {
  const job = new Job(blocks, crew);
  try {
    for (;;) {
      if (turnIsDue(SLICE)) {
        await yieldToHost();
        throwIfAborted(signal);
      }
      job.collect();
      job.feed();
      if (job.finished) return;
      if (job.step()) continue;
      await crew.pool!.wait(PATIENCE);
      throwIfAborted(signal);
      if (crew.pool!.mayWait) job.overtake();
    }
  } finally {
    job.release();
  }
}

class Job {
  readonly #blocks: Iterator<Block>;
  readonly #crew: Crew;
  #next: Block | undefined;
  readonly #away: Away[] = [];

  constructor(blocks: Iterator<Block>, crew: Crew) {
    this.#blocks = blocks;
    this.#crew = crew;
    this.#advance();
  }

  get finished(): boolean {
    return !this.#next && this.#away.length === 0;
  }

  /** Takes what the workers have done; what they failed is done here. */
  collect(): void {
    for (const away of this.#away.filter(({ slot }) => slot.state() !== 'busy')) {
      this.#away.splice(this.#away.indexOf(away), 1);
      if (away.slot.state() === 'failed') this.#redo(away);
      else this.#land(away);
    }
  }

  /** Puts blocks into free slots. */
  feed(): void {
    const { pool } = this.#crew;
    while (pool && this.#next?.request) {
      const slot = pool.acquire();
      if (!slot) return;
      const block = this.#next;
      block.fill(slot.input);
      slot.submit(this.#next.request);
      this.#away.push({ slot, block });
      this.#advance();
    }
  }

  /** Hashes one block on this thread; false when only waiting is left. */
  step(): boolean {
    const { engine, pool, measured } = this.#crew;
    // A window's thread has better things to do, once a worker runs.
    const idle = platform.isWindow && pool?.running === true;
    const block = this.#next;
    if (block && (!idle || !block.request)) {
      this.#advance();
      const start = performance.now();
      block.run(engine);
      measured(block.hashes, (performance.now() - start) * 1e6);
      return true;
    }
    if (idle) return false;
    return this.#takeBack();
  }

  /** Does a block here that lies in a slot, begun by nobody. */
  #takeBack(): boolean {
    // The latest first: the workers are at the others.
    for (let i = this.#away.length - 1; i >= 0; i--) {
      if (!this.#away[i]!.slot.takeBack()) continue;
      this.#redo(this.#away.splice(i, 1)[0]!);
      return true;
    }
    return false;
  }

  /**
   * Hashes a block here that a worker has begun: it may be dead, or wait for a core while this thread has one. The
   * input in the slot is intact, and what the worker will write there nobody reads.
   */
  overtake(): void {
    this.collect();
    const away = this.#away.shift();
    if (!away) return;
    const { slot, block } = away;
    slot.release();
    const output = new Uint8Array(outputBytes(block.request!));
    execute(this.#crew.engine, block.request!, slot.input, output);
    block.finish(output);
  }

  /** After an error: gives the slots back. */
  release(): void {
    for (const { slot } of this.#away.splice(0)) slot.release();
  }

  #advance(): void {
    const step = this.#blocks.next();
    this.#next = step.done ? undefined : step.value;
  }

  #redo(away: Away): void {
    const { slot, block } = away;
    try {
      execute(this.#crew.engine, block.request!, slot.input, slot.output);
      block.finish(slot.output);
    } finally {
      slot.release();
    }
  }

  #land({ slot, block }: Away): void {
    block.finish(slot.output);
    slot.release();
  }
}
