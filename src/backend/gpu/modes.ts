/** What a run is told to make do with on the GPU. */
import { modeWords } from '../modes.js';
import type { GpuLimitsLike } from './types.js';

/** What WebGPU guarantees everywhere. */
const DEFAULT: GpuLimitsLike = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxComputeWorkgroupsPerDimension: 65_535,
};

/** Less than any device has, so that jobs of some thousand leaves are cut in many dispatches and chunks. */
const TINY: GpuLimitsLike = {
  maxBufferSize: 2 ** 20,
  maxStorageBufferBindingSize: 2 ** 18,
  maxComputeWorkgroupsPerDimension: 3,
};

/**
 * The limits to plan with: those of the device, unless the environment variable `CAMBIUM_GPU` says `default-limits`
 * or `tiny-limits`.
 */
export function planningLimits(device: GpuLimitsLike): GpuLimitsLike {
  const words = modeWords('CAMBIUM_GPU');
  const most = words.has('tiny-limits') ? TINY : words.has('default-limits') ? DEFAULT : device;
  const least = (name: keyof GpuLimitsLike): number => Math.min(device[name], most[name]);
  return {
    maxBufferSize: least('maxBufferSize'),
    maxStorageBufferBindingSize: least('maxStorageBufferBindingSize'),
    maxComputeWorkgroupsPerDimension: least('maxComputeWorkgroupsPerDimension'),
  };
}
