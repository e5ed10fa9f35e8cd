/** BLAKE2s on the CPU: one hash in 32-bit integers, or four in the lanes of vectors. */
import { family } from '../../src/hash/blake2s.ts';
import { blake2Builds } from '../lib/blake2.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { scalarWords, vectorWords } from '../lib/words32.ts';

export const kernels: KernelSource = { builds: blake2Builds(family, scalarWords, vectorWords) };
