/** The tree as rings: leaves outside, the root in the middle, each cell in the colour of its digest. */
import type { Grown } from '../tasks.ts';
import { byId } from './dom.ts';
import { formatCount } from './format.ts';

/** Rings of the drawing that stands in for a tree before there is one. */
const GHOST_DEPTH = 12;
const REVEAL_MS = 900;
/** Cells of a proof are drawn at least this wide, in radians. */
const LEAST_ANGLE = 0.035;
const TURN = 2 * Math.PI;
/** Leaves begin at the top. */
const START = -TURN / 4;

/** A proof on the tree. */
export interface MarkedPath {
  readonly index: number;
  /** The lowest level whose node the proof gets wrong; absent for a proof that holds. */
  readonly wrongFrom?: number | undefined;
}

/** The drawing. It follows its size and the colours of the page. */
export class Rings {
  readonly #canvas = byId('rings', HTMLCanvasElement);
  readonly #context = this.#canvas.getContext('2d')!;
  readonly #still = document.createElement('canvas');
  #tree: Grown | undefined;
  #path: MarkedPath | undefined;
  #swept = 0;
  #frame = 0;

  constructor() {
    new ResizeObserver(() => this.#redraw()).observe(this.#canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#redraw());
    matchMedia('(forced-colors: active)').addEventListener('change', () => this.#redraw());
  }

  /** No tree, and how far one is that grows: from 0 to 1. */
  growing(part: number): void {
    this.#tree = undefined;
    this.#path = undefined;
    this.#swept = part;
    this.#describe('No tree yet.');
    this.#redraw();
  }

  show(tree: Grown): void {
    this.#tree = tree;
    this.#path = undefined;
    this.#describe(
      `${tree.depth + 1} rings, one for each layer: ${formatCount(tree.size)} leaves outside, the root in the middle.`,
    );
    this.#render();
    this.#reveal();
  }

  /** Draws a proof over the tree. */
  mark(path: MarkedPath | undefined): void {
    this.#path = path;
    this.#redraw();
  }

  #describe(text: string): void {
    this.#canvas.setAttribute('aria-label', text);
  }

  #redraw(): void {
    cancelAnimationFrame(this.#frame);
    this.#render();
    this.#paint(1);
  }

  #reveal(): void {
    cancelAnimationFrame(this.#frame);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.#paint(1);
      return;
    }
    const start = performance.now();
    const step = (now: number): void => {
      const part = Math.min(1, Math.max(0, (now - start) / REVEAL_MS));
      this.#paint(1 - (1 - part) ** 2);
      if (part < 1) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** Puts the outer `part` of the finished drawing on the page. */
  #paint(part: number): void {
    const { width } = this.#canvas;
    const context = this.#context;
    const middle = width / 2;
    context.clearRect(0, 0, width, width);
    context.save();
    context.beginPath();
    context.arc(middle, middle, middle, 0, TURN);
    context.arc(middle, middle, middle * (1 - part), 0, TURN, true);
    context.clip();
    context.drawImage(this.#still, 0, 0);
    context.restore();
  }

  /** Makes the finished drawing. */
  #render(): void {
    const width = Math.round(this.#canvas.clientWidth * devicePixelRatio);
    // Not laid out, or too small to be drawn on.
    if (width < 16) return;
    for (const canvas of [this.#canvas, this.#still]) {
      if (canvas.width !== width) canvas.width = canvas.height = width;
    }
    const context = this.#still.getContext('2d')!;
    context.clearRect(0, 0, width, width);
    const rings = new RingPlan(context, width, this.#tree?.depth ?? GHOST_DEPTH, this.#colour);
    // Behind a proof the tree steps back.
    context.globalAlpha = this.#path ? 0.5 : 1;
    if (this.#tree) rings.tree(this.#tree);
    else rings.ghost(this.#swept);
    context.globalAlpha = 1;
    if (this.#path) rings.path(this.#path);
  }

  /** A colour of the page's style. */
  #colour = (name: string): string => getComputedStyle(this.#canvas).getPropertyValue(`--${name}`).trim();
}

/** Radii and strokes of one drawing. */
class RingPlan {
  readonly #context: CanvasRenderingContext2D;
  readonly #middle: number;
  readonly #step: number;
  readonly #depth: number;
  readonly #colour: (name: string) => string;

  constructor(
    context: CanvasRenderingContext2D,
    width: number,
    depth: number,
    colour: (name: string) => string,
  ) {
    this.#context = context;
    this.#middle = width / 2;
    this.#depth = depth;
    this.#step = (this.#middle - 2) / (depth + 1);
    this.#colour = colour;
  }

  ghost(swept: number): void {
    for (let level = 0; level <= this.#depth; level++) {
      this.#cell(level, 0, 1, this.#colour('ring-empty'));
      if (swept > 0) this.#cell(level, 0, swept, this.#colour('ring-growing'));
    }
  }

  tree({ layers, depth }: Grown): void {
    const base = Number(this.#colour('ring-light'));
    const span = Number(this.#colour('ring-light-span'));
    for (const [level, { nodes, samples }] of layers.entries()) {
      this.#cell(level, 0, 1, this.#colour('ring-empty'));
      const count = samples.length / 2;
      const filled = nodes / 2 ** (depth - level);
      for (let i = 0; i < count; i++) {
        const hue = 70 + (95 * samples[2 * i]!) / 255;
        const light = base + (span * samples[2 * i + 1]!) / 255;
        this.#cell(level, (filled * i) / count, (filled * (i + 1)) / count, `oklch(${light}% 0.1 ${hue})`);
      }
    }
  }

  path({ index, wrongFrom = Number.POSITIVE_INFINITY }: MarkedPath): void {
    for (let level = 0; level <= this.#depth; level++) {
      const node = Math.floor(index / 2 ** level);
      const width = 2 ** (this.#depth - level);
      if (level < this.#depth) this.#wide(level, node % 2 ? node - 1 : node + 1, width, 'mark-sibling');
      this.#wide(level, node, width, level >= wrongFrom ? 'mark-wrong' : 'mark-path');
    }
  }

  /** A node wide enough to be seen. */
  #wide(level: number, node: number, width: number, colour: string): void {
    const centre = (node + 0.5) / width;
    const angle = Math.max(1 / width, LEAST_ANGLE / TURN);
    // Neighbours that are both widened stand beside each other.
    const shift = angle > 1 / width ? (node % 2 ? 0.5 : -0.5) * (angle - 1 / width) : 0;
    this.#cell(level, centre + shift - angle / 2, centre + shift + angle / 2, this.#colour(colour));
  }

  /** A part of a ring, `from` and `to` in turns. */
  #cell(level: number, from: number, to: number, colour: string): void {
    const outer = this.#step * (this.#depth - level + 1);
    const inner = Math.max(0, outer - this.#step);
    const gap = Math.min(this.#step * 0.12, 2);
    const context = this.#context;
    context.beginPath();
    context.arc(this.#middle, this.#middle, outer - gap, START + from * TURN, START + to * TURN);
    context.arc(this.#middle, this.#middle, inner, START + to * TURN, START + from * TURN, true);
    context.fillStyle = colour;
    context.fill();
  }
}
