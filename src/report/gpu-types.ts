/** The part of WebGPU that measuring needs beyond what hashing does. */
import type {
  GpuAdapterLike,
  GpuBufferLike,
  GpuDeviceLike,
  GpuHandle,
  GpuPassLike,
} from '../backend/gpu/types.js';

/** Where a pass leaves its timestamps. */
export interface TimestampWrites {
  readonly querySet: GpuHandle;
  readonly beginningOfPassWriteIndex: number;
  readonly endOfPassWriteIndex: number;
}

/** A `GPUCommandEncoder` that stamps. */
export interface StampingEncoder {
  beginComputePass(descriptor?: { timestampWrites?: TimestampWrites }): GpuPassLike;
  resolveQuerySet(set: GpuHandle, first: number, count: number, target: GpuBufferLike, offset: number): void;
}

/** A `GPUDevice` that stamps. */
export interface StampingDevice extends GpuDeviceLike {
  createQuerySet(descriptor: { type: 'timestamp'; count: number }): { destroy(): void };
}

/** A `GPUAdapter` that says what it can. */
export interface FeaturedAdapter extends GpuAdapterLike {
  readonly features: { has(name: string): boolean };
  requestDevice(descriptor?: {
    label?: string;
    requiredLimits?: Record<string, number>;
    requiredFeatures?: string[];
  }): Promise<GpuDeviceLike>;
}
