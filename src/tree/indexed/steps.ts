/**
 * Rewrites of leaves, one after the other, hashed level by level all at once.
 *
 * Step j turns the path of its leaf into new nodes, beside which stand nodes of earlier steps or of the old tree. On one
 * level all new nodes are known before the next is begun, so a level is one layer of independent pairs, as many as there
 * are steps; which earlier step wrote the node beside is index work. The siblings are kept: they are the witnesses.
 */
import type { Digest } from '../../bytes.js';
import { bytesOf, copyDigest, DIGEST_WORDS, wordsOf } from '../node-words.js';
import { beside, type PageSet, splitDigests } from './pages.js';
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

export class Steps {
  readonly count: number;
  readonly paths: Paths;
  /** Node of each step on the present level. */
  #own: Uint32Array;
  /** Positions that the steps touch on the present level, ascending, and which of them each step touches. */
  #positions: Float64Array;
  readonly #place: Int32Array;

  /**
   * @param positions of the leaves, in the order of the steps.
   * @param nodes of the leaves, each as its step leaves it.
   */
  constructor(positions: readonly number[], nodes: Digest, depth: number) {
    this.count = positions.length;
    this.paths = new Paths(this.count, depth);
    this.#own = wordsOf(nodes);
    this.#positions = distinct(positions);
    const places = new Map(Array.from(this.#positions, (position, i) => [position, i]));
    this.#place = Int32Array.from(positions, (position) => places.get(position)!);
  }

  /** Lays out the pairs of a level, and leaves its last nodes in the pages. */
  fill(level: number, pages: PageSet, pairs: Uint32Array): void {
    const positions = this.#positions;
    const [place, own] = [this.#place, this.#own];
    const besides = this.#addressesBeside(level, pages);
    const neighbours = neighbourPlaces(positions);
    const latest = new Int32Array(positions.length).fill(-1);
    for (let step = 0; step < this.count; step++) {
      const at = place[step]!;
      const neighbour = neighbours[at]!;
      const earlier = neighbour < 0 ? -1 : latest[neighbour]!;
      const isRight = positions[at]! % 2;
      const sibling = (2 * step + 1 - isRight) * DIGEST_WORDS;
      if (earlier < 0) copyDigest(pages.words, besides[at]!, pairs, sibling);
      else copyDigest(own, earlier * DIGEST_WORDS, pairs, sibling);
      copyDigest(own, step * DIGEST_WORDS, pairs, (2 * step + isRight) * DIGEST_WORDS);
      this.paths.set(step, level, pairs, sibling);
      latest[at] = step;
    }
    pages.write(level, positions, own, latest);
  }

  /** Takes the nodes of the next level. */
  take(nodes: Uint32Array): void {
    this.#own = nodes;
    const { positions, childOf } = parentsOf(this.#positions);
    this.#positions = positions;
    for (let step = 0; step < this.count; step++) this.#place[step] = childOf[this.#place[step]!]!;
  }

  /** What the last step left at the top. */
  get root(): Uint32Array {
    return this.#own.subarray((this.count - 1) * DIGEST_WORDS, this.count * DIGEST_WORDS);
  }

  /** Where the old nodes beside the touched positions lie. */
  #addressesBeside(level: number, pages: PageSet): Float64Array {
    const cursor = pages.cursor(level);
    return this.#positions.map((position) => cursor.find(beside(position)));
  }
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
