/** RPX with the capacity behind the rate (miden-crypto from v0.21 on). */
import { type MidenModule, midenModule } from './miden-sponge.js';
import { rpxPermutation } from './rescue-prime.js';
import type { CpuKernels, GpuKernels } from './types.js';

export const reference: MidenModule = /* @__PURE__ */ midenModule('rpx', rpxPermutation, 'rate-first');

/** See {@link MidenModule.hashInDomain}. */
export const hashInDomain: MidenModule['hashInDomain'] = reference.hashInDomain;

/** See {@link MidenModule.mergeInDomain}. */
export const mergeInDomain: MidenModule['mergeInDomain'] = reference.mergeInDomain;

/** See {@link MidenModule.mergeWithInt}. */
export const mergeWithInt: MidenModule['mergeWithInt'] = reference.mergeWithInt;

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/rpx.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/rpx.js');
