/** The hashers of one hash that are measured against each other. */

import { platform } from '#platform';
import { CambiumError, hasCode } from '../errors.js';
import type { HashId } from '../hash/registry.js';
import { createHasher, type Hasher, type HasherOptions } from '../hasher.js';
import { describeCpu } from './describe.js';
import type { GpuClock } from './gpu-clock.js';
import type { HashReport, LaneId, ReportFailure } from './types.js';

/** One way to compute a hash. */
export interface Lane {
  readonly id: LaneId;
  readonly hasher: Hasher;
}

/** All lanes in their order. */
export const LANES: readonly LaneId[] = ['cpu-1', 'cpu-all', 'gpu'];

/** What is open for one hash. */
export interface OpenLanes {
  readonly lanes: readonly Lane[];
  readonly failures: readonly ReportFailure[];
  close(): Promise<void>;
}

/** How a lane is opened; undefined where this machine has no such lane. */
function laneOptions(id: LaneId, clock: GpuClock | undefined): HasherOptions | undefined {
  if (id === 'cpu-1') return { backend: 'cpu', threads: 0 };
  if (id === 'cpu-all') return platform.cores > 1 ? { backend: 'cpu' } : undefined;
  return clock && { backend: 'gpu', threads: 0, gpu: clock.device };
}

/** Opens the wanted lanes of a hash; a GPU that refuses the hash is a failure that is reported, not thrown. */
export async function openLanes(
  hash: HashId,
  wanted: readonly LaneId[],
  clock: GpuClock | undefined,
): Promise<OpenLanes> {
  const lanes: Lane[] = [];
  const failures: ReportFailure[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(lanes.map(({ hasher }) => hasher.close()));
  };
  try {
    for (const id of LANES) {
      const options = wanted.includes(id) ? laneOptions(id, clock) : undefined;
      if (!options) continue;
      try {
        lanes.push({ id, hasher: await createHasher(hash, { crossCheck: 'off', ...options }) });
      } catch (error) {
        if (id !== 'gpu' || !hasCode(error, 'BACKEND_UNAVAILABLE')) throw error;
        failures.push({ lane: id, reason: (error as Error).message });
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { lanes, failures, close };
}

/** Engines by lane. */
export function enginesOf(lanes: readonly Lane[], adapter: string): HashReport['lanes'] {
  return lanes.map(({ id, hasher }) => ({
    lane: id,
    engine: id === 'gpu' ? adapter : describeCpu(hasher.info),
  }));
}

/** Whether an error is about the device, and so no reason to lose what else was measured. */
export function isDeviceFailure(error: unknown): error is CambiumError {
  return error instanceof CambiumError && !['ABORTED', 'CROSS_CHECK_MISMATCH'].includes(error.code);
}
