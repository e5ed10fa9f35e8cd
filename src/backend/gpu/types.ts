/**
 * The part of WebGPU that this library uses, as structural types of its own: a browser's objects, Dawn's and wgpu's
 * fit them, and so does a fake. Public declarations name these, because a global `GPUDevice` exists only where an
 * application brings its types.
 */

/** A WebGPU entry point: `navigator.gpu`, or what Dawn's `create` returns. */
export interface GpuLike {
  requestAdapter(options?: {
    powerPreference?: 'low-power' | 'high-performance';
  }): Promise<GpuAdapterLike | null>;
}

/** What an adapter says of itself; all of it may be empty. */
export interface GpuAdapterInfoLike {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  readonly isFallbackAdapter?: boolean;
}

/** Limits that plans depend on. */
export interface GpuLimitsLike {
  readonly maxBufferSize: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
}

/** A `GPUAdapter`. */
export interface GpuAdapterLike {
  readonly info?: GpuAdapterInfoLike;
  readonly isFallbackAdapter?: boolean;
  readonly limits: GpuLimitsLike;
  requestDevice(descriptor?: {
    label?: string;
    requiredLimits?: Record<string, number>;
  }): Promise<GpuDeviceLike>;
}

/** A `GPUBuffer`. */
export interface GpuBufferLike {
  readonly size: number;
  readonly usage: number;
  mapAsync(mode: number, offset?: number, size?: number): Promise<void>;
  getMappedRange(offset?: number, size?: number): ArrayBuffer;
  unmap(): void;
  destroy(): void;
}

/** Whether a value looks like a `GPUBuffer`; what it really is, the device says. */
export function isGpuBuffer(value: unknown): value is GpuBufferLike {
  if (typeof value !== 'object' || value === null || !('mapAsync' in value && 'size' in value)) return false;
  return Number.isSafeInteger(value.size) && Number(value.size) >= 0;
}

/** An object that is only handed on. */
export type GpuHandle = object;

/** A `GPUComputePassEncoder`. */
export interface GpuPassLike {
  setPipeline(pipeline: GpuHandle): void;
  setBindGroup(index: number, group: GpuHandle | null | undefined, dynamicOffsets?: Iterable<number>): void;
  dispatchWorkgroups(x: number, y?: number): void;
  end(): void;
}

/** A `GPUCommandEncoder`. */
export interface GpuEncoderLike {
  beginComputePass(): GpuPassLike;
  copyBufferToBuffer(
    source: GpuBufferLike,
    sourceOffset: number,
    target: GpuBufferLike,
    targetOffset: number,
    size: number,
  ): void;
  finish(): GpuHandle;
}

/** A `GPUQueue`. */
export interface GpuQueueLike {
  writeBuffer(
    buffer: GpuBufferLike,
    offset: number,
    data: Uint8Array<ArrayBuffer>,
    dataOffset?: number,
    size?: number,
  ): void;
  submit(commands: Iterable<GpuHandle>): void;
  onSubmittedWorkDone(): Promise<void>;
}

/** A `GPUShaderModule`. */
export interface GpuShaderModuleLike {
  getCompilationInfo(): Promise<{
    readonly messages: readonly {
      readonly type: string;
      readonly message: string;
      readonly lineNum: number;
    }[];
  }>;
}

/** What an error scope holds. */
export type GpuErrorFilterLike = 'validation' | 'out-of-memory' | 'internal';

/** A `GPUDevice`. */
export interface GpuDeviceLike {
  readonly limits: GpuLimitsLike;
  readonly adapterInfo?: GpuAdapterInfoLike;
  readonly queue: GpuQueueLike;
  readonly lost: Promise<{ readonly reason?: string; readonly message: string }>;
  createBuffer(descriptor: { label: string; size: number; usage: number }): GpuBufferLike;
  createShaderModule(descriptor: { label: string; code: string }): GpuShaderModuleLike;
  createBindGroupLayout(descriptor: {
    label: string;
    entries: {
      binding: number;
      visibility: number;
      buffer: { type: 'read-only-storage' | 'storage' | 'uniform'; hasDynamicOffset?: boolean };
    }[];
  }): GpuHandle;
  createPipelineLayout(descriptor: {
    label?: string;
    bindGroupLayouts: Iterable<GpuHandle | null | undefined>;
  }): GpuHandle;
  createComputePipelineAsync(descriptor: {
    label?: string;
    layout: GpuHandle | 'auto';
    compute: { module: GpuHandle; entryPoint?: string };
  }): Promise<GpuHandle>;
  createBindGroup(descriptor: {
    label?: string;
    layout: GpuHandle;
    entries: Iterable<{ binding: number; resource: GpuHandle }>;
  }): GpuHandle;
  createCommandEncoder(descriptor: { label: string }): GpuEncoderLike;
  pushErrorScope(filter: GpuErrorFilterLike): void;
  popErrorScope(): Promise<{ readonly message: string } | null>;
  destroy(): void;
}

/** Bits of `GPUBufferUsage`, which is no global in Node. */
export const BufferUsage: {
  readonly MAP_READ: 0x1;
  readonly COPY_SRC: 0x4;
  readonly COPY_DST: 0x8;
  readonly UNIFORM: 0x40;
  readonly STORAGE: 0x80;
} = { MAP_READ: 0x1, COPY_SRC: 0x4, COPY_DST: 0x8, UNIFORM: 0x40, STORAGE: 0x80 };

/** `GPUMapMode.READ`. */
export const MAP_READ = 0x1;

/** `GPUShaderStage.COMPUTE`. */
export const COMPUTE_STAGE = 0x4;
