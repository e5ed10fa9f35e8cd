/** Poseidon2 in Miden's sponge, in the domain of the leaves of sparse trees. */
import { LEAF_DOMAIN } from '../../src/hash/poseidon2-miden-leaf.ts';
import { midenKernels } from '../lib/goldilocks-sponge.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { poseidon2Permutation } from '../lib/poseidon2-goldilocks.ts';

export const kernels: KernelSource = midenKernels(poseidon2Permutation, 'rate-first', Number(LEAF_DOMAIN));
