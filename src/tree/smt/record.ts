/**
 * The record of a leaf: its node, the nodes above it that no other leaf shares, and its entries.
 *
 * In the store: the number of nodes and of entries in a word each, the nodes from the leaf upward, the entries.
 */
import type { Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { bytesOf, DIGEST_WORDS } from '../node-words.js';
import { alignedWords } from './page.js';

const HEAD_WORDS = 2;
/** A key and a value. */
const ENTRY_WORDS = 2 * DIGEST_WORDS;
/** Bytes of an entry: a key and a value of 32 each. */
export const ENTRY_BYTES: number = 4 * ENTRY_WORDS;

/** A leaf that is not empty. */
export interface LeafRecord {
  /** Its node and those above it, from the leaf upward: at least up to the slot that holds it. */
  readonly chain: Uint32Array;
  /** Its entries as `n x 64` bytes; none in a tree whose leaves are values. */
  readonly entries: Digest;
  /** Whether the store has it. */
  readonly stored: boolean;
}

/** An entry-less record that stands in its page alone. */
export function bareRecord(node: Uint32Array): LeafRecord {
  return { chain: node, entries: NO_ENTRIES, stored: false };
}

export const NO_ENTRIES: Digest = /* @__PURE__ */ new Uint8Array(0);

/**
 * @param nodes least number of nodes that the record must have.
 * @throws {CambiumError} `STORE_CORRUPT` when the bytes are no such record.
 */
export function decodeRecord(value: Digest | undefined, nodes: number): LeafRecord {
  const words = alignedWords(value ?? NO_ENTRIES);
  const [chain = 0, entries = 0] = words;
  const from = HEAD_WORDS + chain * DIGEST_WORDS;
  if (chain < nodes || words.length !== from + entries * ENTRY_WORDS) {
    const found = value ? `${value.length} bytes` : 'nothing';
    throw new CambiumError('STORE_CORRUPT', `the record of a leaf: ${found} in the store`);
  }
  return { chain: words.subarray(HEAD_WORDS, from), entries: bytesOf(words.subarray(from)), stored: true };
}

/** Room for the records of a change, in one piece of memory: thousands of small arrays cost more than their content. */
export class RecordRoom {
  readonly words: Uint32Array<ArrayBuffer>;
  /** Height of the last node of each record; negative where there is none. */
  readonly tops: Int8Array;
  readonly #starts: Float64Array;

  constructor(tops: Int8Array, entries: (leaf: number) => Digest) {
    this.tops = tops;
    const starts = new Float64Array(tops.length + 1);
    for (let i = 0; i < tops.length; i++) {
      const size = HEAD_WORDS + (tops[i]! + 1) * DIGEST_WORDS + entries(i).length / 4;
      starts[i + 1] = starts[i]! + (tops[i]! < 0 ? 0 : size);
    }
    this.#starts = starts;
    this.words = new Uint32Array(starts[tops.length]!);
    const bytes = bytesOf(this.words);
    for (let i = 0; i < tops.length; i++) {
      if (tops[i]! < 0) continue;
      const at = starts[i]!;
      const own = entries(i);
      this.words[at] = tops[i]! + 1;
      this.words[at + 1] = own.length / ENTRY_BYTES;
      bytes.set(own, 4 * (at + HEAD_WORDS + (tops[i]! + 1) * DIGEST_WORDS));
    }
  }

  /** Where the node at a height goes. */
  node(leaf: number, height: number): number {
    return this.#starts[leaf]! + HEAD_WORDS + height * DIGEST_WORDS;
  }

  /** What the store keeps of a leaf. */
  value(leaf: number): Digest {
    return bytesOf(this.words.subarray(this.#starts[leaf]!, this.#starts[leaf + 1]!));
  }
}
