/**
 * Rewrites of leaves, one after the other, hashed level by level all at once.
 *
 * Step j turns the path of its leaf into new nodes, beside which stand nodes of earlier steps or of the old tree. On one
 * level all new nodes are known before the next is begun, so a level is one layer of independent pairs; which earlier step
 * wrote the node beside is index work. The siblings are kept: they are the witnesses. Nodes that no witness shows, that no
 * later node is made of and that do not last are not hashed: above all those near the root, which each step makes anew.
 */
import type { Digest } from '../../bytes.js';
import { bytesOf, copyDigest, DIGEST_WORDS, wordsOf } from '../node-words.js';
import { beside, type PageCursor, type PageSet, splitDigests } from './pages.js';
import { distinct, parentsOf } from './positions.js';

/** The siblings that each step found. */
export class Paths {
  readonly #depth: number;
  /** The path of each step after that of the step before. */
  readonly #words: Uint32Array<ArrayBuffer>;

  constructor(steps: number, depth: number) {
    this.#depth = depth;
    this.#words = new Uint32Array(steps * depth * DIGEST_WORDS);
  }

  /** Takes the sibling that lies at `at` in `from`. */
  set(step: number, level: number, from: Uint32Array, at: number): void {
    copyDigest(from, at, this.#words, (step * this.#depth + level) * DIGEST_WORDS);
  }

  /** The path of a step, lowest first. */
  of(step: number): Digest[] {
    return splitDigests(bytesOf(this.#words), step * this.#depth, (step + 1) * this.#depth);
  }
}

/** One level of all steps. */
interface StepLevel {
  /** Positions that steps touch, ascending, and which of them each step touches. */
  readonly positions: Float64Array;
  readonly place: Int32Array;
  /** Which steps' nodes are wanted on this level. */
  readonly wanted: Uint8Array;
}

export class Steps {
  readonly count: number;
  readonly paths: Paths;
  readonly #levels: readonly StepLevel[];
  /** Nodes of the present level, and where that of each step lies among them. */
  #own: Uint32Array;
  readonly #slot: Int32Array;

  /**
   * @param positions of the leaves, in the order of the steps.
   * @param nodes of the leaves, each as its step leaves it.
   * @param covered a leaf that is written after all steps: what they leave above it does not last.
   */
  constructor(positions: readonly number[], nodes: Digest, depth: number, covered?: number) {
    this.count = positions.length;
    this.paths = new Paths(this.count, depth);
    this.#levels = planLevels(positions, depth, covered);
    this.#own = wordsOf(nodes);
    this.#slot = Int32Array.from(positions, (_, step) => step);
  }

  /** Pairs that a level hashes; never more than the level below it. */
  pairs(level: number): number {
    let count = 0;
    for (const wanted of this.#levels[level + 1]!.wanted) count += wanted;
    return count;
  }

  /** Lays out the pairs of a level, and leaves its last nodes in the pages. */
  fill(level: number, pages: PageSet, pairs: Uint32Array): void {
    const { positions, place } = this.#levels[level]!;
    const { wanted } = this.#levels[level + 1]!;
    const [own, slot] = [this.#own, this.#slot];
    const besides = addressesBeside(positions, pages.cursor(level));
    const neighbours = neighbourPlaces(positions);
    const latest = new Int32Array(positions.length).fill(-1);
    let pair = 0;
    for (let step = 0; step < this.count; step++) {
      const at = place[step]!;
      const neighbour = neighbours[at]!;
      const earlier = neighbour < 0 ? -1 : latest[neighbour]!;
      const [from, sibling] =
        earlier < 0 ? [pages.words, besides[at]!] : [own, slot[earlier]! * DIGEST_WORDS];
      this.paths.set(step, level, from, sibling);
      latest[at] = step;
      if (!wanted[step]) continue;
      const isRight = positions[at]! % 2;
      copyDigest(own, slot[step]! * DIGEST_WORDS, pairs, (2 * pair + isRight) * DIGEST_WORDS);
      copyDigest(from, sibling, pairs, (2 * pair + 1 - isRight) * DIGEST_WORDS);
      pair++;
    }
    const last = latest.map((step) => slot[step]!);
    pages.write(level, positions, own, last);
  }

  /** Takes the nodes of level `level`, those that are wanted. */
  take(level: number, nodes: Uint32Array): void {
    this.#own = nodes;
    const { wanted } = this.#levels[level]!;
    let next = 0;
    for (let step = 0; step < this.count; step++) this.#slot[step] = wanted[step] ? next++ : -1;
  }

  /** What the last step left at the top, once all levels are done. */
  get root(): Uint32Array {
    return this.#own;
  }
}

/** Where steps go on each level, from the leaves to the root, and which of their nodes are wanted there. */
function planLevels(leaves: readonly number[], depth: number, covered: number | undefined): StepLevel[] {
  const count = leaves.length;
  let positions = distinct(leaves);
  const places = new Map(Array.from(positions, (position, i) => [position, i]));
  let place = Int32Array.from(leaves, (position) => places.get(position)!);
  const levels: StepLevel[] = [];
  const parents: Int32Array[] = [];
  for (let level = 0; level <= depth; level++) {
    levels.push({ positions, place, wanted: new Uint8Array(count) });
    const above = parentsOf(positions);
    parents.push(above.childOf);
    place = place.map((at) => above.childOf[at]!);
    positions = above.positions;
  }
  // Of all roots only the last one is told, if it lasts.
  if (count > 0 && covered === undefined) levels[depth]!.wanted[count - 1] = 1;
  for (let level = depth - 1; level >= 0; level--) {
    const isTaken = new Uint8Array(levels[level]!.positions.length);
    const above =
      covered === undefined ? -1 : levels[level]!.positions.indexOf(Math.floor(covered / 2 ** level));
    if (above >= 0) isTaken[above] = 1;
    markWanted(levels[level]!, levels[level + 1]!, parents[level]!, isTaken);
  }
  return levels;
}

/**
 * A node is wanted when it lasts, when the next step that comes by sees it beside itself, or for the node above.
 *
 * @param isTaken positions whose node a later one replaces.
 */
function markWanted(
  { place, wanted }: StepLevel,
  above: StepLevel,
  parentOf: Int32Array,
  isTaken: Uint8Array,
): void {
  /** Where the next step that comes by a parent comes from. */
  const next = new Int32Array(above.positions.length).fill(-1);
  for (let step = place.length - 1; step >= 0; step--) {
    const at = place[step]!;
    const parent = parentOf[at]!;
    const isSeen = next[parent]! >= 0 && next[parent] !== at;
    wanted[step] = !isTaken[at] || isSeen || above.wanted[step] ? 1 : 0;
    isTaken[at] = 1;
    next[parent] = at;
  }
}

/** Where the old nodes beside some positions lie. */
function addressesBeside(positions: Float64Array, cursor: PageCursor): Float64Array {
  return positions.map((position) => cursor.find(beside(position)));
}

/** For each position the place of the one beside it, -1 where it is not among them. */
function neighbourPlaces(positions: Float64Array): Int32Array {
  const places = new Int32Array(positions.length).fill(-1);
  for (let i = 1; i < positions.length; i++) {
    if (positions[i]! % 2 && positions[i - 1] === positions[i]! - 1) {
      places[i] = i - 1;
      places[i - 1] = i;
    }
  }
  return places;
}
