/**
 * How the nodes of an indexed tree lie in a store, and the part of them that one change works on.
 *
 * Any leaf can be rewritten, and with it the nodes above, so a page holds a whole subtree of `PAGE_LEVELS` levels
 * without its top node: level by level, empty nodes filled in. Low leaves are scattered, and a rewritten node costs its
 * whole page, so pages are small. A page is there exactly when a leaf stands below it.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { readMany } from '../../store/read.js';
import type { NodeStore, StoreOp } from '../../store/types.js';
import { positionKey } from '../keys.js';
import { bytesOf, copyDigest, DIGEST_WORDS, wordsOf } from '../node-words.js';

/** Levels of one page: 30 nodes, 960 bytes. */
const PAGE_LEVELS = 4;
const PAGE_WIDTH = 2 ** PAGE_LEVELS;
const PAGE_WORDS = (2 * PAGE_WIDTH - 2) * DIGEST_WORDS;
const PAGE_BYTES = PAGE_WORDS * 4;

/** Where level k of a page begins, in nodes. */
const LEVEL_START: readonly number[] = [0, 16, 24, 28];

/** Which tree the pages are of. */
export interface PagesAt {
  readonly prefix: Uint8Array;
  /** Levels above the leaves. */
  readonly depth: number;
  /** `zeros[k]` is an empty subtree of height k. */
  readonly zeros: readonly Digest[];
}

/** Pages of the same levels, ascending. */
interface Band {
  readonly bottom: number;
  readonly indices: readonly number[];
  /** Place of the first one among all pages. */
  readonly first: number;
}

/** One page: its lowest level, its position among the pages of that level, its place among all pages in memory. */
interface Place {
  readonly bottom: number;
  readonly index: number;
  readonly place: number;
}

/** Pages on the paths of some leaves, in memory. */
export class PageSet {
  readonly words: Uint32Array<ArrayBuffer>;
  readonly #at: PagesAt;
  readonly #bands: readonly Band[];

  /**
   * Reads the pages on the paths of leaves, all in one call of the store; those without a leaf yet begin empty.
   *
   * @param positions of the leaves, ascending, each once.
   * @param size leaves in the tree.
   * @throws {CambiumError} `STORE_CORRUPT` when a page is missing or has another length.
   */
  static async read(
    store: NodeStore,
    at: PagesAt,
    positions: ArrayLike<number>,
    size: number,
  ): Promise<PageSet> {
    const pages = new PageSet(at, positions);
    const known: Place[] = [];
    for (const place of pages.#places()) {
      if (firstLeaf(place) < size) known.push(place);
      else pages.words.set(emptyPage(place.bottom, at), place.place * PAGE_WORDS);
    }
    const values = await readMany(
      store,
      known.map((place) => pages.#key(place)),
    );
    for (const [i, { bottom, index, place }] of known.entries()) {
      const value = values[i];
      if (value?.length !== PAGE_BYTES) {
        const found = value ? `${value.length} bytes` : 'nothing';
        throw new CambiumError('STORE_CORRUPT', `page ${index} of level ${bottom}: ${found} in the store`);
      }
      bytesOf(pages.words).set(value, place * PAGE_BYTES);
    }
    return pages;
  }

  private constructor(at: PagesAt, positions: ArrayLike<number>) {
    this.#at = at;
    const bands: Band[] = [];
    let first = 0;
    let below: ArrayLike<number> = positions;
    for (let bottom = 0; bottom < at.depth; bottom += PAGE_LEVELS) {
      const indices: number[] = [];
      for (let i = 0; i < below.length; i++) {
        const index = Math.floor(below[i]! / PAGE_WIDTH);
        if (index !== indices.at(-1)) indices.push(index);
      }
      bands.push({ bottom, indices, first });
      first += indices.length;
      below = indices;
    }
    this.#bands = bands;
    this.words = new Uint32Array(first * PAGE_WORDS);
  }

  /** Finds nodes of a level that are asked for in ascending order. */
  cursor(level: number): PageCursor {
    const { bottom, indices, first } = this.#bands[Math.floor(level / PAGE_LEVELS)]!;
    return new PageCursor(level - bottom, indices, first);
  }

  /** Writes nodes of a level: digest `order[i]` of `nodes` at position `positions[i]`; none where that is negative. */
  write(level: number, positions: Float64Array, nodes: Uint32Array, order?: Int32Array): void {
    const cursor = this.cursor(level);
    for (let i = 0; i < positions.length; i++) {
      const from = order ? order[i]! : i;
      if (from >= 0) copyDigest(nodes, from * DIGEST_WORDS, this.words, cursor.find(positions[i]!));
    }
  }

  /** A node of a level; a copy. */
  node(level: number, position: number): Digest {
    const at = this.cursor(level).find(position);
    return bytesOf(this.words.slice(at, at + DIGEST_WORDS));
  }

  /** The siblings of a leaf's path, lowest first; its page set must hold that path. */
  siblings(position: number): Digest[] {
    return Array.from({ length: this.#at.depth }, (_, level) =>
      this.node(level, beside(Math.floor(position / 2 ** level))),
    );
  }

  /** Writes all pages. */
  ops(): StoreOp[] {
    return this.#places().map((page) => ({
      put: this.#key(page),
      value: bytesOf(this.words.subarray(page.place * PAGE_WORDS, (page.place + 1) * PAGE_WORDS)),
    }));
  }

  #places(): Place[] {
    return this.#bands.flatMap(({ bottom, indices, first }) =>
      indices.map((index, i) => ({ bottom, index, place: first + i })),
    );
  }

  #key({ bottom, index }: Place): Digest {
    return positionKey(this.#at.prefix, 'p', bottom, index);
  }
}

/** Walks over the pages of a level. */
export class PageCursor {
  readonly #start: number;
  readonly #width: number;
  readonly #indices: readonly number[];
  readonly #first: number;
  #at = 0;

  constructor(within: number, indices: readonly number[], first: number) {
    this.#start = LEVEL_START[within]!;
    this.#width = PAGE_WIDTH >> within;
    this.#indices = indices;
    this.#first = first;
  }

  /** Where the node lies, in words; positions must not descend, siblings aside. */
  find(position: number): number {
    const within = position % this.#width;
    const index = (position - within) / this.#width;
    while (this.#indices[this.#at]! < index) this.#at++;
    return (this.#first + this.#at) * PAGE_WORDS + (this.#start + within) * DIGEST_WORDS;
  }
}

/** The position beside a position. */
export function beside(position: number): number {
  return position % 2 ? position - 1 : position + 1;
}

/** Digests `from` to `to` of many, each as a view. */
export function splitDigests(digests: Digest, from: number, to: number): Digest[] {
  const split: Digest[] = [];
  for (let i = from; i < to; i++) split.push(digests.subarray(i * DIGEST_BYTES, (i + 1) * DIGEST_BYTES));
  return split;
}

/** The first leaf below a page. */
function firstLeaf({ bottom, index }: Place): number {
  return index * 2 ** (bottom + PAGE_LEVELS);
}

const emptyPages: WeakMap<readonly Digest[], Uint32Array[]> = /* @__PURE__ */ new WeakMap();

/** A page without a leaf below it; kept, for each tree and level. */
function emptyPage(bottom: number, { depth, zeros }: PagesAt): Uint32Array {
  const known = emptyPages.get(zeros) ?? [];
  emptyPages.set(zeros, known);
  const page = known[bottom] ?? new Uint32Array(PAGE_WORDS);
  if (known[bottom]) return page;
  for (let within = 0; within < PAGE_LEVELS && bottom + within < depth; within++) {
    const zero = wordsOf(zeros[bottom + within]!);
    const start = LEVEL_START[within]!;
    for (let i = 0; i < PAGE_WIDTH >> within; i++) copyDigest(zero, 0, page, (start + i) * DIGEST_WORDS);
  }
  known[bottom] = page;
  return page;
}
