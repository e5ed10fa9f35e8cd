/** A report with a bit of everything, as if it had been measured. */
import type { Report, ReportPoint, Spread } from '../../src/report/types.ts';

export const spread = (median: number, mad = median / 50): Spread => ({ median, mad, rounds: 5 });

/** A point of a tree whose hashes take so many seconds in all. */
export function treePoint(lane: ReportPoint['lane'], leaves: number, seconds: number): ReportPoint {
  const point = {
    work: 'tree',
    lane,
    leaves,
    hashes: leaves - 1,
    bytes: 32 * leaves,
    total: spread(seconds),
  } as const;
  if (lane !== 'gpu') return point;
  const phases = { kernel: spread(seconds / 4), upload: spread(seconds / 2), readback: spread(seconds / 9) };
  return { ...point, phases: { ...phases, bytesUp: 32 * leaves, bytesDown: 32 } };
}

/** A report on a GPU that wins from 4096 leaves on. */
export function sampleReport(change: Partial<Report> = {}): Report {
  return {
    format: 'cambium-report/1',
    date: '2026-12-01T00:00:00.000Z',
    version: '0.1.0',
    commit: 'abc1234',
    machine: { cpu: 'A <CPU> & more', cores: 8, memoryGiB: 16, os: 'linux x64', runtime: 'Node v24.0.0' },
    adapter: {
      vendor: 'maker',
      architecture: 'arch',
      device: '',
      description: 'A "GPU"',
      software: false,
      driver: '550.1',
      timestamps: true,
    },
    seconds: 59.5,
    budgetSeconds: 60,
    hashes: [
      {
        hash: 'sha256',
        lanes: [
          { lane: 'cpu-1', engine: 'wasm simd, 1 thread' },
          { lane: 'cpu-all', engine: 'wasm simd, 8 threads' },
          { lane: 'gpu', engine: 'maker arch A "GPU"' },
        ],
        compile: [{ kernel: 'pairs', seconds: 0.25 }],
        points: [
          treePoint('cpu-1', 1024, 1e-4),
          treePoint('cpu-all', 1024, 2e-4),
          treePoint('gpu', 1024, 1e-3),
          treePoint('cpu-1', 4096, 4e-4),
          treePoint('cpu-all', 4096, 3e-4),
          treePoint('gpu', 4096, 1.5e-4),
        ],
        crossover: { tree: { kind: 'at', leaves: 4096, above: 1024 } },
        failures: [],
      },
      {
        hash: 'rpo',
        lanes: [],
        compile: [],
        points: [],
        failures: [{ lane: 'gpu', reason: 'KERNEL_SELF_TEST: a | b' }],
      },
    ],
    trees: [
      { name: 'append-only tree, depth 32', hash: 'sha256', lane: 'cpu-1', items: 4096, total: spread(0.02) },
    ],
    peers: [
      {
        case: 'c',
        contender: 'theirs 1.0',
        peer: 'theirs 1.0',
        unit: 'hash',
        median: 1e-6,
        mad: 1e-8,
        ratio: 1,
      },
    ],
    kernels: [{ kernel: 'sha256 pairs', unit: 'cycles', cycles: { navi21: 7912 } }],
    ...change,
  };
}
