/** The report as Markdown. */
import {
  factsOf,
  kernelsTable,
  notesOf,
  peersTable,
  pointsTable,
  summaryNote,
  summaryTable,
  type Table,
  treesTable,
} from './tables.js';
import type { Report } from './types.js';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

/** A table of Markdown, numbers to the right. */
export function markdownTable({ rows, left }: Table): string {
  const [head = [], ...body] = rows;
  const rule = head.map((_, i) => (i < left ? '---' : '--:'));
  return [line(head), `|${rule.join('|')}|`, ...body.map(line)].join('\n');
}

/**
 * A report as a Markdown page.
 *
 * @example
 * ```ts
 * await writeFile('report.md', reportToMarkdown(report));
 * ```
 */
export function reportToMarkdown(report: Report): string {
  const parts = ['# Throughput report', markdownTable({ rows: [['', ''], ...factsOf(report)], left: 2 })];
  parts.push('## In short', summaryNote(report), markdownTable(summaryTable(report)));
  for (const hash of report.hashes) {
    parts.push(`## ${hash.hash}`);
    const notes = notesOf(report, hash);
    if (notes.length) parts.push(notes.map((note) => `- ${cell(note)}`).join('\n'));
    if (hash.points.length) parts.push(markdownTable(pointsTable(report, hash)));
  }
  if (report.trees.length) parts.push('## Trees', markdownTable(treesTable(report)));
  if (report.peers?.length) parts.push('## Other libraries', markdownTable(peersTable(report)));
  if (report.kernels?.length) parts.push('## Kernels as compiled', markdownTable(kernelsTable(report)));
  return `${parts.join('\n\n')}\n`;
}
