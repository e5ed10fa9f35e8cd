/** Where the time of a GPU run goes. */
import type { Hasher } from '../hasher.js';
import type { GpuClock } from './gpu-clock.js';
import { kernelTime } from './timestamps.js';
import { spreadOf, timeByTurns } from './timing.js';
import { openTransfers } from './transfers.js';
import type { Phases, Spread } from './types.js';

/** Runs with stamps; one where a run takes long. */
const STAMPED_ROUNDS = 3;
const SLOW_SECONDS = 1;
/** For the transfers of a point. */
const TRANSFER_SECONDS = 0.05;

/** A run that has been timed as a whole. */
export interface PhasedRun {
  readonly hasher: Hasher;
  run(): Promise<unknown>;
  readonly total: Spread;
  readonly signal: AbortSignal | undefined;
}

/** Kernel time by the device's clock; in rounds of their own, so that stamps cost the total nothing. */
async function kernelPhase(
  clock: GpuClock,
  { run, total }: PhasedRun,
): Promise<Pick<Phases, 'kernel' | 'kernelRefused'>> {
  const rounds = total.median > SLOW_SECONDS ? 1 : STAMPED_ROUNDS;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    const passes = await clock.stamp(run);
    const wall = (performance.now() - began) / 1000;
    const time = clock.timestamps
      ? kernelTime(passes, wall)
      : { refused: 'the device offers no timestamp queries' };
    if ('refused' in time) return { kernelRefused: time.refused };
    times.push(time.seconds);
  }
  return { kernel: spreadOf(times) };
}

/** Measures kernel, upload and readback of a run, each for itself. */
export async function measurePhases(clock: GpuClock, timed: PhasedRun): Promise<Phases> {
  const { hasher, signal } = timed;
  const before = hasher.info.counters;
  let runs = 0;
  const run = (): Promise<unknown> => {
    runs++;
    return timed.run();
  };
  const kernel = await kernelPhase(clock, { ...timed, run });
  const after = hasher.info.counters;
  const bytesUp = (after.bytesUp - before.bytesUp) / runs;
  const bytesDown = (after.bytesDown - before.bytesDown) / runs;
  const transfers = openTransfers(clock.device, bytesUp, bytesDown);
  try {
    const [upload, readback] = await timeByTurns([transfers.upload, transfers.readback], {
      seconds: TRANSFER_SECONDS,
      signal,
    });
    return { ...kernel, upload: upload!, readback: readback!, bytesUp, bytesDown };
  } finally {
    transfers.close();
  }
}
