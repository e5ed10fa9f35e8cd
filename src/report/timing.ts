/** Timing by turns: all contenders run in every round, so that a slow moment of the machine meets them all. */
import { throwIfAborted } from '../errors.js';
import type { Spread } from './types.js';

/** Something to be timed. */
export interface Timed {
  /** Makes ready what a run uses up; not timed. */
  prepare?(): Promise<void>;
  run(): Promise<unknown>;
}

/** How long to go on. */
export interface TimingLimits {
  /** After so many seconds no round is begun, but the first three are; of slow ones, only the first. */
  readonly seconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Fewer show no spread. */
const LEAST_ROUNDS = 3;
/** Where rounds take so many times the time allowed, one has to do. */
const PATIENCE = 4;
/** More show nothing new. */
const MOST_ROUNDS = 25;
/** Clocks of browsers go in steps of up to 0.1 ms, and a sample should be many steps long. */
const SAMPLE_SECONDS = 0.004;

/** The middle value; the mean of the two in the middle where there are two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Median and median absolute deviation; both withstand rounds in which something else had the machine. */
export function spreadOf(values: readonly number[]): Spread {
  const middle = median(values);
  return {
    median: middle,
    mad: median(values.map((value) => Math.abs(value - middle))),
    rounds: values.length,
  };
}

/** Seconds of one run, over as many runs as make a sample. */
async function sample({ prepare, run }: Timed, repeats: number): Promise<number> {
  let milliseconds = 0;
  if (prepare) {
    for (let i = 0; i < repeats; i++) {
      await prepare();
      const began = performance.now();
      await run();
      milliseconds += performance.now() - began;
    }
  } else {
    const began = performance.now();
    for (let i = 0; i < repeats; i++) await run();
    milliseconds = performance.now() - began;
  }
  return milliseconds / 1000 / repeats;
}

/**
 * Times contenders by turns. Each should have run before, so that nothing is loaded or
 * compiled in a round.
 *
 * @returns a spread for each contender, in order.
 * @throws {CambiumError} `ABORTED`, and what a run throws.
 */
export async function timeByTurns(
  contenders: readonly Timed[],
  { seconds, signal }: TimingLimits,
): Promise<Spread[]> {
  const began = performance.now();
  const repeats: number[] = [];
  for (const contender of contenders) {
    throwIfAborted(signal);
    repeats.push(Math.max(1, Math.ceil(SAMPLE_SECONDS / Math.max(await sample(contender, 1), 1e-6))));
  }
  const samples = contenders.map((): number[] => []);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const spent = (performance.now() - began) / 1000;
    if (round > 0 && spent > (round < LEAST_ROUNDS ? PATIENCE : 1) * seconds) break;
    for (let turn = 0; turn < contenders.length; turn++) {
      throwIfAborted(signal);
      // Another one goes first in each round: what ran before leaves its marks on caches and clock.
      const at = (turn + round) % contenders.length;
      samples[at]!.push(await sample(contenders[at]!, repeats[at]!));
    }
  }
  return samples.map(spreadOf);
}
