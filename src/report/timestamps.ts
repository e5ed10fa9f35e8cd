/** What a GPU's timestamps are worth. Drivers hand out zeros, clocks that run backwards, and steps of 65 microseconds. */

/** Begin and end of a compute pass, nanoseconds of the device's clock. */
export type PassStamps = readonly [begin: bigint, end: bigint];

/** Kernel time, or why it is not known. */
export type KernelTime = { readonly seconds: number } | { readonly refused: string };

/** A sum shorter than so many steps of the clock says little. */
const LEAST_STEPS = 20;
/** Steps below this are no quantisation but the clock itself. */
const COARSE_NS = 1000;
/** Host and device clocks may differ a little. */
const SLACK = 1.05;

/**
 * Time in the passes of a job.
 *
 * @param wallSeconds time of the whole job by the host's clock; passes of one queue cannot take longer.
 */
export function kernelTime(passes: readonly PassStamps[], wallSeconds: number): KernelTime {
  if (passes.length === 0) return { refused: 'no pass was stamped' };
  let sum = 0;
  for (const [begin, end] of passes) {
    if (begin === 0n || end === 0n) return { refused: `a pass has the stamps (${begin}, ${end})` };
    if (end < begin) return { refused: `the clock runs backwards: (${begin}, ${end})` };
    sum += Number(end - begin);
  }
  const step = clockStep(passes.flat());
  // The error of a pass is a step; errors of many passes cancel out in part.
  if (step >= COARSE_NS && sum < LEAST_STEPS * step * Math.sqrt(passes.length)) {
    return { refused: `too short for a clock with steps of ${step / 1000} us` };
  }
  if (sum === 0) return { refused: 'all passes take no time at all' };
  const seconds = sum / 1e9;
  if (seconds > SLACK * wallSeconds) {
    return { refused: `the passes take ${seconds} s, but the whole job ${wallSeconds} s` };
  }
  return { seconds };
}

/** The largest number of nanoseconds that divides all stamps. */
function clockStep(stamps: readonly bigint[]): number {
  let step = 0n;
  for (let stamp of stamps) {
    while (stamp) [step, stamp] = [stamp, step % stamp];
  }
  return Number(step);
}
