/**
 * A device that hashers can be opened on, and that tells how long its passes and compilations take.
 *
 * It hands every call on to the real device; the library does not know that it is watched. While no pass is stamped,
 * that is one more function call for each call on the device.
 */
import { findAdapter } from '../backend/gpu/adapter.js';
import { BufferUsage, type GpuDeviceLike, type GpuLike, MAP_READ } from '../backend/gpu/types.js';
import type { FeaturedAdapter, StampingDevice, StampingEncoder } from './gpu-types.js';
import type { PassStamps } from './timestamps.js';

/** What a query set may hold at most. */
const QUERIES = 4096;
const STAMP_BYTES = 8;
const QUERY_RESOLVE = 0x200;
const FEATURE = 'timestamp-query';

/** Compilation of one pipeline. */
export interface Compilation {
  readonly kernel: string;
  readonly seconds: number;
}

export class GpuClock {
  /** For `createHasher`. */
  readonly device: GpuDeviceLike;
  /** Whether passes can be stamped. */
  readonly timestamps: boolean;
  readonly #real: StampingDevice;
  /** Held because Dawn crashes the process when its entry point is collected while a device lives. */
  readonly #gpu: GpuLike;
  #compilations: Compilation[] = [];
  #querySet: { destroy(): void } | undefined;
  #stamped = 0;
  #overflow = false;

  private constructor(gpu: GpuLike, real: StampingDevice, timestamps: boolean) {
    this.#gpu = gpu;
    this.#real = real;
    this.timestamps = timestamps;
    this.device = this.#watched();
  }

  /**
   * Opens a device of its own.
   *
   * @throws {CambiumError} `BACKEND_UNAVAILABLE` where there is no adapter.
   */
  static async open(gpu: GpuLike): Promise<GpuClock> {
    const adapter = (await findAdapter(gpu)) as FeaturedAdapter;
    const timestamps = adapter.features?.has(FEATURE) === true;
    const device = await adapter.requestDevice({
      label: 'cambium report',
      requiredFeatures: timestamps ? [FEATURE] : [],
    });
    return new GpuClock(gpu, device as StampingDevice, timestamps);
  }

  /** Compilations since the last call. */
  takeCompilations(): readonly Compilation[] {
    const taken = this.#compilations;
    this.#compilations = [];
    return taken;
  }

  /** The stamps of all passes of `job`; none where the device offers no timestamps, or the job has too many passes. */
  async stamp(job: () => Promise<unknown>): Promise<readonly PassStamps[]> {
    if (!this.timestamps) {
      await job();
      return [];
    }
    this.#querySet = this.#real.createQuerySet({ type: 'timestamp', count: QUERIES });
    this.#stamped = 0;
    this.#overflow = false;
    const querySet = this.#querySet;
    try {
      await job();
      this.#querySet = undefined;
      return this.#overflow || !this.#stamped ? [] : await this.#read(querySet);
    } finally {
      this.#querySet = undefined;
      querySet.destroy();
    }
  }

  close(): void {
    this.#real.destroy();
    // Touched here, so that it lives as long as its device.
    void this.#gpu;
  }

  async #read(querySet: object): Promise<readonly PassStamps[]> {
    const device = this.#real;
    const size = 2 * this.#stamped * STAMP_BYTES;
    const label = 'cambium stamps';
    const resolved = device.createBuffer({ label, size, usage: QUERY_RESOLVE | BufferUsage.COPY_SRC });
    const mapped = device.createBuffer({ label, size, usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST });
    try {
      const encoder = device.createCommandEncoder({ label });
      (encoder as unknown as StampingEncoder).resolveQuerySet(querySet, 0, 2 * this.#stamped, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, mapped, 0, size);
      device.queue.submit([encoder.finish()]);
      await mapped.mapAsync(MAP_READ, 0, size);
      const stamps = new BigUint64Array(mapped.getMappedRange(0, size).slice(0));
      mapped.unmap();
      return Array.from({ length: this.#stamped }, (_, i) => [stamps[2 * i]!, stamps[2 * i + 1]!] as const);
    } finally {
      resolved.destroy();
      mapped.destroy();
    }
  }

  /** Stamps the passes of an encoder while a job is watched. */
  #stampPasses<T extends object>(encoder: T & StampingEncoder): T {
    const querySet = this.#querySet;
    if (!querySet) return encoder;
    const begin = encoder.beginComputePass.bind(encoder);
    encoder.beginComputePass = () => {
      if (2 * this.#stamped + 2 > QUERIES) {
        this.#overflow = true;
        return begin();
      }
      const first = 2 * this.#stamped++;
      return begin({
        timestampWrites: { querySet, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 },
      });
    };
    return encoder;
  }

  #watched(): GpuDeviceLike {
    const real = this.#real;
    return {
      limits: real.limits,
      ...(real.adapterInfo && { adapterInfo: real.adapterInfo }),
      queue: real.queue,
      lost: real.lost,
      createBuffer: (descriptor) => real.createBuffer(descriptor),
      createShaderModule: (descriptor) => real.createShaderModule(descriptor),
      createBindGroupLayout: (descriptor) => real.createBindGroupLayout(descriptor),
      createPipelineLayout: (descriptor) => real.createPipelineLayout(descriptor),
      createComputePipelineAsync: async (descriptor) => {
        const began = performance.now();
        const pipeline = await real.createComputePipelineAsync(descriptor);
        const kernel = (descriptor.label ?? descriptor.compute.entryPoint ?? '').replace(/^cambium /, '');
        this.#compilations.push({ kernel, seconds: (performance.now() - began) / 1000 });
        return pipeline;
      },
      createBindGroup: (descriptor) => real.createBindGroup(descriptor),
      createCommandEncoder: (descriptor) =>
        this.#stampPasses(
          real.createCommandEncoder(descriptor) as ReturnType<typeof real.createCommandEncoder> &
            StampingEncoder,
        ),
      pushErrorScope: (filter) => real.pushErrorScope(filter),
      popErrorScope: () => real.popErrorScope(),
      destroy: () => real.destroy(),
    };
  }
}
