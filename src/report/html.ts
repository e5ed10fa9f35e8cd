/** The report as one page that needs nothing else: no script, no font, no file beside it. */
import { escapeXml, lineChart, type Series } from './chart.js';
import { formatShortRate } from './format.js';
import { STYLE } from './html-style.js';
import { LANES } from './lanes.js';
import {
  factsOf,
  kernelsTable,
  laneName,
  notesOf,
  peersTable,
  pointsTable,
  summaryNote,
  summaryTable,
  type Table,
  treesTable,
} from './tables.js';
import type { HashReport, Report, ReportPoint } from './types.js';

function htmlTable({ rows, left }: Table, kind = ''): string {
  const [head = [], ...body] = rows;
  const row = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((text, i) => `<${tag}${i < left ? ' class="word"' : ''}>${escapeXml(text)}</${tag}>`).join('')}</tr>`;
  const lines = body.map((cells) => row(cells, 'td')).join('');
  return (
    `<div class="scroll" tabindex="0" role="group" aria-label="table"><table class="${kind}">` +
    `<thead>${row(head, 'th')}</thead><tbody>${lines}</tbody></table></div>`
  );
}

/** Hashes a second over sizes: a line a lane, and one for the kernels alone. */
function hashChart(report: Report, { hash, points }: HashReport, work: ReportPoint['work']): string {
  const here = points.filter((point) => point.work === work && point.total.median > 0);
  const series: Series[] = LANES.map((lane) => ({
    kind: lane,
    name: laneName(lane, report),
    points: here
      .filter((point) => point.lane === lane)
      .map(({ leaves, hashes, total }) => [leaves, hashes / total.median] as const),
  }));
  series.push({
    kind: 'kernel',
    name: `${laneName('gpu', report)}, kernels`,
    points: here.flatMap(({ leaves, hashes, phases }) =>
      phases?.kernel ? [[leaves, hashes / phases.kernel.median] as const] : [],
    ),
  });
  return lineChart({
    title: `${hash}: hashes a second in a ${work}, by its number of digests`,
    series: series.filter((one) => one.points.length),
    span: report.hashes.flatMap((one) => one.points.map(({ leaves }) => leaves)),
    tick: (value) => formatShortRate(value, 1),
  });
}

function hashCard(report: Report, hash: HashReport): string {
  const notes = notesOf(report, hash)
    .map((note) => `<li>${escapeXml(note)}</li>`)
    .join('');
  const layer = hashChart(report, hash, 'layer');
  const more = hash.points.length
    ? `<details><summary>Layers, notes and all figures</summary>${layer}<ul>${notes}</ul>${htmlTable(pointsTable(report, hash))}</details>`
    : `<ul>${notes}</ul>`;
  return `<section class="card"><h3>${escapeXml(hash.hash)}</h3>${hashChart(report, hash, 'tree')}${more}</section>`;
}

function legend(report: Report): string {
  const entries: [kind: string, name: string][] = LANES.map((lane) => [lane, laneName(lane, report)]);
  entries.push(['kernel', `${laneName('gpu', report)}, time in kernels alone`]);
  const shown = report.adapter ? entries : entries.slice(0, 2);
  return `<ul class="legend">${shown.map(([kind, name]) => `<li class="${kind}"><i></i>${escapeXml(name)}</li>`).join('')}</ul>`;
}

/**
 * A report as one HTML page with charts.
 *
 * @example
 * ```ts
 * await writeFile('report.html', reportToHtml(report));
 * ```
 */
export function reportToHtml(report: Report): string {
  const facts = factsOf(report)
    .map(([name, value]) => `<dt>${escapeXml(name)}</dt><dd>${escapeXml(value)}</dd>`)
    .join('');
  const note = report.adapter?.software ? '<p class="software">' : '<p>';
  const parts = [
    `<h1>Cambium throughput report</h1><dl class="card">${facts}</dl>`,
    `<h2>In short</h2>${note}${escapeXml(summaryNote(report))}</p>${htmlTable(summaryTable(report))}`,
    `<h2>Whole trees by size</h2><p>Hashes a second from the call to the root, by leaves; both axes are logarithmic.</p>${legend(report)}`,
    `<div class="grid-of-cards">${report.hashes.map((hash) => hashCard(report, hash)).join('')}</div>`,
  ];
  if (report.trees.length) parts.push(`<h2>Trees that keep their nodes</h2>${htmlTable(treesTable(report))}`);
  if (report.peers?.length) parts.push(`<h2>Other libraries</h2>${htmlTable(peersTable(report))}`);
  if (report.kernels?.length) {
    parts.push(
      `<h2>Kernels as compiled</h2><p>Cycles by GPU family, from compiler listings; nothing was run.</p>${htmlTable(kernelsTable(report), 'wide')}`,
    );
  }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Cambium throughput report</title>
<style>${STYLE}</style>
</head>
<body><main>${parts.join('\n')}</main></body>
</html>
`;
}
