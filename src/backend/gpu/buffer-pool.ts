/** Buffers that wait for their next use: allocating 32 MiB for each chunk costs more than hashing it. */
import { hasCode } from '../../errors.js';
import type { LiveDevice } from './live-device.js';
import { BufferUsage, type GpuBufferLike } from './types.js';

/** Bytes that may lie idle before the oldest are given back. */
const IDLE_BYTES = 2 ** 28;

/** Uses of the buffers of a job. */
export const Usage: {
  readonly nodes: number;
  readonly input: number;
  readonly params: number;
  readonly readback: number;
} = {
  nodes: BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST,
  input: BufferUsage.STORAGE | BufferUsage.COPY_DST,
  params: BufferUsage.UNIFORM | BufferUsage.COPY_DST,
  readback: BufferUsage.MAP_READ | BufferUsage.COPY_DST,
};

/** Takes a buffer of at least `bytes` for the time of a job. */
export type TakeBuffer = (label: string, usage: number, bytes: number) => Promise<GpuBufferLike>;

/** Rounded up to a quarter of a power of two, so that jobs of similar size share buffers. */
export function sizeClass(bytes: number): number {
  const step = Math.max(256, 2 ** Math.floor(Math.log2(Math.max(1, bytes))) / 4);
  return Math.max(step, Math.ceil(bytes / step) * step);
}

export class BufferPool {
  readonly #live: LiveDevice;
  #idle: GpuBufferLike[] = [];

  constructor(live: LiveDevice) {
    this.#live = live;
  }

  /**
   * Runs a job with buffers of the pool, which get them back when it ends.
   *
   * Buffers of a job that failed are destroyed, because a mapping or a write may be pending on them.
   *
   * @throws {CambiumError} `OUT_OF_DEVICE_MEMORY`, and whatever the job throws.
   */
  async borrow<T>(job: (take: TakeBuffer) => Promise<T>): Promise<T> {
    const taken: GpuBufferLike[] = [];
    try {
      const result = await job(async (label, usage, bytes) => {
        const buffer = await this.#take(label, usage, bytes);
        taken.push(buffer);
        return buffer;
      });
      this.#idle.push(...taken);
      this.#trim();
      return result;
    } catch (error) {
      for (const buffer of taken) buffer.destroy();
      throw error;
    }
  }

  async #take(label: string, usage: number, bytes: number): Promise<GpuBufferLike> {
    const { maxBufferSize } = this.#live.limits;
    const size = Math.max(bytes, Math.min(sizeClass(bytes), maxBufferSize));
    const at = this.#idle.findIndex((buffer) => buffer.size === size && buffer.usage === usage);
    if (at >= 0) return this.#idle.splice(at, 1)[0]!;
    const create = (): Promise<GpuBufferLike> =>
      this.#live.guard(`buffer of ${size} bytes for ${label}`, () =>
        this.#live.device.createBuffer({ label: `cambium ${label}`, size, usage }),
      );
    try {
      return await create();
    } catch (error) {
      if (!hasCode(error, 'OUT_OF_DEVICE_MEMORY') || !this.#idle.length) throw error;
      this.#drop(this.#idle.length);
      return await create();
    }
  }

  #trim(): void {
    let bytes = this.#idle.reduce((sum, buffer) => sum + buffer.size, 0);
    let count = 0;
    while (bytes > IDLE_BYTES) bytes -= this.#idle[count++]!.size;
    this.#drop(count);
  }

  /** Destroys the buffers that have waited longest. */
  #drop(count: number): void {
    for (const buffer of this.#idle.splice(0, count)) buffer.destroy();
  }
}
