/** Line charts with two logarithmic axes, as SVG text. Colours come from the page, by class. */

/** A line of a chart. */
export interface Series {
  /** Class of its group; the page's style gives it a colour and a dash. */
  readonly kind: string;
  readonly name: string;
  /** Both coordinates are above 0. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** What a chart shows. */
export interface Chart {
  /** For those who do not see it. */
  readonly title: string;
  readonly series: readonly Series[];
  /** Horizontal values that must be in it, so that charts beside each other have one axis. */
  readonly span: readonly number[];
  /** Text of a value of the vertical axis. */
  readonly tick: (value: number) => string;
}

const WIDTH = 440;
const HEIGHT = 250;
const EDGE = { left: 54, right: 14, top: 10, bottom: 36 };

interface Scale {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

/** From the power of `base` below the least value to the one above the greatest. */
function scaleOf(values: readonly number[], base: number, most: number): Scale {
  const power = (value: number): number => Math.log(value) / Math.log(base);
  const from = Math.floor(power(Math.min(...values)) + 1e-9);
  const to = Math.max(from + 1, Math.ceil(power(Math.max(...values)) - 1e-9));
  const step = Math.ceil((to - from) / most);
  const ticks: number[] = [];
  for (let at = from; at <= to; at += step) ticks.push(base ** at);
  return { from: base ** from, to: base ** to, ticks };
}

const place = (value: number, { from, to }: Scale): number => Math.log(value / from) / Math.log(to / from);

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The chart as an `svg` element; empty text when there is nothing to show. */
export function lineChart({ title, series, span, tick }: Chart): string {
  const all = series.flatMap(({ points }) => points);
  if (all.length === 0) return '';
  const xs = scaleOf([...span, ...all.map(([x]) => x)], 2, 7);
  const ys = scaleOf(
    all.map(([, y]) => y),
    10,
    6,
  );
  const x = (value: number): string =>
    (EDGE.left + place(value, xs) * (WIDTH - EDGE.left - EDGE.right)).toFixed(1);
  const y = (value: number): string =>
    (HEIGHT - EDGE.bottom - place(value, ys) * (HEIGHT - EDGE.top - EDGE.bottom)).toFixed(1);
  const bottom = HEIGHT - EDGE.bottom;
  const columns = xs.ticks.map(
    (value) =>
      `<line x1="${x(value)}" x2="${x(value)}" y1="${EDGE.top}" y2="${bottom}"/>` +
      `<text x="${x(value)}" y="${bottom + 16}" text-anchor="middle">2<tspan dy="-4" font-size="9">${Math.round(Math.log2(value))}</tspan></text>`,
  );
  const rows = ys.ticks.map(
    (value) =>
      `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text x="${EDGE.left - 6}" y="${Number(y(value)) + 4}" text-anchor="end">${escapeXml(tick(value))}</text>`,
  );
  const lines = series.map(({ kind, name, points }) => {
    const sorted = [...points].sort(([a], [b]) => a - b);
    const path = sorted.map(([px, py]) => `${x(px)},${y(py)}`).join(' ');
    const dots = sorted
      .map(
        ([px, py]) =>
          `<circle cx="${x(px)}" cy="${y(py)}" r="3"><title>${escapeXml(`${name}, ${px}: ${tick(py)}`)}</title></circle>`,
      )
      .join('');
    return `<g class="line ${kind}"><polyline points="${path}"/>${dots}</g>`;
  });
  return (
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(title)}">` +
    `<g class="grid">${columns.join('')}${rows.join('')}</g>${lines.join('')}` +
    `<text class="axis" x="${(EDGE.left + WIDTH - EDGE.right) / 2}" y="${HEIGHT - 4}" text-anchor="middle">digests</text></svg>`
  );
}
