/** Two reports against each other. */
import type { LaneId, Report, Spread } from './types.js';

/** One thing that both reports measured. */
export interface ComparedPoint {
  /** For example `sha256, tree of 65536`. */
  readonly what: string;
  readonly lane: LaneId;
  /** Whether a software adapter stood for the GPU in one of them. */
  readonly software: boolean;
  /** Seconds, of the first report and of the second. */
  readonly before: number;
  readonly after: number;
  /** Before over after: more than 1 means that the second report is faster. */
  readonly ratio: number;
  /** Relative: 0.05 means that rounds of both together scatter by 5 %, one standard deviation. */
  readonly noise: number;
  /** `same`: the ratio is within what the noise explains. */
  readonly verdict: 'faster' | 'slower' | 'same';
}

/** What {@link compareReports} found. */
export interface Comparison {
  /** What makes the two hard to compare: other machines, adapters, runtimes. */
  readonly differences: readonly string[];
  readonly points: readonly ComparedPoint[];
}

/** A standard deviation in terms of a median absolute deviation, for normal noise. */
const DEVIATION = 1.4826;
/** A ratio must leave so many deviations behind, and this much on top, since rounds of one run share their bias. */
const DEVIATIONS = 2;
const BIAS = 0.02;

interface Figure {
  readonly what: string;
  readonly lane: LaneId;
  readonly total: Spread;
}

function figuresOf(report: Report): Map<string, Figure> {
  const figures: Figure[] = report.hashes.flatMap(({ hash, points }) =>
    points.map(({ work, leaves, lane, total }) => ({ what: `${hash}, ${work} of ${leaves}`, lane, total })),
  );
  for (const { name, hash, items, lane, total } of report.trees) {
    figures.push({ what: `${hash}, ${name}: ${items}`, lane, total });
  }
  return new Map(figures.map((figure) => [`${figure.lane} ${figure.what}`, figure]));
}

/** How far rounds scatter, relative to their median. */
const scatter = ({ median, mad }: Spread): number => (median > 0 ? (DEVIATION * mad) / median : 0);

function comparePoint(before: Figure, after: Figure, software: boolean): ComparedPoint {
  const ratio = before.total.median / after.total.median;
  const noise = Math.hypot(scatter(before.total), scatter(after.total));
  const clear = Math.abs(Math.log(ratio)) > DEVIATIONS * noise + BIAS;
  return {
    what: after.what,
    lane: after.lane,
    software,
    before: before.total.median,
    after: after.total.median,
    ratio,
    noise,
    verdict: clear ? (ratio > 1 ? 'faster' : 'slower') : 'same',
  };
}

function differencesOf(before: Report, after: Report): string[] {
  const facts = ({ machine, adapter, version }: Report): Record<string, string> => ({
    cpu: `${machine.cpu}, ${machine.cores} cores`,
    runtime: machine.runtime,
    adapter: adapter ? [adapter.vendor, adapter.architecture, adapter.description].join(' ') : 'none',
    driver: adapter?.driver ?? '',
    version: version ?? '',
  });
  const [a, b] = [facts(before), facts(after)];
  return Object.keys(a).flatMap((name) =>
    a[name] === b[name] ? [] : [`${name}: ${a[name]} and ${b[name]}`],
  );
}

/**
 * Compares what both reports measured, size by size and lane by lane.
 *
 * @example
 * ```ts
 * const slower = compareReports(before, after).points.filter(({ verdict }) => verdict === 'slower');
 * ```
 */
export function compareReports(before: Report, after: Report): Comparison {
  const known = figuresOf(before);
  const isSoftware = [before, after].some(({ adapter }) => adapter?.software);
  const points = [...figuresOf(after)].flatMap(([key, figure]) => {
    const other = known.get(key);
    return other ? [comparePoint(other, figure, isSoftware && figure.lane === 'gpu')] : [];
  });
  return { differences: differencesOf(before, after), points };
}
