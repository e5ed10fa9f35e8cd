/** RPX with the capacity before the rate. */
import { midenKernels } from '../lib/goldilocks-sponge.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { rpxPermutation } from '../lib/rescue-prime.ts';

export const kernels: KernelSource = midenKernels(rpxPermutation, 'capacity-first');
