/** From which size the GPU wins: two measured sizes with nothing measured between them. */
import type { Crossover, ReportPoint } from './types.js';

/** Where both sides were measured: whether the GPU won. */
interface Verdict {
  readonly leaves: number;
  readonly wins: boolean;
}

/** GPU against the faster CPU lane, by ascending size. */
function verdicts(points: readonly ReportPoint[], work: ReportPoint['work']): Verdict[] {
  const bySize = new Map<number, { gpu?: number; cpu?: number }>();
  for (const point of points) {
    if (point.work !== work) continue;
    const times = bySize.get(point.leaves) ?? {};
    bySize.set(point.leaves, times);
    const { median } = point.total;
    if (point.lane === 'gpu') times.gpu = median;
    else times.cpu = Math.min(times.cpu ?? Number.POSITIVE_INFINITY, median);
  }
  return [...bySize]
    .sort(([a], [b]) => a - b)
    .flatMap(([leaves, { gpu, cpu }]) =>
      gpu === undefined || cpu === undefined ? [] : [{ leaves, wins: gpu < cpu }],
    );
}

/**
 * The crossover as far as it is measured; undefined where GPU or CPU is missing.
 *
 * @param points of one hash, in any order; a report that is still being measured has some of them.
 * @example
 * ```ts
 * const crossover = crossoverOf(points, 'tree');
 * if (crossover?.kind === 'at') console.log(`the GPU wins from ${crossover.leaves} leaves on`);
 * ```
 */
export function crossoverOf(
  points: readonly ReportPoint[],
  work: ReportPoint['work'],
): Crossover | undefined {
  const all = verdicts(points, work);
  const last = all.at(-1);
  if (!last) return undefined;
  if (!last.wins) return { kind: 'never', leaves: last.leaves };
  const loses = all.map(({ wins }) => wins).lastIndexOf(false);
  if (loses < 0) return { kind: 'always', leaves: all[0]!.leaves };
  return { kind: 'at', leaves: all[loses + 1]!.leaves, above: all[loses]!.leaves };
}

/** The size to measure next for a narrower crossover: even, in the geometric middle; undefined where it is narrow. */
export function nextSize(crossover: Crossover | undefined): number | undefined {
  if (crossover?.kind !== 'at') return undefined;
  const { above, leaves } = crossover;
  const middle = 2 * Math.round(Math.sqrt(above * leaves) / 2);
  // Within a fifth is closer than two runs agree.
  return leaves / above > 1.2 && middle > above && middle < leaves ? middle : undefined;
}
