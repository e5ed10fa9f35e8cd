/** BLAKE2b-256 on the CPU: one hash in 64-bit integers, or two in the lanes of vectors. */
import { family } from '../../src/hash/blake2b.ts';
import { blake2Builds } from '../lib/blake2.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { scalarWords64, vectorWords64 } from '../lib/words64.ts';

export const kernels: KernelSource = { builds: blake2Builds(family, scalarWords64, vectorWords64) };
