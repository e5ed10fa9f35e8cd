/**
 * Collects the uploads, dispatches and copies of a job, and submits them in parts that stay within a time budget.
 *
 * What is recorded runs at the next flush, all of it inside one guard; WebGPU keeps the order.
 */
import { throwIfAborted } from '../../errors.js';
import type { Backend } from '../types.js';
import { type TakeBuffer, Usage } from './buffer-pool.js';
import { type Kernel, PARAMS_BINDING, PARAMS_STRIDE } from './kernel.js';
import type { LiveDevice } from './live-device.js';
import { ALIGNED_NODES, dispatchItems, dispatchShape } from './plan.js';
import type { GpuBufferLike, GpuEncoderLike, GpuPassLike } from './types.js';

/** Bytes of a buffer from an offset, which is a multiple of 256 where a kernel binds it. */
export interface Range {
  readonly buffer: GpuBufferLike;
  readonly offset: number;
  readonly size: number;
}

/** What one dispatch runs. */
export interface Dispatch {
  readonly kernel: Kernel;
  /** Storage in the order of its bindings, the parameters left out. */
  readonly storage: readonly Range[];
  readonly params: readonly number[];
  readonly groups: number;
  /** Digests that it makes, for the counters. */
  readonly hashes: number;
  /** What it takes of the time budget, in hashes of pairs. */
  readonly cost: number;
}

export interface RecorderOptions {
  /** Hashes that the device makes within the time that a submit may take. */
  readonly hashesPerSubmit: number;
  readonly counters: Backend['counters'];
  readonly signal?: AbortSignal | undefined;
}

/** Options for a recorder whose work does not count. */
export const uncounted = (): RecorderOptions => ({
  hashesPerSubmit: Number.POSITIVE_INFINITY,
  counters: { hashes: 0, dispatches: 0, bytesUp: 0, bytesDown: 0 },
});

/** Parameter slots of one submit. */
const SLOTS = 128;
const PAIR_BYTES = 64;

interface Replay {
  readonly encoder: GpuEncoderLike;
  pass: GpuPassLike | undefined;
}

export class Recorder {
  readonly live: LiveDevice;
  readonly #options: RecorderOptions;
  readonly #paramsBuffer: GpuBufferLike;
  readonly #params: Uint32Array<ArrayBuffer> = new Uint32Array((SLOTS * PARAMS_STRIDE) / 4);
  #uploads: (() => void)[] = [];
  #commands: ((replay: Replay) => void)[] = [];
  #slots = 0;
  #spent = 0;

  private constructor(live: LiveDevice, paramsBuffer: GpuBufferLike, options: RecorderOptions) {
    this.live = live;
    this.#paramsBuffer = paramsBuffer;
    this.#options = options;
  }

  static async open(live: LiveDevice, take: TakeBuffer, options: RecorderOptions): Promise<Recorder> {
    return new Recorder(live, await take('params', Usage.params, SLOTS * PARAMS_STRIDE), options);
  }

  get hashesPerSubmit(): number {
    return this.#options.hashesPerSubmit;
  }

  /** Hashes that still fit this submit. */
  get room(): number {
    return this.#options.hashesPerSubmit - this.#spent;
  }

  /** Writes bytes ahead of this submit's commands. Shared memory is copied, because Dawn crashes on it. */
  upload(buffer: GpuBufferLike, offset: number, bytes: Uint8Array): void {
    const { queue } = this.live.device;
    const own =
      bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
    this.#options.counters.bytesUp += bytes.length;
    // The queue takes whole words; the last bytes go alone, filled up with zeros.
    const words = own.length - (own.length % 4);
    this.#uploads.push(() => {
      if (words) queue.writeBuffer(buffer, offset, own, 0, words);
      if (words === own.length) return;
      const last = new Uint8Array(4);
      last.set(own.subarray(words));
      queue.writeBuffer(buffer, offset + words, last);
    });
  }

  copy(source: Range, target: GpuBufferLike, targetOffset: number): void {
    this.#commands.push((replay) => {
      replay.pass?.end();
      replay.pass = undefined;
      replay.encoder.copyBufferToBuffer(source.buffer, source.offset, target, targetOffset, source.size);
    });
  }

  /** One dispatch, in this submit or, when that is full, in the next. */
  async dispatch(dispatch: Dispatch): Promise<void> {
    if (this.#slots === SLOTS || (this.#spent > 0 && dispatch.cost > this.room)) await this.#next();
    const { kernel, storage, params, groups, hashes, cost } = dispatch;
    const { device, limits } = this.live;
    const slot = this.#slots++ * PARAMS_STRIDE;
    this.#params.set(params, slot / 4);
    this.#spent += cost;
    this.#options.counters.hashes += hashes;
    this.#options.counters.dispatches++;
    const resources = storage.map(({ buffer, offset, size }) => ({ buffer, offset, size }));
    resources.splice(PARAMS_BINDING, 0, { buffer: this.#paramsBuffer, offset: 0, size: PARAMS_STRIDE });
    this.#commands.push((replay) => {
      replay.pass ??= replay.encoder.beginComputePass();
      replay.pass.setPipeline(kernel.pipeline);
      const entries = resources.map((resource, binding) => ({ binding, resource }));
      const group = device.createBindGroup({ label: kernel.name, layout: kernel.layout, entries });
      replay.pass.setBindGroup(0, group, [slot]);
      if (kernel.tables) replay.pass.setBindGroup(1, kernel.tables);
      replay.pass.dispatchWorkgroups(...dispatchShape(groups, limits));
    });
  }

  /** A layer of `count` pairs, in as many dispatches as limits and time budget ask for. */
  async pairs(kernel: Kernel, nodes: Range, parents: Range, count: number): Promise<void> {
    const most = dispatchItems(this.live.limits, kernel.perGroup);
    for (let first = 0; first < count; ) {
      const budget = this.room >= ALIGNED_NODES ? this.room : this.#options.hashesPerSubmit;
      const aligned = Math.max(1, Math.floor(Math.min(most, budget) / ALIGNED_NODES)) * ALIGNED_NODES;
      const part = Math.min(count - first, aligned);
      await this.dispatch({
        kernel,
        storage: [
          { buffer: nodes.buffer, offset: nodes.offset + first * PAIR_BYTES, size: part * PAIR_BYTES },
          {
            buffer: parents.buffer,
            offset: parents.offset + (first * PAIR_BYTES) / 2,
            size: (part * PAIR_BYTES) / 2,
          },
        ],
        params: [part],
        groups: Math.ceil(part / kernel.perGroup),
        hashes: part,
        cost: part,
      });
      first += part;
    }
  }

  /** Submits what is recorded. The calls on the device have been made when this returns; they are checked when it resolves. */
  async flush(): Promise<void> {
    throwIfAborted(this.#options.signal);
    const { device } = this.live;
    const [uploads, commands] = [this.#uploads, this.#commands];
    this.#uploads = [];
    this.#commands = [];
    const params = this.#params.subarray(0, (this.#slots * PARAMS_STRIDE) / 4);
    this.#slots = 0;
    this.#spent = 0;
    await this.live.guard('submit', () => {
      for (const upload of uploads) upload();
      if (params.length) {
        device.queue.writeBuffer(
          this.#paramsBuffer,
          0,
          new Uint8Array(params.buffer, params.byteOffset, params.byteLength),
        );
      }
      const replay: Replay = { encoder: device.createCommandEncoder({ label: 'cambium' }), pass: undefined };
      for (const command of commands) command(replay);
      replay.pass?.end();
      device.queue.submit([replay.encoder.finish()]);
    });
  }

  /** Submits, and waits until the device is done, so that an abort is seen and no queue builds up. */
  async #next(): Promise<void> {
    await this.flush();
    await this.live.settled('submit', this.live.device.queue.onSubmittedWorkDone());
  }
}
