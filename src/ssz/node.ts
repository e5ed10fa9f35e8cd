/**
 * The nodes of a value's tree that are kept.
 *
 * Chunks of one value and all levels above them are flat layers; what lies beyond the chunks that exist is never stored.
 * Mix-ins and the spine of a progressive tree are pairs. A chunk that is the root of a value of its own is expanded to
 * its nodes when a path first leads there.
 */
import { DIGEST_BYTES, type Digest, digestAt } from '../bytes.js';
import { foldPairs, writeNumber } from './fold.js';
import type { SszType } from './types.js';
import type { Work } from './work.js';
import { zeroRoot } from './zeros.js';

/** An encoding, within bytes that are not to be changed. */
export interface Encoding {
  readonly type: SszType;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** A chunk that stands alone. */
export class Leaf {
  readonly digest: Digest;
  dirty = false;

  constructor(digest: Digest = new Uint8Array(DIGEST_BYTES)) {
    this.digest = digest;
  }

  /** A length or a selector. */
  static ofNumber(value: number): Leaf {
    const leaf = new Leaf();
    writeNumber(leaf.digest, 0, value);
    return leaf;
  }

  get number(): number {
    let value = 0;
    for (let i = 6; i >= 0; i--) value = 256 * value + this.digest[i]!;
    return value;
  }

  set number(value: number) {
    this.digest.fill(0);
    writeNumber(this.digest, 0, value);
    this.dirty = true;
  }
}

/** Two nodes and their parent's digest. */
export class Pair {
  left: KeptNode;
  right: KeptNode;
  readonly digest: Digest = new Uint8Array(DIGEST_BYTES);

  constructor(left: KeptNode, right: KeptNode) {
    this.left = left;
    this.right = right;
  }
}

/** The tree over the chunks of one value, `depth` levels high. */
export class ChunkTree {
  readonly depth: number;
  /** Chunks that exist. */
  count: number;
  /** Level by level from the chunks upward; with room to grow. */
  readonly layers: Digest[];
  /** What a chunk is the root of; undefined for chunks of packed values. */
  readonly encodingAt: (chunk: number) => Encoding | undefined;
  readonly children: Map<number, KeptNode> = new Map();
  /** Encodings that replaced those of `encodingAt`. */
  readonly replaced: Map<number, Encoding> = new Map();
  /** Replaced encodings whose roots are not in the chunks yet. */
  readonly unhashed: Set<number> = new Set();
  /** Chunks that changed. */
  readonly dirty: Set<number> = new Set();
  /** Chunks below which something changed. */
  readonly touched: Set<number> = new Set();

  constructor(
    depth: number,
    layers: Digest[],
    encodingAt: (chunk: number) => Encoding | undefined = () => undefined,
  ) {
    this.depth = depth;
    this.layers = layers;
    this.count = layers[0]!.length / DIGEST_BYTES;
    this.encodingAt = encodingAt;
  }

  get digest(): Uint8Array {
    return this.at(this.depth, 0);
  }

  /** Nodes of a level that are not zero for certain. */
  width(level: number): number {
    return Math.ceil(this.count / 2 ** level);
  }

  /** The digest of a node; that of a subtree of zeros beyond the chunks that exist. */
  at(level: number, index: number): Uint8Array {
    return index < this.width(level) ? digestAt(this.layers[level]!, index) : zeroRoot(level);
  }

  /** Makes room for more chunks, zeros. */
  grow(count: number): void {
    this.count = count;
    for (let level = 0; level <= this.depth; level++) {
      const layer = this.layers[level]!;
      const needed = this.width(level) * DIGEST_BYTES;
      if (layer.length >= needed) continue;
      const larger = new Uint8Array(Math.max(needed, 2 * layer.length));
      larger.set(layer);
      this.layers[level] = larger;
    }
  }

  /** What a chunk is the root of now. */
  encodingOf(chunk: number): Encoding | undefined {
    return this.replaced.get(chunk) ?? this.encodingAt(chunk);
  }
}

export type KeptNode = Leaf | Pair | ChunkTree;

/** Hashes the levels above chunks and keeps them. */
export function* raise(
  chunks: Digest,
  depth: number,
  encodingAt?: (chunk: number) => Encoding | undefined,
): Work<ChunkTree> {
  const layers = [chunks];
  for (let level = 0; level < depth; level++) {
    const layer = layers[level]!;
    const pairs = new Uint8Array(Math.ceil(layer.length / 64) * 64);
    pairs.set(layer);
    if (layer.length % 64) pairs.set(zeroRoot(level), layer.length);
    layers.push((yield* foldPairs(pairs)).slice());
  }
  return new ChunkTree(depth, layers, encodingAt);
}
