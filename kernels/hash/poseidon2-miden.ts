/** Poseidon2 in Miden's sponge. */
import { midenKernels } from '../lib/goldilocks-sponge.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { poseidon2Permutation } from '../lib/poseidon2-goldilocks.ts';

export const kernels: KernelSource = midenKernels(poseidon2Permutation, 'rate-first');
