/** RPO with the capacity behind the rate. */
import { midenKernels } from '../lib/goldilocks-sponge.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { rpoPermutation } from '../lib/rescue-prime.ts';

export const kernels: KernelSource = midenKernels(rpoPermutation, 'rate-first');
