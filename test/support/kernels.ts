/** WASM of field hashes, every build, on any Node. */
import { setFlagsFromString } from 'node:v8';
import { assemble } from '../../kernels/lib/assemble.ts';
import type { KernelSource } from '../../kernels/lib/kernel.ts';
import { wasmEngine } from '../../src/backend/cpu/recipe.ts';
import type { SyncEngine } from '../../src/backend/types.ts';
import type { ConstantsFor } from '../../src/hash/types.ts';

/** Compiles a module; where fused multiply-adds are behind a flag (Node before 22), the flag is set first. */
export function compile(text: string): WebAssembly.Module {
  const bytes = assemble(text);
  if (!WebAssembly.validate(bytes)) setFlagsFromString('--experimental-wasm-relaxed-simd');
  return new WebAssembly.Module(bytes);
}

/** Engines of all builds, by feature. */
export function enginesOf({ builds }: KernelSource, constants?: ConstantsFor): [string, SyncEngine][] {
  return builds.map(({ feature, text }) => [feature, wasmEngine(feature, compile(text), constants)]);
}
