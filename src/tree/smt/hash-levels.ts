/**
 * The levels of one change: one layer of pairs each, with one hash for each node that changes and is not empty.
 */
import type { JobOptions } from '../../backend/types.js';
import { throwIfAborted } from '../../errors.js';
import type { Hasher } from '../../hasher.js';
import { hashLayer } from '../layers.js';
import { bytesOf, copyDigest, DIGEST_WORDS, wordsOf } from '../node-words.js';
import type { Draft } from './draft.js';
import { type Band, heapIndex } from './layout.js';
import type { Page } from './page.js';
import type { SmtAt } from './read.js';

/** Where a node of the next level comes from, if it is not hashed. */
const EMPTY = -1;
const KEPT = -2;

/** The nodes of one height, by the first leaf below each. */
class Level {
  readonly draft: Draft;
  count: number;
  readonly leaves: Int32Array;
  /** 1 where all leaves below are gone. */
  readonly empty: Uint8Array;
  /** 1 where the one leaf below stays as it is. */
  readonly kept: Uint8Array;
  /** The nodes themselves; zeros where they are empty. */
  readonly nodes: Uint32Array<ArrayBuffer>;
  readonly pairs: Uint32Array<ArrayBuffer>;
  readonly #parents: Uint32Array<ArrayBuffer>;
  readonly #sources: Int32Array;

  constructor(draft: Draft) {
    const { count } = draft;
    this.draft = draft;
    this.count = count;
    this.leaves = Int32Array.from({ length: count }, (_, i) => i);
    this.empty = draft.empty.slice();
    this.kept = Uint8Array.from(draft.kept, (record) => (record ? 1 : 0));
    this.nodes = new Uint32Array(count * DIGEST_WORDS);
    this.pairs = new Uint32Array(2 * count * DIGEST_WORDS);
    this.#parents = new Uint32Array(count * DIGEST_WORDS);
    this.#sources = new Int32Array(count);
    draft.fill(this.nodes);
  }

  /** Leaves the nodes of a height in records and in pages of their band. */
  keep(height: number, band: number, heights: Band): void {
    const { leaves, nodes, count } = this;
    const { records } = this.draft;
    const { tops, words } = records;
    for (let i = 0; i < count; i++) {
      const leaf = leaves[i]!;
      if (height > tops[leaf]! || this.kept[i]) continue;
      copyDigest(nodes, i * DIGEST_WORDS, words, records.node(leaf, height));
    }
    if (this.draft.pages[band]) this.#keepInPages(height, this.draft.pages[band], heights);
  }

  #keepInPages(height: number, pages: readonly (Page | undefined)[], heights: Band): void {
    const { high, low, tops } = this.draft;
    const isSlot = height === heights.bottom;
    for (let i = 0; i < this.count; i++) {
      const leaf = this.leaves[i]!;
      const page = pages[leaf];
      if (!page) continue;
      const place = heapIndex(high[leaf]!, low[leaf]!, height, heights);
      if (this.empty[i]) page.remove(place);
      else {
        page.write(place, this.nodes, i * DIGEST_WORDS);
        if (!isSlot) continue;
        const isAlone = height <= tops[leaf]!;
        page.setLone(place, isAlone ? { high: high[leaf]!, low: low[leaf]! } : undefined);
      }
    }
  }

  /** Pairs up the nodes of a height; returns the number of pairs to hash. */
  pair(height: number, band: number, heights: Band, zero: Uint32Array): number {
    const { leaves, empty, kept, pairs, count } = this;
    const { meets, high, low, pages } = this.draft;
    const ofBand = pages[band];
    // The bit of a height, without a call for each node.
    const words = height < 32 ? low : high;
    let parents = 0;
    let hashed = 0;
    for (let i = 0; i < count; i++) {
      const leaf = leaves[i]!;
      const left = 2 * hashed * DIGEST_WORDS;
      let source = hashed;
      if (i + 1 < count && meets[leaves[i + 1]!] === height + 1) {
        if (empty[i] && empty[i + 1]) source = EMPTY;
        else {
          this.#put(i, zero, left);
          this.#put(i + 1, zero, left + DIGEST_WORDS);
        }
        i++;
      } else if (kept[i]) source = KEPT;
      else {
        const own = left + DIGEST_WORDS * ((words[leaf]! >>> (height & 31)) & 1);
        const beside = 2 * left + DIGEST_WORDS - own;
        const page = ofBand?.[leaf];
        const hasSibling =
          page?.read(heapIndex(high[leaf]!, low[leaf]!, height, heights) ^ 1, pairs, beside) ?? false;
        if (empty[i] && !hasSibling) source = EMPTY;
        else {
          this.#put(i, zero, own);
          if (!hasSibling) copyDigest(zero, 0, pairs, beside);
        }
      }
      if (source >= 0) hashed++;
      leaves[parents] = leaf;
      empty[parents] = source === EMPTY ? 1 : 0;
      kept[parents] = source === KEPT ? 1 : 0;
      this.#sources[parents++] = source;
    }
    this.count = parents;
    return hashed;
  }

  /** Hashes the pairs and takes over their parents. */
  async hash(hasher: Hasher, count: number, height: number, signal: AbortSignal | undefined): Promise<void> {
    const isPlain = count === this.count;
    const out = (isPlain ? this.nodes : this.#parents).subarray(0, count * DIGEST_WORDS);
    const pairs = this.pairs.subarray(0, 2 * count * DIGEST_WORDS);
    if (count) await hashLayer(hasher, bytesOf(pairs), bytesOf(out), signal);
    if (isPlain) return;
    for (let i = 0; i < this.count; i++) {
      const source = this.#sources[i]!;
      if (source >= 0) copyDigest(this.#parents, source * DIGEST_WORDS, this.nodes, i * DIGEST_WORDS);
      else if (source === KEPT) {
        const { chain } = this.draft.kept[this.leaves[i]!]!;
        copyDigest(chain, (height + 1) * DIGEST_WORDS, this.nodes, i * DIGEST_WORDS);
      }
    }
  }

  #put(i: number, zero: Uint32Array, at: number): void {
    if (this.empty[i]) copyDigest(zero, 0, this.pairs, at);
    else copyDigest(this.nodes, i * DIGEST_WORDS, this.pairs, at);
  }
}

/**
 * Hashes all levels of a draft and leaves their nodes in its pages and records.
 *
 * @returns the words of the root; undefined where the tree is empty.
 * @throws {CambiumError} `ABORTED`; what the hasher throws.
 */
export async function hashLevels(
  hasher: Hasher,
  { depth, bands, zeros }: SmtAt,
  draft: Draft,
  { signal, onProgress }: JobOptions,
): Promise<Uint32Array | undefined> {
  const level = new Level(draft);
  let band = bands.length - 1;
  for (let height = 0; height < depth; height++) {
    throwIfAborted(signal);
    if (height === bands[band]!.top) band--;
    const heights = bands[band]!;
    level.keep(height, band, heights);
    const count = level.pair(height, band, heights, wordsOf(zeros[height]!));
    await level.hash(hasher, count, height, signal);
    onProgress?.({ done: height + 1, total: depth, phase: 'levels' });
  }
  return level.empty[0] ? undefined : level.nodes.slice(0, DIGEST_WORDS);
}
