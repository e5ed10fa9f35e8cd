/** Poseidon2 in Miden's sponge (miden-crypto from v0.24 on). */
import { type MidenModule, midenModule } from './miden-sponge.js';
import { poseidon2Permutation } from './poseidon2-goldilocks.js';
import type { CpuKernels, GpuKernels } from './types.js';

export const reference: MidenModule = /* @__PURE__ */ midenModule(
  'poseidon2-miden',
  poseidon2Permutation,
  'rate-first',
);

/** See {@link MidenModule.hashInDomain}. */
export const hashInDomain: MidenModule['hashInDomain'] = reference.hashInDomain;

/** See {@link MidenModule.mergeInDomain}. */
export const mergeInDomain: MidenModule['mergeInDomain'] = reference.mergeInDomain;

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/poseidon2-miden.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/poseidon2-miden.js');
