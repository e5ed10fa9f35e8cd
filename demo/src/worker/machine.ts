import { createHasher } from 'cambium';
import type { Machine } from '../tasks.ts';

/** What the library finds here. */
export async function lookAround(): Promise<Machine> {
  const hasher = await createHasher('sha256');
  const { gpu, gpuRefused, cpu } = hasher.info;
  await hasher.close();
  return {
    ...(gpu && { gpu }),
    ...(gpuRefused !== undefined && { gpuRefused }),
    engine: cpu.engine,
    threads: cpu.threads + 1,
    isolated: crossOriginIsolated,
  };
}
