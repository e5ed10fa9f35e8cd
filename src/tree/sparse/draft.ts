/**
 * The part of a tree that one operation works on: nodes as numbers, their fields in columns, their bytes in a pool.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { copyBytes, KEY_BITS, KEY_BYTES } from './bits.js';

/** No node. */
export const NONE = -1;

/** Bytes of an entry in the pool: its key with its leaf behind it. */
export const ENTRY_BYTES: number = KEY_BYTES + DIGEST_BYTES;

/** What is known of a node. */
export const LEAF = 0;
/** Its children are nodes. */
export const INNER = 1;
/** Its children are still bytes of its page, in the pool. */
export const PACKED = 2;
/** Only what its parent says of it. */
export const REMOTE = 3;

/** Pool addresses are 31 bits. */
const MOST_BYTES = 2 ** 31 - 1;

/** Columns and pools beyond this are given back once the operation is done. */
const KEPT_NODES = 2 ** 16;
const KEPT_BYTES = 2 ** 22;

/** Nodes by number. A draft belongs to one tree and is used again for each operation. */
export class Draft {
  /** Nodes so far. */
  count = 0;
  state: Uint8Array = new Uint8Array(64);
  /** Where the node branches: 0 to 255, or 256 for a leaf. */
  bit: Uint16Array = new Uint16Array(64);
  left: Int32Array = new Int32Array(64);
  right: Int32Array = new Int32Array(64);
  /** Pool address of a key below the node, of which the first `bit` bits count. */
  keyAt: Int32Array = new Int32Array(64);
  /** Pool address of the node's hash, or of its leaf. */
  hashAt: Int32Array = new Int32Array(64);
  /** Pool address of a {@link PACKED} node. */
  packedAt: Int32Array = new Int32Array(64);
  /** The version of the page whose top the node is; 0 below the top, and when the page is no longer right. */
  version: Float64Array = new Float64Array(64);
  /** Whether the hash must be computed. */
  dirty: Uint8Array = new Uint8Array(64);
  pool: Digest = new Uint8Array(4096);
  /** Bytes of the pool in use. */
  used = 0;

  /** Forgets all nodes. */
  reset(): void {
    this.count = 0;
    this.used = 0;
    if (this.state.length > KEPT_NODES) this.#resize(KEPT_NODES);
    if (this.pool.length > KEPT_BYTES) this.pool = new Uint8Array(KEPT_BYTES);
  }

  /** Room for `bytes` bytes in the pool, whose content is arbitrary. */
  allocate(bytes: number): number {
    const at = this.used;
    this.used += bytes;
    if (this.used > this.pool.length) {
      if (this.used > MOST_BYTES) {
        this.used = at;
        throw new RangeError('ops: too many for one batch, expected fewer than 2 GiB of entries and nodes');
      }
      const pool = new Uint8Array(Math.max(Math.min(2 * this.pool.length, MOST_BYTES), this.used));
      pool.set(this.pool.subarray(0, at));
      this.pool = pool;
    }
    return at;
  }

  /** Copies bytes into the pool. */
  keep(bytes: Uint8Array): number {
    const at = this.allocate(bytes.length);
    this.pool.set(bytes, at);
    return at;
  }

  /** A node with neither children nor page. */
  add(state: number, bit: number, keyAt: number, hashAt: number): number {
    const node = this.count++;
    if (node >= this.state.length) this.#resize(2 * this.state.length);
    this.state[node] = state;
    this.bit[node] = bit;
    this.keyAt[node] = keyAt;
    this.hashAt[node] = hashAt;
    this.left[node] = NONE;
    this.right[node] = NONE;
    this.version[node] = 0;
    this.dirty[node] = 0;
    return node;
  }

  /** The leaf of the entry at a pool address. */
  addLeaf(entryAt: number): number {
    return this.add(LEAF, KEY_BITS, entryAt, entryAt + KEY_BYTES);
  }

  /** A new inner node over two others, at most one of which is {@link NONE}; its hash is not known yet. */
  addInner(bit: number, left: number, right: number): number {
    const node = this.add(INNER, bit, this.keyAt[left === NONE ? right : left]!, 0);
    this.left[node] = left;
    this.right[node] = right;
    this.dirty[node] = 1;
    return node;
  }

  /** Says that something below an inner node has changed. */
  touch(node: number): void {
    this.dirty[node] = 1;
    this.version[node] = 0;
  }

  /** A copy of 32 bytes of the pool. */
  digest(at: number): Digest {
    const digest = new Uint8Array(DIGEST_BYTES);
    copyBytes(this.pool, at, digest, 0, DIGEST_BYTES);
    return digest;
  }

  #resize(nodes: number): void {
    const sized = <T extends Uint8Array | Uint16Array | Int32Array | Float64Array>(from: T, to: T): T => {
      to.set(from.subarray(0, nodes));
      return to;
    };
    this.state = sized(this.state, new Uint8Array(nodes));
    this.bit = sized(this.bit, new Uint16Array(nodes));
    this.left = sized(this.left, new Int32Array(nodes));
    this.right = sized(this.right, new Int32Array(nodes));
    this.keyAt = sized(this.keyAt, new Int32Array(nodes));
    this.hashAt = sized(this.hashAt, new Int32Array(nodes));
    this.packedAt = sized(this.packedAt, new Int32Array(nodes));
    this.version = sized(this.version, new Float64Array(nodes));
    this.dirty = sized(this.dirty, new Uint8Array(nodes));
  }
}
