/** One hash over all sizes that its share of the time allows. */
import { equalBytes } from '../bytes.js';
import { CambiumError, throwIfAborted } from '../errors.js';
import type { HashId } from '../hash/registry.js';
import { crossoverOf, nextSize } from './crossover.js';
import type { GpuClock } from './gpu-clock.js';
import { testDigests } from './input.js';
import { enginesOf, isDeviceFailure, type Lane, openLanes } from './lanes.js';
import { measurePhases } from './phases.js';
import { timeByTurns } from './timing.js';
import type { HashReport, LaneId, ReportFailure, ReportOptions, ReportPoint } from './types.js';
import { bytesOf, WORKS, type Work } from './works.js';

/** What the hashes of one report share. */
export interface MeasureContext {
  readonly wanted: readonly LaneId[];
  readonly sizes: readonly number[];
  /** Absent without a GPU. */
  readonly clock: GpuClock | undefined;
  /** The GPU in words. */
  readonly adapter: string;
  readonly signal: AbortSignal | undefined;
  readonly onPoint?: ReportOptions['onPoint'] | undefined;
}

/** Runs of a point before it is timed, while it is timed, and with stamps. */
const RUNS_OF_A_POINT = 8;
/** Points of all lanes that the time of a hash is meant for. */
const POINTS = 40;
const POINT_SECONDS = { least: 0.02, most: 0.5 };
/** A layer of so many digests tells how slow a hash is. */
const PROBE_LEAVES = 16;
/** Sizes between two powers of two that the search for the crossover may ask for. */
const SEARCH_STEPS = 4;

class HashMeasurement {
  readonly #hash: HashId;
  readonly #context: MeasureContext;
  /** Those that still work. */
  #lanes: readonly Lane[];
  readonly #laneSeconds: number;
  #sizes: readonly number[];
  readonly #pointSeconds: number;
  /** By lane, so that a slow one does not use up the time of the others. */
  readonly #spent = new Map<LaneId, number>();
  readonly points: ReportPoint[] = [];
  readonly failures: ReportFailure[] = [];

  constructor(hash: HashId, context: MeasureContext, lanes: readonly Lane[], seconds: number) {
    this.#hash = hash;
    this.#context = context;
    this.#lanes = lanes;
    this.#laneSeconds = seconds / lanes.length;
    this.#sizes = context.sizes;
    const { least, most } = POINT_SECONDS;
    this.#pointSeconds = Math.min(most, Math.max(least, seconds / POINTS));
  }

  async run(): Promise<void> {
    this.#sizes = await this.#sizesThatFit();
    for (const size of this.#sizes) for (const work of WORKS) await this.#point(work, size);
    for (const work of WORKS) {
      for (let step = 0; step < SEARCH_STEPS; step++) {
        const size = nextSize(crossoverOf(this.points, work.kind));
        if (size === undefined || !(await this.#point(work, size))) break;
      }
    }
  }

  /** Whether a lane can measure a size in its part of the time that is left; the first size always is. */
  #able(lane: LaneId, { kind, hashes }: Work, leaves: number): boolean {
    const known = this.points.filter((point) => point.work === kind && point.lane === lane);
    const last = known
      .filter((point) => point.leaves <= leaves)
      .sort((a, b) => a.leaves - b.leaves)
      .at(-1);
    if (!last) return known.length === 0 && leaves === this.#sizes[0];
    const expected = (last.total.median * hashes(leaves)) / last.hashes;
    return this.#cost(expected) < this.#laneSeconds - (this.#spent.get(lane) ?? 0);
  }

  /** The sizes that are wanted, with smaller ones before them where a hash is too slow for the first. */
  async #sizesThatFit(): Promise<readonly number[]> {
    const { sizes, signal } = this.#context;
    const cpu = this.#lanes.find(({ id }) => id !== 'gpu');
    const first = sizes[0]!;
    if (!cpu || first <= PROBE_LEAVES) return sizes;
    const [layer] = WORKS;
    const run = layer!.runner(cpu.hasher, testDigests(PROBE_LEAVES), signal);
    await run();
    const began = performance.now();
    await run();
    const expected = ((performance.now() - began) / 1000) * (first / PROBE_LEAVES);
    if (this.#cost(expected) < this.#laneSeconds / WORKS.length) return sizes;
    const smaller: number[] = [];
    for (let size = PROBE_LEAVES; size < first; size *= 4) smaller.push(size);
    return [...smaller, ...sizes];
  }

  /** What a point takes, by the time of a run. */
  #cost(runSeconds: number): number {
    return Math.max(RUNS_OF_A_POINT * runSeconds, this.#pointSeconds);
  }

  /** Measures one size on all lanes that can; false where none could. A GPU that fails takes no further part. */
  async #point(work: Work, leaves: number): Promise<boolean> {
    throwIfAborted(this.#context.signal);
    const able = this.#lanes.filter(({ id }) => this.#able(id, work, leaves));
    if (able.length === 0) return false;
    try {
      const points = await this.#measure(work, leaves, able);
      this.points.push(...points);
      for (const point of points) this.#context.onPoint?.(this.#hash, point);
      return true;
    } catch (error) {
      if (!isDeviceFailure(error) || !able.some(({ id }) => id === 'gpu')) throw error;
      this.failures.push({ lane: 'gpu', reason: `${error.code}: ${error.message}` });
      this.#lanes = this.#lanes.filter(({ id }) => id !== 'gpu');
      return await this.#point(work, leaves);
    }
  }

  async #measure(work: Work, leaves: number, able: readonly Lane[]): Promise<ReportPoint[]> {
    const { signal, clock } = this.#context;
    const points: ReportPoint[] = [];
    const input = testDigests(leaves);
    const runs = able.map(({ id, hasher }) => ({ id, hasher, run: work.runner(hasher, input, signal) }));
    await this.#check(work, leaves, runs);
    const spreads = await timeByTurns(runs, { seconds: this.#pointSeconds, signal });
    for (const [i, { id, hasher, run }] of runs.entries()) {
      const total = spreads[i]!;
      const phases =
        id === 'gpu' && clock ? await measurePhases(clock, { hasher, run, total, signal }) : undefined;
      this.#spent.set(id, (this.#spent.get(id) ?? 0) + this.#cost(total.median));
      const hashes = work.hashes(leaves);
      const bytes = bytesOf(leaves);
      const point = { work: work.kind, lane: id, leaves, hashes, bytes, total, ...(phases && { phases }) };
      points.push(point);
    }
    return points;
  }

  /** A wrong answer has no speed. */
  async #check(
    { kind }: Work,
    leaves: number,
    runs: readonly { readonly id: LaneId; run(): Promise<Uint8Array> }[],
  ): Promise<void> {
    let first: { id: LaneId; output: Uint8Array } | undefined;
    for (const { id, run } of runs) {
      const output = await run();
      if (first && !equalBytes(first.output, output)) {
        throw new CambiumError(
          'CROSS_CHECK_MISMATCH',
          `${id} and ${first.id} disagree on a ${kind} of ${leaves}`,
        );
      }
      first ??= { id, output };
    }
  }
}

/**
 * Measures one hash for about so many seconds; the smallest size is measured in any case.
 *
 * @throws {CambiumError} `ABORTED`; `CROSS_CHECK_MISMATCH` where two lanes disagree.
 */
export async function measureHash(
  hash: HashId,
  context: MeasureContext,
  seconds: number,
): Promise<HashReport> {
  const { wanted, clock, adapter } = context;
  const opened = await openLanes(hash, wanted, clock);
  try {
    const { lanes } = opened;
    const measurement = new HashMeasurement(hash, context, lanes, seconds);
    await measurement.run();
    const { points, failures } = measurement;
    const [layer, tree] = [crossoverOf(points, 'layer'), crossoverOf(points, 'tree')];
    return {
      hash,
      lanes: enginesOf(lanes, adapter),
      compile: clock?.takeCompilations() ?? [],
      points,
      ...((layer || tree) && { crossover: { ...(layer && { layer }), ...(tree && { tree }) } }),
      failures: [...opened.failures, ...failures],
    };
  } finally {
    await opened.close();
  }
}
