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
  /** For each contender. Three rounds are run in any case, of one that needs many times as long a single one. */
  readonly seconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Fewer show no spread. */
const LEAST_ROUNDS = 3;
/** One that has taken so many times the time allowed ends with fewer than three rounds. */
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

/** A contender with what it has done so far. */
interface Turns {
  readonly timed: Timed;
  readonly repeats: number;
  readonly samples: number[];
  spent: number;
}

/** Whether a contender has shown enough for its part of the time. */
function isDone({ samples, spent }: Turns, seconds: number): boolean {
  if (samples.length === 0) return false;
  return spent > (samples.length < LEAST_ROUNDS ? PATIENCE : 1) * seconds;
}

/**
 * Times contenders by turns. Each should have run before, so that nothing is loaded or compiled in a round.
 *
 * @returns a spread for each contender, in order; a slow one has fewer rounds.
 * @throws {CambiumError} `ABORTED`, and what a run throws.
 */
export async function timeByTurns(
  contenders: readonly Timed[],
  { seconds, signal }: TimingLimits,
): Promise<Spread[]> {
  const all: Turns[] = [];
  for (const timed of contenders) {
    throwIfAborted(signal);
    const once = await sample(timed, 1);
    const repeats = Math.max(1, Math.ceil(SAMPLE_SECONDS / Math.max(once, 1e-6)));
    all.push({ timed, repeats, samples: [], spent: once });
  }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (let turn = 0; turn < all.length; turn++) {
      throwIfAborted(signal);
      // Another one goes first in each round: what ran before leaves its marks on caches and clock.
      const now = all[(turn + round) % all.length]!;
      if (isDone(now, seconds)) continue;
      const took = await sample(now.timed, now.repeats);
      now.samples.push(took);
      now.spent += took * now.repeats;
    }
  }
  return all.map(({ samples }) => spreadOf(samples));
}
