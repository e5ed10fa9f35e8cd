/** Poseidon as Plonky2 uses it. */
import { spongeKernels } from '../lib/goldilocks-sponge.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { poseidonPermutation } from '../lib/poseidon-plonky2.ts';

export const kernels: KernelSource = spongeKernels({
  width: 12,
  rate: 0,
  rateLanes: 8,
  permutation: poseidonPermutation,
});
