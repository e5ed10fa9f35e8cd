/** Figures out of `bench/results`: pairs beside their peers, and the newest throughput report. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatRatio, formatShortTime } from '../../src/report/format.ts';
import { markdownTable } from '../../src/report/markdown.ts';
import { parseReport } from '../../src/report/parse.ts';
import { factsOf, summaryNote, summaryTable } from '../../src/report/tables.ts';
import type { Report } from '../../src/report/types.ts';

/** What `npm run bench -- --json FILE` writes. */
interface BenchFile {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly commit: string;
  readonly date: string;
  readonly rows: readonly BenchRow[];
}

interface BenchRow {
  readonly case: string;
  readonly contender: string;
  readonly peer: string;
  readonly size: number;
  readonly unit: string;
  readonly median: number;
  readonly ratio: number;
}

const OURS = /^cambium /;

/** A row with the file that it stands in. */
type Figure = BenchRow & Pick<BenchFile, 'machine' | 'date' | 'commit'>;

function readFigures(folder: string): Figure[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => {
      const file = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Partial<BenchFile>;
      const { machine, date, commit, rows } = file;
      return machine && date && commit && rows ? rows.map((row) => ({ ...row, machine, date, commit })) : [];
    });
}

const majorOf = ({ machine }: Figure): number => Number(/\d+/.exec(machine.node)?.[0] ?? 0);
const hashOf = ({ case: name }: Figure): string => name.split(' ')[0]!;

/** For each hash: our best form on the newest Node, at the largest size, in the newest run with a peer beside it. */
function bestOf(figures: readonly Figure[]): readonly Figure[] {
  const best = new Map<string, Figure>();
  for (const figure of figures) {
    const isOurs = OURS.test(figure.contender) && !OURS.test(figure.peer);
    if (!isOurs || !/ pairs, .*one thread/.test(figure.case)) continue;
    const known = best.get(hashOf(figure));
    const order = known
      ? majorOf(figure) - majorOf(known) ||
        figure.size - known.size ||
        figure.date.localeCompare(known.date) ||
        figure.ratio - known.ratio
      : 1;
    if (order > 0) best.set(hashOf(figure), figure);
  }
  return [...best.values()];
}

/** Pairs beside their peers. */
export function pairsTable(folder: string): string {
  const figures = bestOf(readFigures(folder));
  const rows = figures.map((figure) => {
    const { contender, peer, median, ratio, machine } = figure;
    return [
      `\`${hashOf(figure)}\``,
      contender.replace(OURS, ''),
      machine.node,
      formatShortTime(median),
      peer,
      formatRatio(ratio),
    ];
  });
  const head = ['hash', 'ours', 'Node', 'a pair', 'peer', 'ratio'];
  const machines = new Set(
    figures.map(({ machine, date }) => `${machine.cpu}, ${machine.cores} cores, ${date.slice(0, 10)}`),
  );
  return [
    `Layers of pairs on one thread, each beside its peer in one process and by turns. ${[...machines].join('; ')}.`,
    markdownTable({ rows: [head, ...rows], left: 3 }),
  ].join('\n\n');
}

function newestReport(folder: string): Report | undefined {
  return readdirSync(folder)
    .filter((name) => /^report.*\.json$/.test(name))
    .map((name) => parseReport(readFileSync(join(folder, name), 'utf8')))
    .sort((a, b) => b.date.localeCompare(a.date))[0];
}

/** The newest report in short. */
export function reportSection(folder: string): string {
  const report = newestReport(folder);
  if (!report) return 'No throughput report has been kept yet.';
  const facts = factsOf(report)
    .filter(([name]) => name !== 'time')
    .map(([name, value]) => `${name}: ${value}`);
  return [summaryNote(report), `${facts.join('; ')}.`, markdownTable(summaryTable(report))].join('\n\n');
}
