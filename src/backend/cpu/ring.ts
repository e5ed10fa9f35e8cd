/**
 * Slots in shared memory. The caller fills a free slot and makes it ready; any worker takes it; its taker makes it done.
 *
 * The words at the front: one that changes when work arrives, one that changes when work is done, one count of posted
 * messages per worker, then a few words per slot. Behind them the input and output areas.
 */
import type { Request } from './request.js';

/** 8192 pairs, or messages with their lengths. */
export const SLOT_INPUT_BYTES: number = 1 << 19;
/** As many digests, or all levels over as many leaves. */
export const SLOT_OUTPUT_BYTES: number = 1 << 18;

export const READY = 1;
export const DONE = 2;
export const FAILED = 3;
/** A slot taken by worker w has the state `TAKEN + w`. */
export const TAKEN = 16;

/** How long a caller looks out for finished slots before it sleeps, in milliseconds. */
const SPIN = 0.05;

const WORK = 0;
const FINISHED = 1;
const MAIL = 2;
const SLOT_WORDS = 8;

export class Ring {
  readonly buffer: SharedArrayBuffer;
  readonly slots: number;
  readonly #words: Int32Array;
  readonly #firstSlot: number;
  readonly #areas: number;
  #finishedSeen = 0;

  /** Over new shared memory, or over that of another thread. */
  constructor(workers: number, slots: number, buffer?: SharedArrayBuffer) {
    this.slots = slots;
    this.#firstSlot = MAIL + workers;
    const words = this.#firstSlot + slots * SLOT_WORDS;
    this.#areas = Math.ceil((4 * words) / 64) * 64;
    this.buffer =
      buffer ?? new SharedArrayBuffer(this.#areas + slots * (SLOT_INPUT_BYTES + SLOT_OUTPUT_BYTES));
    this.#words = new Int32Array(this.buffer, 0, words);
  }

  input(slot: number): Uint8Array {
    const at = this.#areas + slot * (SLOT_INPUT_BYTES + SLOT_OUTPUT_BYTES);
    return new Uint8Array(this.buffer, at, SLOT_INPUT_BYTES);
  }

  output(slot: number): Uint8Array {
    const at = this.#areas + slot * (SLOT_INPUT_BYTES + SLOT_OUTPUT_BYTES) + SLOT_INPUT_BYTES;
    return new Uint8Array(this.buffer, at, SLOT_OUTPUT_BYTES);
  }

  state(slot: number): number {
    return Atomics.load(this.#words, this.#at(slot));
  }

  /** Moves a slot from one state to another; false when another thread was first. */
  move(slot: number, from: number, to: number): boolean {
    return Atomics.compareExchange(this.#words, this.#at(slot), from, to) === from;
  }

  /** Makes a filled slot ready and wakes one worker. */
  offer(slot: number, { engine, kind, count, bytes, levels, rowElements }: Request): void {
    const at = this.#at(slot);
    this.#words.set([engine, kind, count, bytes, levels, rowElements], at + 1);
    Atomics.store(this.#words, at, READY);
    Atomics.add(this.#words, WORK, 1);
    Atomics.notify(this.#words, WORK, 1);
  }

  request(slot: number): Request {
    const at = this.#at(slot) + 1;
    const [engine, kind, count, bytes, levels, rowElements] = this.#words.subarray(at, at + 6) as unknown as [
      number,
      Request['kind'],
      number,
      number,
      number,
      number,
    ];
    return { engine, kind, count, bytes, levels, rowElements };
  }

  /** Ends a slot that worker `worker` took. */
  finish(slot: number, worker: number, state: typeof DONE | typeof FAILED): void {
    this.move(slot, TAKEN + worker, state);
    Atomics.add(this.#words, FINISHED, 1);
    Atomics.notify(this.#words, FINISHED);
  }

  /** Tells worker `worker` that a message is on its way: a worker that waits here receives none. */
  announce(worker: number): void {
    Atomics.add(this.#words, MAIL + worker, 1);
    Atomics.add(this.#words, WORK, 1);
    Atomics.notify(this.#words, WORK);
  }

  /** Messages announced to worker `worker` so far. */
  announced(worker: number): number {
    return Atomics.load(this.#words, MAIL + worker);
  }

  workCount(): number {
    return Atomics.load(this.#words, WORK);
  }

  waitForWork(seen: number): void {
    Atomics.wait(this.#words, WORK, seen);
  }

  /** Blocks until any slot is finished that was not when this was last called, at most this long. */
  waitForFinished(milliseconds: number): void {
    // The last blocks are short: to sleep and to be woken takes longer than they do.
    const end = performance.now() + Math.min(SPIN, milliseconds);
    while (Atomics.load(this.#words, FINISHED) === this.#finishedSeen) {
      if (performance.now() < end) continue;
      Atomics.wait(this.#words, FINISHED, this.#finishedSeen, milliseconds);
      break;
    }
    this.#finishedSeen = Atomics.load(this.#words, FINISHED);
  }

  #at(slot: number): number {
    return this.#firstSlot + slot * SLOT_WORDS;
  }
}
