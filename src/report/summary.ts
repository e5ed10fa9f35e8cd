/** The figures to read first: whole trees, at the largest size that the faster CPU lane and the GPU both measured. */
import type { HashReport, LaneId, Report, ReportPoint } from './types.js';

/** One hash in short. */
export interface HashSummary {
  readonly hash: string;
  /** Leaves of the trees compared. */
  readonly leaves: number;
  /** The faster of the CPU lanes, hashes a second. */
  readonly cpu?: { readonly lane: LaneId; readonly rate: number };
  /** Absent without a GPU, and for a software adapter. */
  readonly gpu?: {
    readonly totalRate: number;
    /** Against the CPU, from call to result. */
    readonly totalSpeedup: number;
    readonly kernelRate?: number;
    /** The kernels alone against the CPU: what is left when leaves are on the device already. */
    readonly kernelSpeedup?: number;
  };
}

/** The lanes of one size. */
function pointsAt(points: readonly ReportPoint[], leaves: number): { cpu?: ReportPoint; gpu?: ReportPoint } {
  const here = points.filter((point) => point.work === 'tree' && point.leaves === leaves);
  const [cpu] = here.filter(({ lane }) => lane !== 'gpu').sort((a, b) => a.total.median - b.total.median);
  const gpu = here.find(({ lane }) => lane === 'gpu');
  return { ...(cpu && { cpu }), ...(gpu && { gpu }) };
}

function summarizeHash({ hash, points }: HashReport, hardware: boolean): HashSummary | undefined {
  const sizes = [...new Set(points.map(({ leaves }) => leaves))].sort((a, b) => b - a);
  const sides = sizes.map((leaves) => ({ leaves, ...pointsAt(points, leaves) }));
  const both = hardware ? sides.find(({ cpu, gpu }) => cpu && gpu) : undefined;
  const chosen = both ?? sides.find(({ cpu }) => cpu);
  if (!chosen?.cpu) return undefined;
  const { leaves, cpu } = chosen;
  const summary = { hash, leaves, cpu: { lane: cpu.lane, rate: cpu.hashes / cpu.total.median } };
  const gpu = both?.gpu;
  if (!gpu) return summary;
  const kernel = gpu.phases?.kernel;
  return {
    ...summary,
    gpu: {
      totalRate: gpu.hashes / gpu.total.median,
      totalSpeedup: cpu.total.median / gpu.total.median,
      ...(kernel && {
        kernelRate: gpu.hashes / kernel.median,
        kernelSpeedup: cpu.total.median / kernel.median,
      }),
    },
  };
}

/** Every hash that was measured, in short. A software adapter makes no headline: its figures are left out. */
export function summarize({ hashes, adapter }: Report): readonly HashSummary[] {
  const hardware = adapter !== undefined && !adapter.software;
  return hashes.flatMap((one) => summarizeHash(one, hardware) ?? []);
}
