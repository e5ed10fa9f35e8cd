/** Plonky3's Poseidon2 of width 8, rate 4. */
import { plonky3Module } from './plonky3-sponge.js';
import type { CpuKernels, GpuKernels, HashModule } from './types.js';

export const reference: HashModule = /* @__PURE__ */ plonky3Module('poseidon2-plonky3-8', 8);

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/poseidon2-plonky3-8.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/poseidon2-plonky3-8.js');
