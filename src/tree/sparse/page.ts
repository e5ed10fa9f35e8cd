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
import { DIGEST_BYTES } from '../../bytes.js';
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
export const MOST_BYTES: number =
  (2 ** PAGE_LEVELS - 1) * INNER_BYTES + 2 ** PAGE_LEVELS * (REMOTE_BYTES + KEY_BYTES);

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

/** Writes pages behind each other, into the draft's own pool: most of a page is copied within that. */
export class PageWriter {
  /** What {@link PageWriter.page} found to lie in pages of their own that are not written yet. */
  readonly below: number[] = [];
  readonly #draft: Draft;
  readonly #version: number;

  constructor(draft: Draft, version: number) {
    this.#draft = draft;
    this.#version = version;
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

  /** Makes room at the end of the pool, which is where it is written. */
  #room(bytes: number): number {
    const start = this.#draft.allocate(bytes);
    this.#draft.used = start;
    return start;
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
    const draft = this.#draft;
    const { pool, used } = draft;
    pool[used] = LEAF_TAG;
    copyBytes(pool, draft.keyAt[node]!, pool, used + 1, KEY_BYTES);
    copyBytes(pool, draft.hashAt[node]!, pool, used + 1 + KEY_BYTES, DIGEST_BYTES);
    draft.used += LEAF_BYTES;
  }

  #remote(node: number): void {
    const draft = this.#draft;
    const { pool, used } = draft;
    const bit = draft.bit[node]!;
    const version = draft.version[node]!;
    if (version === 0) this.below.push(node);
    pool[used] = REMOTE_TAG;
    pool[used + 1] = bit;
    writeVersion(pool, used + 2, version || this.#version);
    copyBytes(pool, draft.hashAt[node]!, pool, used + 2 + VERSION_BYTES, DIGEST_BYTES);
    draft.used = writePath(pool, used + REMOTE_BYTES, pool, draft.keyAt[node]!, 0, bit);
  }

  #packed(at: number): void {
    const draft = this.#draft;
    const length = packedBytes(draft.pool, at);
    draft.pool.copyWithin(draft.used, at, at + length);
    draft.used += length;
  }

  #inner(node: number, depth: number): void {
    const draft = this.#draft;
    const { pool } = draft;
    const start = draft.used;
    pool[start] = draft.bit[node]! - depth;
    copyBytes(pool, draft.hashAt[node]!, pool, start + 3, DIGEST_BYTES);
    draft.used += INNER_BYTES;
    this.#node(draft.left[node]!, depth);
    this.#node(draft.right[node]!, depth);
    const length = draft.used - start;
    pool[start + 1] = length >> 8;
    pool[start + 2] = length;
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
