/**
 * How nodes lie in pages.
 *
 * A page holds the nodes of `PAGE_LEVELS` bits of depth below one prefix: they form one subtree, in preorder.
 *
 * ```
 * inner   depth within the page (1)  bytes of the whole subtree (2)  hash (32)  left  right
 * leaf    0xfe  key (32)  leaf (32)
 * remote  0xfd  bit (1)  version of its page (6)  hash (32)  the first `bit` bits of its keys
 * ```
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { bitAt, commonBits, copyBytes, KEY_BITS, KEY_BYTES, pathBytes, writePath } from './bits.js';
import { type Draft, ENTRY_BYTES, INNER, LEAF, NONE, PACKED, REMOTE } from './draft.js';

/** Bits of depth that one page covers: 15 inner nodes at most, 1.7 KB. */
export const PAGE_LEVELS = 4;

/** Bytes of a version: more commits than a tree can see. */
export const VERSION_BYTES = 6;

const LEAF_TAG = 0xfe;
const REMOTE_TAG = 0xfd;
const INNER_BYTES = 3 + DIGEST_BYTES;
const LEAF_BYTES = 1 + ENTRY_BYTES;
const REMOTE_BYTES = 2 + VERSION_BYTES + DIGEST_BYTES;

/** Most bytes of a page. */
const MOST_BYTES = (2 ** PAGE_LEVELS - 1) * INNER_BYTES + 2 ** PAGE_LEVELS * (REMOTE_BYTES + KEY_BYTES);

/** The depth at which the page of a node that branches at `bit` begins. */
export function pageDepth(bit: number): number {
  return bit - (bit % PAGE_LEVELS);
}

export function writeVersion(out: Uint8Array, at: number, version: number): void {
  for (let i = VERSION_BYTES - 1, rest = version; i >= 0; i--, rest = Math.floor(rest / 256))
    out[at + i] = rest;
}

export function readVersion(bytes: Uint8Array, at: number): number {
  let version = 0;
  for (let i = 0; i < VERSION_BYTES; i++) version = version * 256 + bytes[at + i]!;
  return version;
}

/** Bytes of the packed node at `at`. */
function packedBytes(bytes: Uint8Array, at: number): number {
  const tag = bytes[at]!;
  if (tag === LEAF_TAG) return LEAF_BYTES;
  if (tag === REMOTE_TAG) return REMOTE_BYTES + pathBytes(0, bytes[at + 1]!);
  return (bytes[at + 1]! << 8) | bytes[at + 2]!;
}

/** Makes a node of the packed one at a pool address; `depth` is where its page begins. */
export function nodeAt(draft: Draft, at: number, depth: number): number {
  const { pool } = draft;
  const tag = pool[at]!;
  if (tag === LEAF_TAG) return draft.addLeaf(at + 1);
  if (tag === REMOTE_TAG) {
    const node = draft.add(REMOTE, pool[at + 1]!, at + REMOTE_BYTES, at + REMOTE_BYTES - DIGEST_BYTES);
    draft.version[node] = readVersion(pool, at + 2);
    return node;
  }
  let keyAt = at;
  while (pool[keyAt]! < REMOTE_TAG) keyAt += INNER_BYTES;
  keyAt += pool[keyAt] === LEAF_TAG ? 1 : REMOTE_BYTES;
  const node = draft.add(PACKED, depth + tag, keyAt, at + 3);
  draft.packedAt[node] = at;
  return node;
}

/** Makes the children of a node of a page nodes, too. */
export function unpack(draft: Draft, node: number): void {
  if (draft.state[node] !== PACKED) return;
  const leftAt = draft.packedAt[node]! + INNER_BYTES;
  const depth = pageDepth(draft.bit[node]!);
  // In this order: a new node can move the columns.
  const left = nodeAt(draft, leftAt, depth);
  const right = nodeAt(draft, leftAt + packedBytes(draft.pool, leftAt), depth);
  draft.state[node] = INNER;
  draft.left[node] = left;
  draft.right[node] = right;
}

/**
 * Gives a remote node the page that was read for it.
 *
 * @throws {CambiumError} `STORE_CORRUPT` when the page is not the node's.
 */
export function attachPage(draft: Draft, node: number, page: Uint8Array | undefined): void {
  const bit = draft.bit[node]!;
  if (page?.[0] !== bit % PAGE_LEVELS || packedBytes(page, 0) !== page.length) {
    throw missingPage(pageDepth(bit), draft.version[node]!);
  }
  draft.packedAt[node] = draft.keep(page);
  draft.state[node] = PACKED;
}

/** A page that a tree needs is not there, or not as it was written. */
export function missingPage(depth: number, version: number): CambiumError {
  return new CambiumError(
    'STORE_CORRUPT',
    `the page of version ${version} at depth ${depth} is missing or damaged`,
  );
}

/** A writer keeps this much room for the next commit. */
const KEPT_BYTES = 2 ** 20;

/** Writes pages behind each other. */
export class PageWriter {
  bytes: Digest = new Uint8Array(16 * MOST_BYTES);
  used = 0;
  /** What {@link PageWriter.page} found to lie in pages of their own that are not written yet. */
  readonly below: number[] = [];
  #draft!: Draft;
  #version = 0;

  /** Begins with the pages of another commit, over those of the one before. */
  begin(draft: Draft, version: number): void {
    this.#draft = draft;
    this.#version = version;
    this.used = 0;
    if (this.bytes.length > KEPT_BYTES) this.bytes = new Uint8Array(16 * MOST_BYTES);
  }

  /** Writes the page whose top is `top`, and returns where it begins. */
  page(top: number): number {
    const start = this.#room(MOST_BYTES);
    this.#node(top, pageDepth(this.#draft.bit[top]!));
    this.#draft.version[top] = this.#version;
    return start;
  }

  /** Writes a node as a page of depth `depth` holds it; {@link NONE} for what lies in no page yet. */
  reference(node: number): number {
    const start = this.#room(REMOTE_BYTES + KEY_BYTES);
    this.#node(node, -1);
    return start;
  }

  #room(bytes: number): number {
    if (this.used + bytes > this.bytes.length) {
      const grown = new Uint8Array(2 * this.bytes.length);
      grown.set(this.bytes.subarray(0, this.used));
      this.bytes = grown;
    }
    return this.used;
  }

  #node(node: number, depth: number): void {
    const draft = this.#draft;
    if (draft.state[node] === LEAF) this.#leaf(node);
    else if (pageDepth(draft.bit[node]!) !== depth) this.#remote(node);
    else {
      // Within a page it is not the top of one any more.
      draft.version[node] = 0;
      if (draft.state[node] === PACKED) this.#packed(draft.packedAt[node]!);
      else this.#inner(node, depth);
    }
  }

  #leaf(node: number): void {
    const { pool, keyAt, hashAt } = this.#draft;
    this.bytes[this.used] = LEAF_TAG;
    copyBytes(pool, keyAt[node]!, this.bytes, this.used + 1, KEY_BYTES);
    copyBytes(pool, hashAt[node]!, this.bytes, this.used + 1 + KEY_BYTES, DIGEST_BYTES);
    this.used += LEAF_BYTES;
  }

  #remote(node: number): void {
    const { bytes, used } = this;
    const { pool, keyAt, hashAt, version } = this.#draft;
    const bit = this.#draft.bit[node]!;
    if (version[node] === 0) this.below.push(node);
    bytes[used] = REMOTE_TAG;
    bytes[used + 1] = bit;
    writeVersion(bytes, used + 2, version[node] || this.#version);
    copyBytes(pool, hashAt[node]!, bytes, used + 2 + VERSION_BYTES, DIGEST_BYTES);
    this.used = writePath(bytes, used + REMOTE_BYTES, pool, keyAt[node]!, 0, bit);
  }

  #packed(at: number): void {
    const { pool } = this.#draft;
    const length = packedBytes(pool, at);
    this.bytes.set(pool.subarray(at, at + length), this.used);
    this.used += length;
  }

  #inner(node: number, depth: number): void {
    const { bytes } = this;
    const { pool, bit, hashAt, left, right } = this.#draft;
    const start = this.used;
    bytes[start] = bit[node]! - depth;
    copyBytes(pool, hashAt[node]!, bytes, start + 3, DIGEST_BYTES);
    this.used += INNER_BYTES;
    this.#node(left[node]!, depth);
    this.#node(right[node]!, depth);
    const length = this.used - start;
    bytes[start + 1] = length >> 8;
    bytes[start + 2] = length;
  }
}

/** Where a search for a key goes on, or ends. */
export interface Found {
  /** Address of the leaf's 32 bytes, or {@link NONE}. */
  leafAt: number;
  /** Page to read next: the depth at which it begins, or {@link NONE}. */
  depth: number;
  version: number;
}

/** Follows a key through the packed nodes of a page that begins at `depth`. */
export function findPacked(bytes: Uint8Array, depth: number, key: Uint8Array, found: Found): void {
  let here = 0;
  let tag = bytes[here]!;
  found.leafAt = NONE;
  found.depth = NONE;
  while (tag < REMOTE_TAG) {
    const right = bitAt(key, 0, depth + tag);
    here += INNER_BYTES;
    if (right) here += packedBytes(bytes, here);
    tag = bytes[here]!;
  }
  if (tag === LEAF_TAG) {
    if (commonBits(bytes, here + 1, key, 0, 0, KEY_BITS) === KEY_BITS) found.leafAt = here + 1 + KEY_BYTES;
    return;
  }
  const bit = bytes[here + 1]!;
  if (commonBits(bytes, here + REMOTE_BYTES, key, 0, 0, bit) !== bit) return;
  found.depth = pageDepth(bit);
  found.version = readVersion(bytes, here + 2);
}
