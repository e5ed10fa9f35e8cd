/**
 * WebGPU without a GPU: SHA-256 kernels in JavaScript, with every fault that a device can have.
 *
 * It keeps the rules that the library depends on: error scopes, limits, mappings, destroyed and foreign buffers.
 */
import type {
  GpuAdapterLike,
  GpuBufferLike,
  GpuDeviceLike,
  GpuEncoderLike,
  GpuErrorFilterLike,
  GpuHandle,
  GpuLike,
  GpuLimitsLike,
  GpuPassLike,
  GpuQueueLike,
} from '../../src/backend/gpu/types.ts';
import { BufferUsage } from '../../src/backend/gpu/types.ts';
import { type Binding, type FakeKernel, runKernel } from './fake-kernels.ts';

/** What becomes of one call: it throws or rejects, an error scope gets the error, or the device is lost in it. */
export type Fault = 'throws' | GpuErrorFilterLike | 'loses';

export interface FakeOptions {
  readonly limits?: Partial<GpuLimitsLike>;
  /** Bytes of all buffers of one device together. */
  readonly memory?: number;
  /** Decides about each call on the device, by its name. */
  fault?: ((call: string) => Fault | undefined) | undefined;
  /** Makes the digests of the kernels wrong. */
  spoil?: ((digest: Uint8Array) => void) | undefined;
}

const DEFAULT_LIMITS: GpuLimitsLike = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxComputeWorkgroupsPerDimension: 65_535,
};

/** An entry point whose adapter claims to be hardware. Options may be changed while it is in use. */
export class FakeGpu implements GpuLike {
  readonly options: FakeOptions;
  readonly devices: FakeDevice[] = [];

  constructor(options: FakeOptions = {}) {
    this.options = options;
  }

  async requestAdapter(): Promise<GpuAdapterLike> {
    const limits = { ...DEFAULT_LIMITS, ...this.options.limits };
    return {
      info: { vendor: 'fake', architecture: '', device: '', description: 'no GPU at all' },
      limits,
      requestDevice: async () => {
        const device = new FakeDevice(this.options, limits);
        this.devices.push(device);
        return device;
      },
    };
  }

  /** A device of the caller's own. */
  async device(): Promise<FakeDevice> {
    return (await (await this.requestAdapter()).requestDevice()) as FakeDevice;
  }
}

class FakeBuffer implements GpuBufferLike {
  readonly size: number;
  readonly usage: number;
  readonly device: FakeDevice;
  readonly bytes: Uint8Array<ArrayBuffer>;
  destroyed = false;
  #mapped: ArrayBuffer | undefined;

  constructor(device: FakeDevice, size: number, usage: number) {
    this.device = device;
    this.size = size;
    this.usage = usage;
    this.bytes = new Uint8Array(size);
  }

  get mapped(): boolean {
    return this.#mapped !== undefined;
  }

  async mapAsync(_mode: number, offset = 0, size = this.size - offset): Promise<undefined> {
    await this.device.answer('mapAsync');
    if (this.destroyed || this.mapped || !(this.usage & BufferUsage.MAP_READ)) throw new Error('cannot map');
    this.#mapped = this.bytes.buffer.slice(offset, offset + size);
    return undefined;
  }

  getMappedRange(): ArrayBuffer {
    if (!this.#mapped) throw new Error('not mapped');
    return this.#mapped;
  }

  unmap(): void {
    this.#mapped = undefined;
  }

  destroy(): void {
    if (!this.destroyed) this.device.memory -= this.size;
    this.destroyed = true;
    this.unmap();
  }
}

type Command = () => void;

class FakeEncoder implements GpuEncoderLike {
  readonly commands: Command[] = [];
  readonly used = new Set<FakeBuffer>();
  readonly #device: FakeDevice;

  constructor(device: FakeDevice) {
    this.#device = device;
  }

  copyBufferToBuffer(
    source: GpuBufferLike,
    from: number,
    target: GpuBufferLike,
    to: number,
    size: number,
  ): void {
    const [a, b] = [this.#use(source, BufferUsage.COPY_SRC), this.#use(target, BufferUsage.COPY_DST)];
    const fits = from + size <= a.size && to + size <= b.size;
    if (a === b || !fits || (from | to | size) % 4) this.#device.report('validation', 'a wrong copy');
    this.commands.push(() => b.bytes.set(a.bytes.subarray(from, from + size), to));
  }

  beginComputePass(): GpuPassLike {
    const { limits } = this.#device;
    let kernel: FakeKernel | undefined;
    let group: { entries: readonly Binding[]; offset: number } | undefined;
    return {
      setPipeline: (pipeline) => {
        kernel = (pipeline as { kernel: FakeKernel }).kernel;
      },
      setBindGroup: (index, handle, offsets) => {
        if (index !== 0) return;
        const { entries } = handle as { entries: Binding[] };
        group = { entries, offset: [...(offsets ?? [])][0] ?? 0 };
        for (const { buffer } of entries) this.#use(buffer as FakeBuffer, 0);
      },
      dispatchWorkgroups: (x, y = 1) => {
        if (Math.max(x, y) > limits.maxComputeWorkgroupsPerDimension) {
          this.#device.report('validation', 'too many workgroups');
        }
        const [run, bound] = [kernel!, group!];
        const { spoil } = this.#device.options;
        this.commands.push(() => runKernel(run, bound.entries, bound.offset, spoil));
      },
      end() {},
    };
  }

  finish(): GpuHandle {
    return this;
  }

  /** A buffer that a command names: another device's, or one without the usage, is an error. */
  #use(buffer: GpuBufferLike, usage: number): FakeBuffer {
    if (!(buffer instanceof FakeBuffer)) throw new TypeError('not a GPUBuffer');
    if (buffer.device !== this.#device) this.#device.report('validation', 'buffer of another device');
    if ((buffer.usage & usage) !== usage) this.#device.report('validation', 'usage missing');
    this.used.add(buffer);
    return buffer;
  }
}

export class FakeDevice implements GpuDeviceLike {
  readonly options: FakeOptions;
  readonly limits: GpuLimitsLike;
  readonly adapterInfo = { vendor: 'fake', architecture: '', device: '', description: 'no GPU at all' };
  readonly queue: GpuQueueLike;
  readonly lost: Promise<{ reason: string; message: string }>;
  memory = 0;
  destroyed = false;
  #lose!: (loss: { reason: string; message: string }) => void;
  readonly #scopes: { readonly filter: GpuErrorFilterLike; error: { message: string } | null }[] = [];

  constructor(options: FakeOptions, limits: GpuLimitsLike) {
    this.options = options;
    this.limits = limits;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
    this.queue = {
      writeBuffer: (buffer, offset, data, start = 0, size = data.length - start) => {
        if (this.call('writeBuffer'))
          (buffer as FakeBuffer).bytes.set(data.subarray(start, start + size), offset);
      },
      submit: (encoders) => {
        if (!this.call('submit')) return;
        for (const encoder of encoders as FakeEncoder[]) {
          const bad = [...encoder.used].some(({ destroyed, mapped }) => destroyed || mapped);
          if (bad) return this.report('validation', 'a buffer is destroyed or mapped');
          for (const command of encoder.commands) command();
        }
      },
      onSubmittedWorkDone: async () => {
        await this.answer('onSubmittedWorkDone');
        return undefined;
      },
    };
  }

  /** Hands an error to the innermost scope for its kind. */
  report(filter: GpuErrorFilterLike, message: string): void {
    const scope = [...this.#scopes].reverse().find((open) => open.filter === filter);
    if (!scope) throw new Error(`nobody watches for ${filter}: ${message}`);
    scope.error ??= { message };
  }

  /** Lost like a device that is pulled out: calls do nothing, and only a moment later it says so. */
  lose(reason = 'unknown'): void {
    this.destroyed = true;
    setTimeout(() => this.#lose({ reason, message: 'pulled out' }), 1);
  }

  destroy(): void {
    this.lose('destroyed');
  }

  /** Whether a call that answers through error scopes takes effect. */
  call(name: string): boolean {
    if (this.destroyed) return false;
    const fault = this.options.fault?.(name);
    if (fault === 'throws') throw new Error(`${name} throws`);
    if (fault === 'loses') this.lose();
    else if (fault) this.report(fault, `${name} fails`);
    return !fault;
  }

  /** A call that answers through a promise. */
  async answer(name: string): Promise<void> {
    const fault = this.destroyed ? undefined : this.options.fault?.(name);
    if (fault === 'loses') this.lose();
    if (fault || this.destroyed) throw new Error(`${name} is refused`);
  }

  createBuffer({ size, usage }: { size: number; usage: number }): GpuBufferLike {
    if (size > this.limits.maxBufferSize) this.report('validation', `a buffer of ${size} bytes`);
    const tooMuch = this.memory + size > (this.options.memory ?? Number.POSITIVE_INFINITY);
    if (tooMuch) this.report('out-of-memory', `${size} bytes more`);
    const made = this.call('createBuffer') && !tooMuch;
    const buffer = new FakeBuffer(this, made ? size : 0, usage);
    this.memory += buffer.size;
    return buffer;
  }

  createShaderModule({ code }: { code: string }) {
    this.call('createShaderModule');
    return { code, getCompilationInfo: async () => ({ messages: [] }) };
  }

  createBindGroupLayout(): GpuHandle {
    this.call('createBindGroupLayout');
    return {};
  }

  createPipelineLayout(): GpuHandle {
    this.call('createPipelineLayout');
    return {};
  }

  async createComputePipelineAsync({ compute }: { compute: { entryPoint?: string } }): Promise<GpuHandle> {
    await this.answer('createComputePipelineAsync');
    return { kernel: compute.entryPoint as FakeKernel };
  }

  createBindGroup({ entries }: { entries: Iterable<{ binding: number; resource: GpuHandle }> }): GpuHandle {
    this.call('createBindGroup');
    const bound = [...entries].map(({ resource }) => resource as Binding);
    for (const { size = 0, offset = 0, buffer } of bound) {
      if (size > this.limits.maxStorageBufferBindingSize)
        this.report('validation', `a binding of ${size} bytes`);
      if (offset % 256 || offset + size > buffer.bytes.length) this.report('validation', 'a wrong binding');
    }
    return { entries: bound };
  }

  createCommandEncoder(): GpuEncoderLike {
    this.call('createCommandEncoder');
    return new FakeEncoder(this);
  }

  pushErrorScope(filter: GpuErrorFilterLike): void {
    this.#scopes.push({ filter, error: null });
  }

  async popErrorScope(): Promise<{ message: string } | null> {
    const { error } = this.#scopes.pop()!;
    await this.answer('popErrorScope');
    return error;
  }
}
