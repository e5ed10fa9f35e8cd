import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { hashes } from '../hash/registry.js';
import {
  measureReport,
  type Report,
  type ReportOptions,
  type ReportProgress,
  reportToHtml,
  reportToMarkdown,
} from '../report/index.js';
import { laneName } from '../report/tables.js';
import { printComparison } from './bench-compare.js';
import { InputError } from './exit.js';
import { gpuDriver, thisMachine } from './machine.js';
import { jsonOption } from './options.js';
import { formatRate, formatSeconds, print, printJson, printPairs, printTable } from './output.js';
import { ownVersion } from './version.js';

/** The size of a run without a report. */
const ONE_SIZE = 2 ** 17;
const ONE_HASH_SECONDS = 20;

interface BenchFlags {
  readonly hash?: readonly string[];
  readonly report?: string;
  readonly compare?: readonly string[];
  readonly budget?: number;
  readonly commit?: string;
  readonly json?: boolean;
}

/** `cambium bench`. */
export function benchCommand(signal: AbortSignal): Command {
  return new Command('bench')
    .description('measure layers and trees on one thread, on all threads, on the GPU')
    .addOption(
      new Option('--hash <ids...>', 'hashes to measure (default: sha256, all for a report)').choices([
        ...hashes.keys(),
      ]),
    )
    .option('--report <folder>', 'write report.json, report.md and report.html over all sizes to it')
    .option('--budget <seconds>', 'time to measure for (default: 20, 120 for a report)', parseSeconds)
    .option('--commit <name>', 'what was measured, for the report')
    .option('--compare <files...>', 'two reports in JSON: ratios of the second to the first')
    .addOption(jsonOption())
    .action(async (flags: BenchFlags) => {
      if (flags.compare) await compare(flags.compare, flags.json === true);
      else if (flags.report) await writeReport(flags.report, flags, signal);
      else await measureOne(flags, signal);
    });
}

async function compare(files: readonly string[], json: boolean): Promise<void> {
  const [before, after, ...more] = files;
  if (before === undefined || after === undefined || more.length) {
    throw new InputError(`--compare: expected two files, got ${files.length}`);
  }
  await printComparison(before, after, json);
}

/** What every report of this command names. */
function named({ commit, hash, budget }: BenchFlags, signal: AbortSignal): ReportOptions {
  const driver = gpuDriver();
  return {
    machine: thisMachine(),
    version: ownVersion(),
    signal,
    ...(driver !== undefined && { driver }),
    ...(commit !== undefined && { commit }),
    ...(hash && { hashes: hash }),
    ...(budget !== undefined && { budgetSeconds: budget }),
  };
}

async function writeReport(folder: string, flags: BenchFlags, signal: AbortSignal): Promise<void> {
  // Before the work, not behind it: a folder that cannot be made shall not cost two minutes.
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new InputError(`${folder}: ${(error as Error).message}`);
  }
  const onProgress = ({ done, total, now }: ReportProgress): void => {
    if (!flags.json && done < total) process.stderr.write(`${done + 1}/${total} ${now}\n`);
  };
  const report = await measureReport({ ...named(flags, signal), onProgress });
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 1)}\n`);
  await writeFile(join(folder, 'report.md'), reportToMarkdown(report));
  await writeFile(join(folder, 'report.html'), reportToHtml(report));
  if (flags.json) printJson(report);
  else print(`report.json, report.md and report.html are in ${folder}`);
}

async function measureOne(flags: BenchFlags, signal: AbortSignal): Promise<void> {
  const report = await measureReport({
    hashes: ['sha256'],
    budgetSeconds: ONE_HASH_SECONDS,
    ...named(flags, signal),
    sizes: [ONE_SIZE],
    trees: false,
  });
  if (flags.json) printJson(report);
  else printReport(report);
}

function printReport(report: Report): void {
  for (const { hash, lanes, points, failures } of report.hashes) {
    printPairs([
      ['hash', hash],
      ...lanes.map(({ lane, engine }): [string, string] => [laneName(lane, report), engine]),
    ]);
    const rows = points.map(({ work, lane, hashes: count, total }) => [
      `${work} of ${ONE_SIZE}`,
      laneName(lane, report),
      formatSeconds(total.median),
      formatRate(count, total.median, 'hashes'),
      String(total.rounds),
    ]);
    printTable([['case', 'on', 'median', 'rate', 'rounds'], ...rows], 2);
    for (const { lane, reason } of failures) print(`${laneName(lane, report)}: ${reason}`);
  }
  if (report.gpuRefused !== undefined) print(`no GPU: ${report.gpuRefused}`);
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && Number.isFinite(seconds))) {
    throw new InvalidArgumentError('expected seconds, more than 0');
  }
  return seconds;
}
