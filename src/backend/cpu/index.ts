/** The CPU backend: native code, WASM or reference, on the caller's thread and in workers. */
import { platform } from '#platform';
import type { HashModule, HashSpec } from '../../hash/types.js';
import type { SyncEngine } from '../types.js';
import { CpuBackend } from './backend.js';
import { type EngineOptions, openEngine } from './engine.js';
import { cpuModes } from './modes.js';
import { acquirePool, type Pool, releasePool } from './pool.js';

/** How to open the backend; what is absent follows the machine and `CAMBIUM_CPU`. */
export interface CpuOptions {
  /** Workers beside the caller; 0 for none. Default: one less than there are cores, in a browser window at least one. */
  readonly threads?: number;
  /** What the engine may use; default everything that this machine has. */
  readonly engine?: Partial<EngineOptions>;
  /** A pool of one's own instead of the shared one; it is not closed with the backend. */
  readonly pool?: Pool;
}

export interface OpenedCpu {
  readonly backend: CpuBackend;
  readonly engine: SyncEngine;
  /** Workers that may take part: 0 for an engine that cannot be sent to them. */
  readonly threads: number;
}

/**
 * Opens one hash on the CPU. Workers start with the first job that is worth it.
 *
 * @throws {CambiumError} `KERNEL_SELF_TEST` when every build of the kernels computes something wrong.
 */
export async function openCpuBackend(
  spec: HashSpec,
  module: HashModule,
  options: CpuOptions = {},
): Promise<OpenedCpu> {
  const modes = cpuModes();
  const { features = modes.features, native = modes.native } = options.engine ?? {};
  const { engine, recipe, constants, nanos } = await openEngine(spec, module, { features, native });
  const wanted = options.threads ?? Math.max(platform.cores - 1, platform.isWindow ? 1 : 0);
  const allowed = options.pool?.threads ?? (modes.threads ? wanted : 0);
  const threads = recipe ? allowed : 0;
  const workers = recipe && threads > 0 ? join(options.pool ?? acquirePool(threads)) : undefined;
  return {
    backend: new CpuBackend({
      engine,
      nanos,
      messageBlocks: module.messageBlocks,
      input: spec.input,
      workers,
    }),
    engine,
    threads,
  };

  function join(pool: Pool) {
    // One engine a set of constants: rows of another length may need others than pairs.
    const keys = new Map([[recipe!.constants, pool.addEngine(recipe!)]]);
    const keyFor = (rowElements: number): number => {
      const own = constants?.(rowElements);
      const known = keys.get(own);
      if (known !== undefined) return known;
      const key = pool.addEngine({ ...recipe!, ...(own && { constants: own }) });
      keys.set(own, key);
      return key;
    };
    const release = (): void => {
      for (const key of keys.values()) pool.dropEngine(key);
      if (!options.pool) releasePool(pool);
    };
    return { pool, keyFor, release };
  }
}
