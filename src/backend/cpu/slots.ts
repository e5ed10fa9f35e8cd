/** How work travels to the workers and back: through shared memory, or by messages where that cannot be sent. */
import type { HostWorker } from '../../platform.js';
import type { FromWorker, ToWorker } from './messages.js';
import { inputBytes, type Request } from './request.js';
import { DONE, FAILED, READY, Ring, SLOT_INPUT_BYTES, SLOT_OUTPUT_BYTES, TAKEN } from './ring.js';

/** One slot in the hands of a job: fill `input`, `submit`, look at `state`, read `output`, `release`. */
export interface Slot {
  readonly input: Uint8Array;
  readonly output: Uint8Array;
  submit(request: Request): void;
  state(): 'busy' | 'done' | 'failed';
  /** Takes a slot back that no worker has begun. Its input is intact. */
  takeBack(): boolean;
  /** Gives the slot back, in any state: a worker that still writes into it keeps it from being acquired again. */
  release(): void;
}

export interface Slots {
  /** What the first message to a worker says about this way. */
  readonly ring: { readonly slots: number; readonly buffer: SharedArrayBuffer } | undefined;
  /** A free slot, while there is one. */
  acquire(): Slot | undefined;
  /** Says that a message to worker `index` comes next, and returns how many came before. */
  announce(index: number): number;
  /** Worker `index` will never answer: what it had fails. */
  gone(index: number): void;
  /** No worker will answer: everything under way fails. */
  abandon(): void;
  receive(message: FromWorker): void;
  /** Whether this thread may block. */
  readonly mayWait: boolean;
  /** Blocks until a slot is finished, at most this long. */
  wait(milliseconds: number): void;
}

/** Slots that nobody holds, and slots given back while a worker is still at them. */
class FreeSlots {
  readonly #free: number[];
  #left: number[] = [];
  readonly #isBusy: (slot: number) => boolean;

  constructor(count: number, isBusy: (slot: number) => boolean) {
    this.#free = Array.from({ length: count }, (_, i) => i);
    this.#isBusy = isBusy;
  }

  take(): number | undefined {
    if (this.#free.length === 0 && this.#left.length > 0) {
      const left = this.#left;
      this.#left = [];
      for (const slot of left) this.give(slot);
    }
    return this.#free.pop();
  }

  give(slot: number): void {
    (this.#isBusy(slot) ? this.#left : this.#free).push(slot);
  }
}

/** Slots of a ring in shared memory. */
export class SharedSlots implements Slots {
  readonly mayWait: boolean;
  readonly #ring: Ring;
  readonly #free: FreeSlots;

  constructor(workers: number, slots: number, mayWait: boolean) {
    this.mayWait = mayWait;
    this.#ring = new Ring(workers, slots);
    this.#free = new FreeSlots(slots, (slot) => this.#ring.state(slot) >= TAKEN);
  }

  get ring(): { readonly slots: number; readonly buffer: SharedArrayBuffer } {
    return this.#ring;
  }

  acquire(): Slot | undefined {
    const index = this.#free.take();
    if (index === undefined) return undefined;
    const ring = this.#ring;
    return {
      input: ring.input(index),
      output: ring.output(index),
      submit: (request) => ring.offer(index, request),
      state() {
        const state = ring.state(index);
        if (state === DONE) return 'done';
        return state === FAILED ? 'failed' : 'busy';
      },
      takeBack: () => ring.move(index, READY, FAILED),
      release: () => {
        ring.move(index, READY, FAILED);
        this.#free.give(index);
      },
    };
  }

  announce(index: number): number {
    const before = this.#ring.announced(index);
    this.#ring.announce(index);
    return before;
  }

  gone(index: number): void {
    for (let slot = 0; slot < this.#ring.slots; slot++) {
      if (this.#ring.state(slot) === TAKEN + index) this.#ring.finish(slot, index, FAILED);
    }
  }

  abandon(): void {
    for (let slot = 0; slot < this.#ring.slots; slot++) {
      const state = this.#ring.state(slot);
      if (state === READY || state >= TAKEN) this.#ring.move(slot, state, FAILED);
    }
  }

  receive(): void {}

  wait(milliseconds: number): void {
    this.#ring.waitForFinished(milliseconds);
  }
}

/** A slot on its way by message. */
interface Letter {
  state: 'busy' | 'done' | 'failed';
  worker: number;
  readonly input: Uint8Array;
  readonly output: Uint8Array;
}

/** Slots that are copied into messages; the input stays here, so that a dead worker loses nothing. */
export class MessageSlots implements Slots {
  readonly ring = undefined;
  readonly mayWait = false;
  readonly #workers: ReadonlyMap<number, HostWorker>;
  readonly #free: FreeSlots;
  readonly #letters: Letter[];

  constructor(workers: ReadonlyMap<number, HostWorker>, slots: number) {
    this.#workers = workers;
    this.#letters = Array.from({ length: slots }, () => ({
      state: 'done',
      worker: -1,
      input: new Uint8Array(SLOT_INPUT_BYTES),
      output: new Uint8Array(SLOT_OUTPUT_BYTES),
    }));
    this.#free = new FreeSlots(slots, (slot) => this.#letters[slot]!.state === 'busy');
  }

  acquire(): Slot | undefined {
    const index = this.#free.take();
    if (index === undefined) return undefined;
    const letter = this.#letters[index]!;
    return {
      input: letter.input,
      output: letter.output,
      submit: (request) => this.#post(index, letter, request),
      state: () => letter.state,
      takeBack: () => false,
      release: () => this.#free.give(index),
    };
  }

  announce(): number {
    return 0;
  }

  gone(index: number): void {
    for (const letter of this.#letters) {
      if (letter.worker === index && letter.state === 'busy') letter.state = 'failed';
    }
  }

  abandon(): void {
    for (const letter of this.#letters) if (letter.state === 'busy') letter.state = 'failed';
  }

  receive(message: FromWorker): void {
    if (message.type !== 'done') return;
    const letter = this.#letters[message.slot]!;
    if (message.output) letter.output.set(new Uint8Array(message.output));
    letter.state = message.output ? 'done' : 'failed';
  }

  wait(): void {}

  /** To the worker with the fewest letters. */
  #post(slot: number, letter: Letter, request: Request): void {
    const load = (worker: number): number =>
      this.#letters.filter((other) => other.worker === worker && other.state === 'busy').length;
    const [index] = [...this.#workers.keys()].sort((a, b) => load(a) - load(b));
    if (index === undefined) {
      letter.state = 'failed';
      return;
    }
    letter.worker = index;
    letter.state = 'busy';
    const input = letter.input.slice(0, inputBytes(request)).buffer as ArrayBuffer;
    const message: ToWorker = { type: 'work', slot, request, input };
    this.#workers.get(index)!.postMessage(message, [input]);
  }
}
