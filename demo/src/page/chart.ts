/** Rates over sizes, as SVG: logarithmic axes, drawn anew for every point and width. */
import type { Crossover, LaneId, ReportPoint } from 'cambium/report';
import { make, makeSvg } from './dom.ts';
import { formatCount, formatRate } from './format.ts';

const HEIGHT = 340;
const MARGIN = { top: 46, right: 18, bottom: 44, left: 62 };
/** Pixels that a label of the lower axis needs. */
const LABEL_PIXELS = 46;
/** Exponents of the axes before there are points. */
const EMPTY = { powers: [6, 16], decades: [4, 7] } as const;

/** What the lines are called. */
export type LineNames = ReadonlyMap<LaneId, string>;

/** From values to pixels. */
interface Scales {
  readonly width: number;
  readonly x: (size: number) => number;
  readonly y: (rate: number) => number;
  /** Exponents of two and of ten at the ends of the axes. */
  readonly powers: readonly [number, number];
  readonly decades: readonly [number, number];
}

/** Hashes a second, from the call to its result. */
export function rateOf({ hashes, total }: ReportPoint): number {
  return hashes / total.median;
}

/** Draws into a figure, at its width. */
export class Chart {
  readonly #figure: HTMLElement;
  readonly #names: LineNames;
  #points: readonly ReportPoint[] = [];
  #crossover: Crossover | undefined;

  constructor(figure: HTMLElement, names: LineNames) {
    this.#figure = figure;
    this.#names = names;
    new ResizeObserver(() => this.#draw()).observe(figure);
  }

  /** @param points of one kind of work, by size. */
  show(points: readonly ReportPoint[], crossover: Crossover | undefined): void {
    this.#points = points;
    this.#crossover = crossover;
    this.#draw();
  }

  #draw(): void {
    const scales = scalesFor(this.#points, this.#figure.clientWidth);
    const svg = makeSvg('svg', {
      viewBox: `0 0 ${scales.width} ${HEIGHT}`,
      role: 'img',
      'aria-label': `Hashes a second by size: ${[...this.#names.values()].join(', ')}. The figures are in the table below.`,
    });
    svg.append(...axes(scales));
    if (this.#points.length === 0) {
      svg.append(
        text(scales.width / 2, HEIGHT / 2, 'No figures yet', { class: 'empty', 'text-anchor': 'middle' }),
      );
    }
    const crossover = this.#crossover;
    if (crossover?.kind === 'at') {
      svg.append(...crossingMark(scales, crossover.leaves));
    }
    for (const lane of this.#names.keys()) {
      const points = this.#points.filter((point) => point.lane === lane);
      svg.append(...line(scales, lane, points));
    }
    this.#figure.replaceChildren(svg, this.#legend());
  }

  #legend(): HTMLElement {
    const items = [...this.#names].map(([lane, name]) => make('span', { class: `key ${lane}` }, name));
    return make('figcaption', { 'aria-hidden': true }, ...items);
  }
}

function scalesFor(points: readonly ReportPoint[], room: number): Scales {
  const width = Math.max(260, room);
  const sizes = points.map(({ leaves }) => Math.log2(leaves));
  const rates = points.map((point) => Math.log10(rateOf(point)));
  const low = points.length > 0 ? Math.floor(Math.min(...rates)) : EMPTY.decades[0];
  const powers = [
    Math.min(EMPTY.powers[0], ...sizes),
    Math.max(EMPTY.powers[1], ...sizes.map(Math.ceil)),
  ] as const;
  const decades = [
    low,
    points.length > 0 ? Math.max(low + 1, ...rates.map(Math.ceil)) : EMPTY.decades[1],
  ] as const;
  const inner = width - MARGIN.left - MARGIN.right;
  const high = HEIGHT - MARGIN.top - MARGIN.bottom;
  return {
    width,
    powers,
    decades,
    x: (size) => MARGIN.left + (inner * (Math.log2(size) - powers[0])) / (powers[1] - powers[0]),
    y: (rate) =>
      HEIGHT - MARGIN.bottom - (high * (Math.log10(rate) - decades[0])) / (decades[1] - decades[0]),
  };
}

type TextAttributes = Readonly<Record<string, string>>;

function text(
  x: number,
  y: number,
  content: string | SVGElement,
  attributes: TextAttributes = {},
): SVGElement {
  return makeSvg('text', { x, y, ...attributes }, content);
}

function* axes({ width, x, y, powers, decades }: Scales): Generator<SVGElement> {
  const [bottom, end] = [HEIGHT - MARGIN.bottom, width - MARGIN.right];
  for (let power = decades[0]; power <= decades[1]; power++) {
    const at = y(10 ** power);
    yield makeSvg('line', { class: 'grid', x1: MARGIN.left, x2: end, y1: at, y2: at });
    yield text(MARGIN.left - 8, at + 4, formatRate(10 ** power, 1), { 'text-anchor': 'end' });
  }
  const room = (end - MARGIN.left) / (powers[1] - powers[0]);
  for (let power = powers[0]; power <= powers[1]; power += Math.max(1, Math.ceil(LABEL_PIXELS / room))) {
    const at = x(2 ** power);
    yield makeSvg('line', { class: 'grid', x1: at, x2: at, y1: MARGIN.top, y2: bottom });
    const label = makeSvg(
      'tspan',
      {},
      '2',
      makeSvg('tspan', { dy: -5, 'font-size': '0.75em' }, String(power)),
    );
    yield text(at, bottom + 18, label, { 'text-anchor': 'middle' });
  }
  yield text(end, HEIGHT - 6, 'leaves', { 'text-anchor': 'end' });
  yield text(8, 16, 'hashes a second');
}

function* crossingMark({ x, width }: Scales, size: number): Generator<SVGElement> {
  const at = x(size);
  yield makeSvg('line', {
    class: 'crossing',
    x1: at,
    x2: at,
    y1: MARGIN.top - 20,
    y2: HEIGHT - MARGIN.bottom,
  });
  const [anchor, beside] = at > width / 2 ? (['end', at - 6] as const) : (['start', at + 6] as const);
  const attributes = { class: 'crossing', 'text-anchor': anchor };
  yield text(beside, MARGIN.top - 12, `wins from ${formatCount(size)}`, attributes);
}

function* line({ x, y }: Scales, lane: LaneId, points: readonly ReportPoint[]): Generator<SVGElement> {
  const spots = points.map((point) => [x(point.leaves), y(rateOf(point))] as const);
  yield makeSvg('polyline', { class: `line ${lane}`, points: spots.map((spot) => spot.join()).join(' ') });
  for (const [cx, cy] of spots) yield makeSvg('circle', { class: `dot ${lane}`, cx, cy, r: 3.5 });
}
