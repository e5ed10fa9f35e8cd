/** The chart of both backends over sizes, as SVG: logarithmic axes, drawn anew for every point and width. */
import type { CurvePoint, Lane } from '../tasks.ts';
import { findCrossover, lanePoints } from './crossover.ts';
import { make, makeSvg } from './dom.ts';
import { formatCount, formatRate } from './format.ts';
import { laneNames } from './lanes.ts';

const HEIGHT = 340;
const MARGIN = { top: 34, right: 18, bottom: 44, left: 62 };
/** Pixels that a label of the lower axis needs. */
const LABEL_PIXELS = 46;
const LANES: readonly Lane[] = ['cpu', 'gpu'];

/** From values to pixels. */
interface Scales {
  readonly width: number;
  readonly x: (leaves: number) => number;
  readonly y: (rate: number) => number;
  /** Exponents of two and of ten at the ends of the axes. */
  readonly powers: readonly [number, number];
  readonly decades: readonly [number, number];
}

const rateOf = ({ leaves, seconds }: CurvePoint): number => (leaves - 1) / seconds;

/** Draws into `figure`, at its width. */
export class CurveChart {
  readonly #figure: HTMLElement;
  #points: readonly CurvePoint[] = [];
  #names = laneNames(false);

  constructor(figure: HTMLElement) {
    this.#figure = figure;
    new ResizeObserver(() => this.#draw()).observe(figure);
  }

  /** @param names what the lines are called. */
  show(points: readonly CurvePoint[], names: Readonly<Record<Lane, string>>): void {
    this.#points = points;
    this.#names = names;
    this.#draw();
  }

  #draw(): void {
    const scales = this.#scales();
    const svg = makeSvg('svg', {
      viewBox: `0 0 ${scales.width} ${HEIGHT}`,
      role: 'img',
      'aria-label': `Hashes a second by number of leaves, ${LANES.map((lane) => this.#names[lane]).join(' and ')}. The figures are in the table below.`,
    });
    svg.append(...axes(scales));
    if (this.#points.length === 0) {
      svg.append(
        text(scales.width / 2, HEIGHT / 2, 'No figures yet', { class: 'empty', 'text-anchor': 'middle' }),
      );
    }
    const crossing = findCrossover(this.#points);
    if (crossing.kind === 'at') svg.append(...crossingMark(scales, crossing.leaves, this.#names.gpu));
    for (const lane of LANES) svg.append(...line(scales, lane, lanePoints(this.#points, lane)));
    this.#figure.replaceChildren(svg, this.#legend());
  }

  #legend(): HTMLElement {
    const items = LANES.map((lane) => make('span', { class: `key ${lane}` }, this.#names[lane]));
    return make('figcaption', { 'aria-hidden': true }, ...items);
  }

  #scales(): Scales {
    const width = Math.max(260, this.#figure.clientWidth);
    const powers = [6, Math.max(14, ...this.#points.map(({ leaves }) => Math.log2(leaves)))] as const;
    const rates = this.#points.map((point) => Math.log10(rateOf(point)));
    const low = rates.length > 0 ? Math.floor(Math.min(...rates)) : 4;
    const decades = [low, Math.max(low + 2, ...rates.map(Math.ceil))] as const;
    const inner = width - MARGIN.left - MARGIN.right;
    const high = HEIGHT - MARGIN.top - MARGIN.bottom;
    return {
      width,
      powers,
      decades,
      x: (leaves) => MARGIN.left + (inner * (Math.log2(leaves) - powers[0])) / (powers[1] - powers[0]),
      y: (rate) =>
        HEIGHT - MARGIN.bottom - (high * (Math.log10(rate) - decades[0])) / (decades[1] - decades[0]),
    };
  }
}

function text(
  x: number,
  y: number,
  content: string | SVGElement,
  attributes: Record<string, string> = {},
): SVGElement {
  return makeSvg('text', { x, y, ...attributes }, content);
}

function* axes({ width, x, y, powers, decades }: Scales): Generator<SVGElement> {
  const bottom = HEIGHT - MARGIN.bottom;
  for (let power = decades[0]; power <= decades[1]; power++) {
    const at = y(10 ** power);
    yield makeSvg('line', { class: 'grid', x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at });
    yield text(MARGIN.left - 8, at + 4, formatRate(10 ** power, 1), { 'text-anchor': 'end' });
  }
  const room = (width - MARGIN.left - MARGIN.right) / (powers[1] - powers[0]);
  const every = Math.max(1, Math.ceil(LABEL_PIXELS / room));
  for (let power = powers[0]; power <= powers[1]; power += every) {
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
  yield text(width - MARGIN.right, HEIGHT - 6, 'leaves', { 'text-anchor': 'end' });
  yield text(8, 16, 'hashes a second');
}

function* crossingMark({ x, width }: Scales, leaves: number, name: string): Generator<SVGElement> {
  const at = x(leaves);
  yield makeSvg('line', {
    class: 'crossing',
    x1: at,
    x2: at,
    y1: MARGIN.top - 8,
    y2: HEIGHT - MARGIN.bottom,
  });
  const anchor = at > width / 2 ? 'end' : 'start';
  yield text(at + (anchor === 'end' ? -6 : 6), MARGIN.top - 4, `${name} wins from ${formatCount(leaves)}`, {
    class: 'crossing',
    'text-anchor': anchor,
  });
}

function* line({ x, y }: Scales, lane: Lane, points: readonly CurvePoint[]): Generator<SVGElement> {
  const spots = points.map((point) => [x(point.leaves), y(rateOf(point))] as const);
  yield makeSvg('polyline', { class: `line ${lane}`, points: spots.map((spot) => spot.join()).join(' ') });
  for (const [cx, cy] of spots) yield makeSvg('circle', { class: `dot ${lane}`, cx, cy, r: 3.5 });
}
