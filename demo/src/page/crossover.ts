import type { CurvePoint, Lane } from '../tasks.ts';

/** Where the GPU starts to win, as far as the sizes go that both have been measured at. */
export type Crossover =
  | { readonly kind: 'at'; readonly leaves: number }
  | { readonly kind: 'always' | 'never' | 'unknown' };

/** Points of one lane, by size. */
export function lanePoints(points: readonly CurvePoint[], lane: Lane): readonly CurvePoint[] {
  return points.filter((point) => point.lane === lane).sort((a, b) => a.leaves - b.leaves);
}

/**
 * The size from which the GPU is faster at every measured size: between the last one that the CPU wins and the next,
 * where straight lines through both times meet on logarithmic axes.
 */
export function findCrossover(points: readonly CurvePoint[]): Crossover {
  const cpu = new Map(lanePoints(points, 'cpu').map(({ leaves, seconds }) => [leaves, seconds]));
  // Logarithm of CPU time over GPU time: above zero the GPU wins.
  const leads = lanePoints(points, 'gpu')
    .filter(({ leaves }) => cpu.has(leaves))
    .map(({ leaves, seconds }) => ({ size: Math.log2(leaves), lead: Math.log(cpu.get(leaves)! / seconds) }));
  if (leads.length < 2) return { kind: 'unknown' };
  const lastLoss = leads.findLastIndex(({ lead }) => lead <= 0);
  if (lastLoss < 0) return { kind: 'always' };
  const [loss, win] = [leads[lastLoss]!, leads[lastLoss + 1]];
  if (!win) return { kind: 'never' };
  const between = -loss.lead / (win.lead - loss.lead);
  return { kind: 'at', leaves: Math.round(2 ** (loss.size + between * (win.size - loss.size))) };
}
