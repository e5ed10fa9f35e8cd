/**
 * Proofs of the layouts `celestia` and `jmt` as those trees give them: a sibling for each level, and what stands at the
 * end of the path.
 */
import { assertBytes, assertLength, DIGEST_BYTES, type Digest, equalBytes } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import type { Hasher } from '../../hasher.js';
import { bitAt, commonBits, KEY_BITS, KEY_BYTES, pathBytes } from './bits.js';
import { type Cell, raiseCell } from './cell-hash.js';
import { type LevelsFormat, levelMessage } from './hash-levels.js';
import { levelsOf } from './layout.js';
import { extendKey } from './node-bytes.js';
import { CLAIMED_LEAF, HIDDEN_NODE, OTHER_LEAF, SHOWN_NODE } from './proof-bytes.js';

/** A path from the root to a leaf or to an empty subtree. */
export interface SiblingsProof {
  /** 32 bytes each, from the root downward. */
  readonly siblings: readonly Digest[];
  /** The key's own leaf, an empty subtree, or the leaf of another key. */
  readonly end: 'leaf' | 'empty' | { readonly path: Digest; readonly valueHash: Digest };
}

/** What a proof by siblings is about. */
export interface SiblingsClaim {
  readonly root: Uint8Array;
  readonly layout: 'celestia' | 'jmt';
  readonly key: Uint8Array;
  /** The value; null when the key is said to be absent. */
  readonly leaf: Uint8Array | null;
}

/**
 * A proof of one key, of presence or absence, as a list of siblings.
 *
 * @param hash A hasher, or what `loadHash` gives.
 * @throws {CambiumError} `MALFORMED` when `path` is no proof of this key. @throws {TypeError} @throws {RangeError}
 */
export function toSiblingsProof(
  hash: Pick<Hasher, 'hash'>,
  layout: 'celestia' | 'jmt',
  { key, path }: { readonly key: Uint8Array; readonly path: Uint8Array },
): SiblingsProof {
  const format = formatOf(layout);
  assertBytes(key, 'key');
  assertBytes(path, 'path');
  if (path.length === 0) return { siblings: [], end: 'empty' };
  return new SiblingsReader(hash, format, hash.hash(key), path).read();
}

/**
 * Whether siblings lead from a key's value, or from what shows its absence, to the root.
 *
 * @throws {TypeError} @throws {RangeError} when an argument is not of its form.
 */
export function verifySiblingsProof(
  hash: Pick<Hasher, 'hash'>,
  { root, layout, key, leaf }: SiblingsClaim,
  { siblings, end }: SiblingsProof,
): boolean {
  const { leafTag, innerTag, empty } = formatOf(layout);
  assertLength(root, DIGEST_BYTES, 'root');
  assertBytes(key, 'key');
  for (const [i, sibling] of siblings.entries()) assertLength(sibling, DIGEST_BYTES, `siblings[${i}]`);
  if (siblings.length > KEY_BITS || (leaf !== null) !== (end === 'leaf')) return false;
  const path = hash.hash(key);
  let digest: Uint8Array = empty;
  if (leaf) digest = hash.hash(levelMessage(leafTag, path, hash.hash(leaf)));
  if (typeof end === 'object') {
    assertLength(end.path, KEY_BYTES, 'end.path');
    assertLength(end.valueHash, DIGEST_BYTES, 'end.valueHash');
    // The other leaf must lie where the key's own would.
    const shared = commonBits(end.path, 0, path, 0, 0, KEY_BITS);
    if (shared === KEY_BITS || shared < siblings.length) return false;
    digest = hash.hash(levelMessage(leafTag, end.path, end.valueHash));
  }
  for (let level = siblings.length - 1; level >= 0; level--) {
    const sibling = siblings[level]!;
    const isRight = bitAt(path, 0, level) === 1;
    digest = hash.hash(levelMessage(innerTag, isRight ? sibling : digest, isRight ? digest : sibling));
  }
  return equalBytes(digest, root);
}

function formatOf(layout: 'celestia' | 'jmt'): LevelsFormat {
  const format = levelsOf(layout);
  if (format) return format;
  throw new RangeError(`layout: expected celestia or jmt, got ${String(layout)}`);
}

/** Unfolds the cells of a proof of one key level by level. */
class SiblingsReader {
  readonly #hash: Pick<Hasher, 'hash'>;
  readonly #format: LevelsFormat;
  readonly #path: Digest;
  readonly #bytes: Uint8Array;
  #at = 0;
  readonly #siblings: Digest[] = [];
  #end: SiblingsProof['end'] | undefined;

  constructor(hash: Pick<Hasher, 'hash'>, format: LevelsFormat, path: Digest, bytes: Uint8Array) {
    this.#hash = hash;
    this.#format = format;
    this.#path = path;
    this.#bytes = bytes;
  }

  read(): SiblingsProof {
    this.#follow(0, 0);
    if (!this.#end || this.#at !== this.#bytes.length) throw malformed();
    return { siblings: this.#siblings, end: this.#end };
  }

  /** The cell from `depth` on the side of the key, which stands at `level` of the tree. */
  #follow(depth: number, level: number): void {
    const tag = this.#take(1)[0];
    if (tag === CLAIMED_LEAF) {
      this.#end = 'leaf';
      return;
    }
    const cell = this.#cell(tag!, depth);
    if (tag === OTHER_LEAF) {
      this.#end = { path: cell.path as Digest, valueHash: cell.hash.slice() as Digest };
      return;
    }
    const shared = commonBits(cell.path, 0, this.#path, 0, 0, cell.bit);
    for (let i = level; i < shared; i++) this.#siblings.push(this.#format.empty.slice());
    if (shared < cell.bit) {
      if (tag !== HIDDEN_NODE) throw malformed();
      this.#siblings.push(raiseCell(this.#hash, this.#format, cell, shared + 1));
      this.#end = 'empty';
      return;
    }
    if (tag !== SHOWN_NODE) throw malformed();
    const { bit } = cell;
    const place = this.#siblings.push(this.#format.empty) - 1;
    const isRight = bitAt(this.#path, 0, bit) === 1;
    if (!isRight) this.#follow(bit, bit + 1);
    const beside = this.#cell(this.#take(1)[0]!, bit, cell.path);
    this.#siblings[place] = raiseCell(this.#hash, this.#format, beside, bit + 1);
    if (isRight) this.#follow(bit, bit + 1);
  }

  /** The rest of a cell whose tag has been read; of a shown node without a hash. */
  #cell(tag: number, depth: number, before: Uint8Array = this.#path): Cell {
    if (tag !== HIDDEN_NODE && tag !== SHOWN_NODE && tag !== OTHER_LEAF) throw malformed();
    const bit = tag === OTHER_LEAF ? KEY_BITS : this.#take(1)[0]!;
    if (bit < depth) throw malformed();
    const path = before.slice();
    const bits = this.#take(pathBytes(depth, bit));
    if (bits.length) extendKey(path, 0, bits, { hashAt: 0, pathAt: 0, to: bit }, depth);
    return { bit, path, hash: tag === SHOWN_NODE ? path : this.#take(DIGEST_BYTES) };
  }

  #take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw malformed();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}

function malformed(): CambiumError {
  return new CambiumError('MALFORMED', 'path: it is no proof of this key');
}
