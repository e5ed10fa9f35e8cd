/**
 * Everything under `src/generated/`: linked WGSL, assembled WASM and the inlined worker, as ES modules.
 * Runs before each build and test; nothing it writes is kept in git.
 */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateCpuKernels } from './generate/cpu.ts';
import { generateGpuKernels } from './generate/gpu.ts';
import { generateWorker } from './generate/worker.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(`${root}/src/generated`, { recursive: true });
await Promise.all([generateGpuKernels(root), generateCpuKernels(root), generateWorker(root)]);
