/** What a run is told not to use on the CPU. */
import type { WasmFeature } from '../../hash/types.js';
import { modeWords } from '../modes.js';

export interface CpuModes {
  readonly features: readonly WasmFeature[];
  readonly native: boolean;
  readonly threads: boolean;
}

/**
 * Reads the environment variable `CAMBIUM_CPU`: a comma list out of `no-simd`, `no-scalar`, `no-native`, `no-threads`.
 * Without SIMD and scalar code the reference does the work. Everything is allowed where there is no environment.
 */
export function cpuModes(): CpuModes {
  const off = modeWords('CAMBIUM_CPU');
  const features: WasmFeature[] = [];
  if (!off.has('no-simd')) features.push('relaxed-simd', 'simd');
  if (!off.has('no-scalar')) features.push('scalar');
  return { features, native: !off.has('no-native'), threads: !off.has('no-threads') };
}
