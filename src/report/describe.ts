/** What hashes, in words. */
import type { GpuAdapterInfo } from '../backend/gpu/adapter.js';
import type { HasherInfo } from '../hasher-types.js';

/** The CPU side. */
export function describeCpu({ cpu }: Pick<HasherInfo, 'cpu'>): string {
  // The library counts the workers beside the caller.
  return cpu.threads ? `${cpu.engine}, ${cpu.threads + 1} threads` : `${cpu.engine}, 1 thread`;
}

/** The GPU side, software adapters named as such; undefined without one. */
export function describeGpu({ gpu }: { readonly gpu?: GpuAdapterInfo }): string | undefined {
  if (!gpu) return undefined;
  const name = [gpu.vendor, gpu.architecture, gpu.description || gpu.device].filter(Boolean).join(' ');
  return gpu.software ? `${name} (software, no GPU)` : name || 'GPU of a browser that hides its name';
}
