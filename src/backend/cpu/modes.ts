/** What a run is told not to use: how the test suite reaches every path on one machine. */
import type { WasmFeature } from '../../hash/types.js';

export interface CpuModes {
  readonly features: readonly WasmFeature[];
  readonly native: boolean;
  readonly threads: boolean;
}

declare const process: { readonly env?: Readonly<Record<string, string | undefined>> } | undefined;

/**
 * Reads the environment variable `CAMBIUM_CPU`: a comma list out of `no-simd`, `no-scalar`, `no-native`, `no-threads`.
 * Without SIMD and scalar code the reference does the work. Everything is allowed where there is no environment.
 */
export function cpuModes(): CpuModes {
  const text = typeof process === 'object' ? process?.env?.CAMBIUM_CPU : undefined;
  const off = new Set(text?.split(',') ?? []);
  const features: WasmFeature[] = [];
  if (!off.has('no-simd')) features.push('relaxed-simd', 'simd');
  if (!off.has('no-scalar')) features.push('scalar');
  return { features, native: !off.has('no-native'), threads: !off.has('no-threads') };
}
