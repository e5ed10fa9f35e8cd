/** RPO with the capacity before the rate (miden-crypto until v0.20, Winterfell, the paper). */
import { type MidenModule, midenModule } from './miden-sponge.js';
import { rpoPermutation } from './rescue-prime.js';
import type { CpuKernels, GpuKernels } from './types.js';

export const reference: MidenModule = /* @__PURE__ */ midenModule(
  'rpo-capacity-first',
  rpoPermutation,
  'capacity-first',
);

/** See {@link MidenModule.hashInDomain}. */
export const hashInDomain: MidenModule['hashInDomain'] = reference.hashInDomain;

/** See {@link MidenModule.mergeInDomain}. */
export const mergeInDomain: MidenModule['mergeInDomain'] = reference.mergeInDomain;

/** See {@link MidenModule.mergeWithInt}. */
export const mergeWithInt: MidenModule['mergeWithInt'] = reference.mergeWithInt;

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/rpo-capacity-first.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/rpo-capacity-first.js');
