/** One mapped buffer for all that a job hands back. */
import type { Digest } from '../../bytes.js';
import type { Backend } from '../types.js';
import { type TakeBuffer, Usage } from './buffer-pool.js';
import type { Range, Recorder } from './recorder.js';
import { type GpuBufferLike, MAP_READ } from './types.js';

/** Gives the bytes that were asked for, once they have arrived. */
export type Arrived = () => Digest;

export class Readback {
  readonly #buffer: GpuBufferLike;
  readonly #recorder: Recorder;
  readonly #sizes: number[] = [];
  #used = 0;
  #parts: readonly Digest[] = [];

  private constructor(buffer: GpuBufferLike, recorder: Recorder) {
    this.#buffer = buffer;
    this.#recorder = recorder;
  }

  /** @param bytes most that will be asked for. */
  static async open(recorder: Recorder, take: TakeBuffer, bytes: number): Promise<Readback> {
    return new Readback(await take('readback', Usage.readback, bytes), recorder);
  }

  /** Copies a range as it is at this point of the recording. */
  take(range: Range): Arrived {
    const index = this.#sizes.push(range.size) - 1;
    this.#recorder.copy(range, this.#buffer, this.#used);
    this.#used += range.size;
    return () => this.#parts[index]!;
  }

  /** Submits the recording and waits for the bytes. */
  async arrive(counters: Backend['counters']): Promise<void> {
    const { live } = this.#recorder;
    const submitted = this.#recorder.flush();
    if (!this.#used) return await submitted;
    const mapped = live.settled('readback', this.#buffer.mapAsync(MAP_READ, 0, this.#used));
    // A refused submit explains itself; the mapping that fails with it need not.
    mapped.catch(() => {});
    await submitted;
    await mapped;
    // Copied out, because the mapped memory goes away with unmap.
    const memory = this.#buffer.getMappedRange(0, this.#used);
    let at = 0;
    this.#parts = this.#sizes.map((size) => {
      const part = new Uint8Array(memory.slice(at, at + size));
      at += size;
      return part;
    });
    this.#buffer.unmap();
    counters.bytesDown += this.#used;
  }
}
