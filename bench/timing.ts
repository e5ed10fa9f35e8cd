/** Interleaved timing: every contender of a case runs in every round, so that a slow moment hits all of them. */

/** One way to do a case's work. */
export interface Contender {
  readonly name: string;
  /** What must be there before each `run`, not timed; a promise is awaited. */
  prepare?(): unknown;
  /** Does the work once; a promise is awaited. */
  run(): unknown;
  /** What the last `run` made, to be compared before anything is timed. */
  output(): Uint8Array | Promise<Uint8Array>;
}

export interface Timing {
  /** Seconds per run. */
  readonly median: number;
  /** Median absolute deviation of the rounds, seconds. */
  readonly mad: number;
}

/** A sample shorter than this is mostly clock and call. */
const SAMPLE_SECONDS = 0.02;
const ROUNDS = 15;
const WARM_UP_SECONDS = 0.5;

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

async function seconds(contender: Contender, repeats: number): Promise<number> {
  if (contender.prepare) return await secondsOfPrepared(contender, repeats);
  const began = performance.now();
  for (let i = 0; i < repeats; i++) {
    const running = contender.run();
    // Awaiting what is no promise would charge a synchronous contender for a turn of the queue.
    if (running instanceof Promise) await running;
  }
  return (performance.now() - began) / 1000 / repeats;
}

/** The same for runs that each need a preparation: the clock stands still meanwhile. */
async function secondsOfPrepared(contender: Contender, repeats: number): Promise<number> {
  let took = 0;
  for (let i = 0; i < repeats; i++) {
    await contender.prepare!();
    const began = performance.now();
    await contender.run();
    took += performance.now() - began;
  }
  return took / 1000 / repeats;
}

/**
 * Times contenders against each other.
 *
 * @throws {Error} when two of them disagree: a wrong answer has no speed.
 */
export async function timeInterleaved(contenders: readonly Contender[]): Promise<Map<string, Timing>> {
  const repeats = new Map<string, number>();
  let expected: Uint8Array | undefined;
  for (const contender of contenders) {
    await contender.prepare?.();
    await contender.run();
    const output = await contender.output();
    if (expected && Buffer.compare(expected, output)) {
      throw new Error(`${contender.name} and ${contenders[0]!.name} disagree`);
    }
    expected = output.slice();
    let each = await seconds(contender, 1);
    for (let spent = each; spent < WARM_UP_SECONDS; spent += each) each = await seconds(contender, 1);
    repeats.set(contender.name, Math.max(1, Math.ceil(SAMPLE_SECONDS / each)));
  }
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    // Another one goes first in each round: what ran before leaves its marks on caches and clock.
    const order = contenders.map((_, i) => contenders[(i + round) % contenders.length]!);
    for (const contender of order) {
      samples.get(contender.name)!.push(await seconds(contender, repeats.get(contender.name)!));
    }
  }
  return new Map(
    [...samples].map(([name, values]) => {
      const middle = median(values);
      return [name, { median: middle, mad: median(values.map((value) => Math.abs(value - middle))) }];
    }),
  );
}
