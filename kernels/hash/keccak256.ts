/** Keccak-256 on the CPU: one hash in 64-bit integers, or two in the lanes of vectors. */
import { SUFFIX } from '../../src/hash/keccak256.ts';
import { keccakBuilds } from '../lib/keccak.ts';
import type { KernelSource } from '../lib/kernel.ts';

export const kernels: KernelSource = { builds: keccakBuilds(SUFFIX) };
