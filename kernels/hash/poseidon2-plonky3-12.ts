/** Plonky3's Poseidon2 of width 12. */
import { spongeKernels } from '../lib/goldilocks-sponge.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { poseidon2Permutation } from '../lib/poseidon2-goldilocks.ts';

export const kernels: KernelSource = spongeKernels({
  width: 12,
  rate: 0,
  rateLanes: 8,
  permutation: poseidon2Permutation,
});
