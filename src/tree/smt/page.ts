/**
 * One page of a sparse Merkle tree: the nodes of eight levels that are not empty.
 *
 * In the store: a bit for each of the 512 places of a heap whose root is 1, a bit for each of its 256 lowest places that
 * holds a lone leaf, the digests of the first and the positions of the second, as pairs of words.
 */
import type { Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { bytesOf, copyDigest, DIGEST_WORDS } from '../node-words.js';
import { BAND_LEVELS, type Band } from './layout.js';

const PLACES = 2 << BAND_LEVELS;
const SLOTS = 1 << BAND_LEVELS;
/** Words of both bit maps. */
const MAP_WORDS = (PLACES + SLOTS) / 32;

/** The position of the one leaf below a slot. */
export interface LoneLeaf {
  readonly high: number;
  readonly low: number;
}

/** A page that is read, or new, and takes changes. */
export class Page {
  readonly band: number;
  readonly high: number;
  readonly low: number;
  /** Whether the store has it. */
  readonly stored: boolean;
  /** For each place: 0 where it is empty, else one more than the number of its digest. */
  readonly #at = new Uint16Array(PLACES);
  readonly #lone = new Map<number, LoneLeaf>();
  readonly #slotsFrom: number;
  #digests: Uint32Array<ArrayBuffer>;
  /** Digests, those of places that were emptied included. */
  #count = 0;
  /** Places that are not empty. */
  #present = 0;

  /** @throws {CambiumError} `STORE_CORRUPT` when the bytes are no page. */
  constructor(band: number, heights: Band, high: number, low: number, value?: Digest) {
    this.band = band;
    this.high = high;
    this.low = low;
    this.stored = value !== undefined;
    this.#slotsFrom = 1 << (heights.top - heights.bottom);
    this.#digests = NO_WORDS;
    if (value) this.#decode(value);
  }

  get isEmpty(): boolean {
    return this.#present === 0;
  }

  has(place: number): boolean {
    return this.#at[place]! > 0;
  }

  /** The leaf that is alone below a slot; undefined where a page follows. */
  loneLeaf(place: number): LoneLeaf | undefined {
    return this.#lone.get(place);
  }

  /** Copies a node out; false, and nothing copied, where it is empty. */
  read(place: number, to: Uint32Array, at: number): boolean {
    const number = this.#at[place]!;
    if (number === 0) return false;
    copyDigest(this.#digests, (number - 1) * DIGEST_WORDS, to, at);
    return true;
  }

  /** Puts a node, copied, in its place. */
  write(place: number, from: Uint32Array, at: number): void {
    let number = this.#at[place]!;
    if (number === 0) {
      number = ++this.#count;
      this.#present++;
      this.#at[place] = number;
      if (number * DIGEST_WORDS > this.#digests.length) this.#grow();
    }
    copyDigest(from, at, this.#digests, (number - 1) * DIGEST_WORDS);
  }

  /** Says what is below a slot: one leaf, or another page. */
  setLone(place: number, leaf: LoneLeaf | undefined): void {
    if (leaf) this.#lone.set(place, leaf);
    else this.#lone.delete(place);
  }

  /** Empties a place. */
  remove(place: number): void {
    if (this.#at[place]) this.#present--;
    this.#at[place] = 0;
    this.#lone.delete(place);
  }

  /** What the store keeps. */
  encode(): Digest {
    let digest = MAP_WORDS;
    let leaf = MAP_WORDS + this.#present * DIGEST_WORDS;
    const words = new Uint32Array(leaf + 2 * this.#lone.size);
    for (let place = 2; place < 2 * this.#slotsFrom; place++) {
      if (this.#at[place] === 0) continue;
      this.read(place, words, digest);
      words[place >>> 5]! |= 1 << (place & 31);
      digest += DIGEST_WORDS;
      const lone = this.#lone.get(place);
      if (!lone) continue;
      const slot = PLACES + place - this.#slotsFrom;
      words[slot >>> 5]! |= 1 << (slot & 31);
      words[leaf++] = lone.high;
      words[leaf++] = lone.low;
    }
    return bytesOf(words);
  }

  #decode(value: Digest): void {
    const words = alignedWords(value);
    let leaf = MAP_WORDS;
    const marked = (bit: number): boolean => ((words[bit >>> 5]! >>> (bit & 31)) & 1) === 1;
    if (words.length >= MAP_WORDS) {
      for (let place = 2; place < 2 * this.#slotsFrom; place++) {
        if (marked(place)) this.#at[place] = ++this.#count;
      }
      leaf += this.#count * DIGEST_WORDS;
      for (let slot = 0; slot < this.#slotsFrom; slot++) {
        if (!marked(PLACES + slot)) continue;
        this.#lone.set(this.#slotsFrom + slot, { high: words[leaf]!, low: words[leaf + 1]! });
        leaf += 2;
      }
    }
    if (words.length < MAP_WORDS || leaf !== words.length) {
      throw new CambiumError('STORE_CORRUPT', `a page of band ${this.band} has ${value.length} bytes`);
    }
    this.#present = this.#count;
    this.#digests = words.slice(MAP_WORDS, MAP_WORDS + this.#count * DIGEST_WORDS);
  }

  #grow(): void {
    const more = new Uint32Array(Math.max(BAND_LEVELS * DIGEST_WORDS, 2 * this.#digests.length));
    more.set(this.#digests);
    this.#digests = more;
  }
}

const NO_WORDS: Uint32Array<ArrayBuffer> = /* @__PURE__ */ new Uint32Array(0);

/** The words of what a store gave, copied only where it does not begin at one; none where it is not made of them. */
export function alignedWords(value: Digest): Uint32Array<ArrayBuffer> {
  if (value.length % 4) return NO_WORDS;
  const aligned = value.byteOffset % 4 ? value.slice() : value;
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}
