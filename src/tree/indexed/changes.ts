/**
 * Leaves that change all at once: each node above them is hashed once.
 */
import type { Digest } from '../../bytes.js';
import { copyDigest, DIGEST_WORDS, wordsOf } from '../node-words.js';
import { beside, type PageSet } from './pages.js';
import { parentsOf } from './positions.js';

export class Changes {
  /** Changed nodes of the present level, at ascending positions. */
  #positions: Float64Array;
  #nodes: Uint32Array;
  #parents: Float64Array;

  constructor(positions: Float64Array, nodes: Digest) {
    this.#positions = positions;
    this.#nodes = wordsOf(nodes);
    this.#parents = parentsOf(positions).positions;
  }

  /** Pairs of the present level. */
  get pairs(): number {
    return this.#parents.length;
  }

  /** Lays out the pairs of a level, and leaves its nodes in the pages. */
  fill(level: number, pages: PageSet, pairs: Uint32Array): void {
    const [positions, nodes] = [this.#positions, this.#nodes];
    pages.write(level, positions, nodes);
    const cursor = pages.cursor(level);
    for (let i = 0, pair = 0; i < positions.length; i++, pair++) {
      const left = pair * 2 * DIGEST_WORDS;
      const position = positions[i]!;
      const isRight = position % 2;
      copyDigest(nodes, i * DIGEST_WORDS, pairs, left + isRight * DIGEST_WORDS);
      if (!isRight && positions[i + 1] === position + 1) {
        copyDigest(nodes, ++i * DIGEST_WORDS, pairs, left + DIGEST_WORDS);
      } else {
        copyDigest(pages.words, cursor.find(beside(position)), pairs, left + (1 - isRight) * DIGEST_WORDS);
      }
    }
  }

  /** Takes the nodes of the next level. */
  take(nodes: Uint32Array): void {
    this.#nodes = nodes;
    this.#positions = this.#parents;
    this.#parents = parentsOf(this.#positions).positions;
  }

  /** The node at the top, once all levels are done; undefined where nothing changed. */
  get root(): Uint32Array | undefined {
    return this.#nodes.length ? this.#nodes : undefined;
  }
}
