/** `cambium bench --compare A.json B.json`. */
import { readFile } from 'node:fs/promises';
import { hasCode } from '../errors.js';
import { type ComparedPoint, compareReports } from '../report/compare.js';
import { formatRatio, formatShortTime } from '../report/format.js';
import { parseReport } from '../report/parse.js';
import type { Report } from '../report/types.js';
import { InputError } from './exit.js';
import { print, printJson, printTable } from './output.js';

async function readReport(path: string): Promise<Report> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new InputError(`${path}: ${(error as Error).message}`);
  }
  try {
    return parseReport(text);
  } catch (error) {
    if (!hasCode(error, 'MALFORMED') && !hasCode(error, 'VERSION_MISMATCH')) throw error;
    throw new InputError(`${path}: ${(error as Error).message}`);
  }
}

const row = ({ what, lane, software, before, after, ratio, noise, verdict }: ComparedPoint): string[] => [
  what,
  software ? `${lane} (software)` : lane,
  formatShortTime(before),
  formatShortTime(after),
  formatRatio(ratio),
  `±${(100 * noise).toFixed(0)} %`,
  verdict,
];

/** Prints how the second report does against the first: more than 1x is faster. */
export async function printComparison(before: string, after: string, json: boolean): Promise<void> {
  const comparison = compareReports(await readReport(before), await readReport(after));
  if (json) return printJson(comparison);
  for (const difference of comparison.differences) print(`not the same: ${difference}`);
  if (comparison.points.length === 0) throw new InputError('the two reports measured nothing in common');
  const head = ['what', 'on', 'before', 'after', 'ratio', 'noise', ''];
  printTable([head, ...comparison.points.map(row)], 2);
}
