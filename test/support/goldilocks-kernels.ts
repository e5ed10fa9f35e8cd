/** WASM of the Goldilocks field and hashes, every build, on any Node. */
import { setFlagsFromString } from 'node:v8';
import { assemble } from '../../kernels/lib/assemble.ts';
import type { KernelSource } from '../../kernels/lib/kernel.ts';
import { wasmEngine } from '../../src/backend/cpu/recipe.ts';
import type { SyncEngine } from '../../src/backend/types.ts';

/** Compiles a module; where fused multiply-adds are behind a flag (Node before 22), the flag is set first. */
export function compile(text: string): WebAssembly.Module {
  const bytes = assemble(text);
  if (!WebAssembly.validate(bytes)) setFlagsFromString('--experimental-wasm-relaxed-simd');
  return new WebAssembly.Module(bytes);
}

/** Engines of all builds, by feature. */
export function enginesOf({ builds }: KernelSource): [string, SyncEngine][] {
  return builds.map(({ feature, text }) => [feature, wasmEngine(feature, compile(text))]);
}

/** Canonical elements at the edges of carries and words. */
export const EDGES: readonly bigint[] = [
  0n,
  1n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 32n + 1n,
  2n ** 63n - 1n,
  2n ** 63n,
  2n ** 63n + 2n ** 31n,
  2n ** 64n - 2n ** 33n,
  2n ** 64n - 2n ** 32n - 1n,
  2n ** 64n - 2n ** 32n,
];
