/** The report as titles and tables of text, which Markdown and HTML both write down. */
import { describeGpu } from './describe.js';
import {
  formatByteRate,
  formatBytes,
  formatRatio,
  formatShortRate,
  formatShortTime,
  formatSize,
} from './format.js';
import { summarize } from './summary.js';
import type { Crossover, HashReport, LaneId, Report, ReportPoint, Spread } from './types.js';

/** A table; the first row is its head. The first `left` columns are words, the others numbers. */
export interface Table {
  readonly rows: readonly (readonly string[])[];
  readonly left: number;
}

/** Lanes in words; software adapters are named as such wherever they stand. */
export function laneName(lane: LaneId, report: Pick<Report, 'adapter'>): string {
  if (lane === 'cpu-1') return 'CPU, 1 thread';
  if (lane === 'cpu-all') return 'CPU, all threads';
  return report.adapter?.software ? 'software adapter (no GPU)' : 'GPU';
}

const spreadText = ({ median, mad }: Spread): string =>
  `${formatShortTime(median)} ±${((100 * mad) / (median || 1)).toFixed(0)} %`;

/** Machine, adapter, versions, date. */
export function factsOf(report: Report): readonly (readonly [name: string, value: string])[] {
  const { machine, adapter, gpuRefused, version, commit, date, seconds, budgetSeconds } = report;
  const memory = machine.memoryGiB ? `, ${machine.memoryGiB} GiB` : '';
  const facts: [string, string][] = [
    ['CPU', `${machine.cpu}, ${machine.cores} cores${memory}`],
    ['GPU', adapter ? describeGpu({ gpu: adapter })! : `none: ${gpuRefused ?? 'not measured'}`],
  ];
  if (adapter?.driver) facts.push(['driver', adapter.driver]);
  if (adapter) facts.push(['timestamps', adapter.timestamps ? 'offered' : 'not offered']);
  facts.push(['runtime', [machine.runtime, machine.os].filter(Boolean).join(', ')]);
  facts.push(['cambium', [version, commit && `commit ${commit}`].filter(Boolean).join(', ') || 'unknown']);
  facts.push(['date', date.replace(/:\d\d\.\d+Z$/, ' UTC').replace('T', ' ')]);
  facts.push(['time', `${seconds.toFixed(0)} s of ${budgetSeconds} s`]);
  return facts;
}

/** The hashes in short. */
export function summaryTable(report: Report): Table {
  const summaries = summarize(report);
  const withGpu = summaries.some(({ gpu }) => gpu);
  const head = ['hash', 'tree of', 'best CPU'];
  if (withGpu) head.push('GPU, total', 'speed-up, total', 'GPU, kernel', 'speed-up, kernel');
  const rows = summaries.map(({ hash, leaves, cpu, gpu }) => {
    const row = [hash, formatSize(leaves), cpu ? formatShortRate(cpu.rate, 1) : ''];
    if (!withGpu) return row;
    if (!gpu) return [...row, '', '', '', ''];
    const kernel = gpu.kernelRate === undefined ? '' : formatShortRate(gpu.kernelRate, 1);
    const kernelSpeedup = gpu.kernelSpeedup === undefined ? '' : formatRatio(gpu.kernelSpeedup);
    return [...row, formatShortRate(gpu.totalRate, 1), formatRatio(gpu.totalSpeedup), kernel, kernelSpeedup];
  });
  return { rows: [head, ...rows], left: 1 };
}

/** What the summary says, and what it leaves out. */
export function summaryNote({ adapter }: Report): string {
  const rates = 'Hashes a second in a whole tree.';
  if (!adapter) return `${rates} No GPU was measured.`;
  if (adapter.software) {
    return `${rates} The adapter is software running on the CPU: its figures stand below, marked, and say nothing about a GPU.`;
  }
  return (
    `${rates} Speed-ups are against the faster of one thread and all threads: 'total' counts upload and readback, ` +
    `'kernel' counts only the device's own time in kernels.`
  );
}

function pointRow(report: Report, point: ReportPoint): string[] {
  const { work, leaves, lane, hashes, bytes, total, phases } = point;
  const { median } = total;
  const kernel = phases && (phases.kernel ? formatShortTime(phases.kernel.median) : 'unknown');
  const moved = (spread: Spread, count: number): string =>
    `${formatShortTime(spread.median)} (${formatBytes(count)})`;
  return [
    work,
    formatSize(leaves),
    laneName(lane, report),
    formatShortRate(hashes, median),
    formatByteRate(bytes, median),
    spreadText(total),
    kernel ?? '',
    phases ? moved(phases.upload, phases.bytesUp) : '',
    phases ? moved(phases.readback, phases.bytesDown) : '',
  ];
}

/** All points of a hash, layers first, each size lane by lane. */
export function pointsTable(report: Report, { points }: HashReport): Table {
  const sorted = [...points].sort(
    (a, b) => a.work.localeCompare(b.work) || a.leaves - b.leaves || a.lane.localeCompare(b.lane),
  );
  const head = ['work', 'digests', 'on', 'hashes', 'bytes', 'total', 'kernel', 'upload', 'readback'];
  return { rows: [head, ...sorted.map((point) => pointRow(report, point))], left: 3 };
}

function crossoverText(work: string, crossover: Crossover): string {
  const size = crossover.leaves.toLocaleString('en');
  if (crossover.kind === 'always') return `${work}: ahead from the smallest size on (${size})`;
  if (crossover.kind === 'at') {
    return `${work}: ahead from ${size} digests on, behind at ${crossover.above.toLocaleString('en')}`;
  }
  return `${work}: behind up to the largest size (${size})`;
}

/** What else is to be said of a hash: engines, compile times, crossover, what failed. */
export function notesOf(report: Report, hash: HashReport): readonly string[] {
  const notes = hash.lanes.map(({ lane, engine }) => `${laneName(lane, report)}: ${engine}`);
  if (hash.compile.length) {
    const times = hash.compile.map(({ kernel, seconds }) => `${kernel} ${formatShortTime(seconds)}`);
    notes.push(`pipelines compiled in: ${times.join(', ')}`);
  }
  const { layer, tree } = hash.crossover ?? {};
  const found = [layer && crossoverText('layers', layer), tree && crossoverText('trees', tree)].filter(
    Boolean,
  );
  if (found.length)
    notes.push(`${laneName('gpu', report)} against the faster CPU lane, total: ${found.join('; ')}`);
  const refused = new Set(hash.points.flatMap(({ phases }) => phases?.kernelRefused ?? []));
  for (const reason of refused) notes.push(`kernel time unknown at some sizes: ${reason}`);
  for (const { lane, reason } of hash.failures)
    notes.push(`${laneName(lane, report)} not measured: ${reason}`);
  return notes;
}

/** Batches into trees that keep their nodes. */
export function treesTable(report: Report): Table {
  const rows = report.trees.map(({ name, hash, lane, items, total }) => [
    name,
    hash,
    laneName(lane, report),
    String(items),
    spreadText(total),
    formatShortRate(items, total.median),
  ]);
  return { rows: [['tree', 'hash', 'on', 'batch', 'time of a batch', 'items'], ...rows], left: 3 };
}

/** Other libraries. */
export function peersTable({ peers = [] }: Report): Table {
  const rows = peers.map(({ case: name, contender, unit, median, mad, ratio }) => [
    name,
    contender,
    `${formatShortTime(median)} a ${unit}`,
    `${((100 * mad) / (median || 1)).toFixed(0)} %`,
    formatRatio(ratio),
  ]);
  return { rows: [['case', 'library', 'time', 'spread', 'ratio to the first'], ...rows], left: 2 };
}

/** What a GPU compiler makes of the kernels. */
export function kernelsTable({ kernels = [] }: Report): Table {
  const families = [...new Set(kernels.flatMap(({ cycles }) => Object.keys(cycles)))];
  const rows = kernels.map(({ kernel, unit, cycles }) => [
    kernel,
    unit,
    ...families.map((family) => cycles[family]?.toLocaleString('en') ?? ''),
  ]);
  return { rows: [['kernel', 'unit', ...families], ...rows], left: 2 };
}
