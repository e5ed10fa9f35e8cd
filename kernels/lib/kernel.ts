/** What each file of `kernels/hash/` exports as `kernels`. */
import type { WasmFeature } from '../../src/hash/types.ts';
import type { Passes } from './assemble.ts';

/** One way to build the kernels of a hash. */
export interface KernelBuild {
  readonly feature: WasmFeature;
  /** The module's text, with the exports that `CpuKernels` documents. */
  readonly text: string;
  /** Binaryen passes that were measured to help this build. */
  readonly passes: Passes;
}

export interface KernelSource {
  /** Best first. */
  readonly builds: readonly KernelBuild[];
  readonly native?: 'hashtree';
}
