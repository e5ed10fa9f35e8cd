/** A hasher for `@chainsafe/persistent-merkle-tree`, and so for `@chainsafe/ssz`, out of one of ours. */
import { assertLength, assertMultiple, type Digest } from '../bytes.js';
import { type Hasher, uncheckedPairs } from '../hasher.js';
import { CHUNK_BYTES, depthOf } from './types.js';
import { zeroRoot } from './zeros.js';

/** A digest as that package keeps it: eight signed 32-bit words, read from the bytes in little-endian order. */
export interface HashObject {
  h0: number;
  h1: number;
  h2: number;
  h3: number;
  h4: number;
  h5: number;
  h6: number;
  h7: number;
}

/** One pair of nodes to hash, and the node that gets the digest. */
export interface HashComputation {
  readonly src0: HashObject;
  readonly src1: HashObject;
  readonly dest: HashObject;
}

/** The members of that package's `Hasher`; all synchronous. */
export interface PersistentMerkleTreeHasher {
  /** Says which engine hashes. */
  readonly name: string;
  /** A layer: `2n x 32` bytes into `n x 32`. */
  hashInto(input: Uint8Array, output: Uint8Array): void;
  digest64(left: Uint8Array, right: Uint8Array): Uint8Array;
  digest64Into(left: Uint8Array, right: Uint8Array, output: Uint8Array): void;
  digest64HashObjects(left: HashObject, right: HashObject, parent: HashObject): void;
  /**
   * Root of chunks padded to `padFor`, at `offset` of `output`; `blocks` are overwritten.
   *
   * @throws {RangeError} for `padFor` below 1, or blocks that are no multiple of 64 bytes (of 32 for `padFor` 1).
   */
  merkleizeBlocksBytes(blocks: Uint8Array, padFor: number, output: Uint8Array, offset: number): void;
  /** The same for the first `blockLimit` blocks of 64 bytes each. */
  merkleizeBlockArray(
    blocks: Uint8Array[],
    blockLimit: number,
    padFor: number,
    output: Uint8Array,
    offset: number,
  ): void;
  /** Folds `levels` layers: a multiple of `32 x 2^levels` bytes to 32 for each. Its result is never overwritten. */
  digestNLevel(data: Uint8Array, levels: number): Uint8Array;
  /** Hashes levels of pairs, the last level first. */
  executeHashComputations(levels: Iterable<HashComputation>[]): void;
}

const PAIR_BYTES = 64;
/** Pairs of nodes that are packed before they are hashed: 64 KiB, which stay in a core's cache. */
const BATCH = 1024;

/**
 * Makes `@chainsafe/persistent-merkle-tree` hash with this hasher, on the CPU and the caller's thread.
 *
 * @throws {TypeError} for a hasher of another hash than `sha256`.
 * @example
 * ```ts
 * setHasher(ssz.persistentMerkleTreeHasher(hasher)); // before other imports of that package
 * ```
 */
export function persistentMerkleTreeHasher(hasher: Hasher): PersistentMerkleTreeHasher {
  if (hasher.spec.id !== 'sha256') {
    throw new TypeError(`hasher: SSZ is SHA-256 throughout, expected sha256, got ${hasher.spec.id}`);
  }
  const adapter = new Adapter(hasher);
  // Functions of their own, which keep working when they are taken off the object.
  return {
    name: adapter.name,
    hashInto: adapter.hashInto.bind(adapter),
    digest64: adapter.digest64.bind(adapter),
    digest64Into: adapter.digest64Into.bind(adapter),
    digest64HashObjects: adapter.digest64HashObjects.bind(adapter),
    merkleizeBlocksBytes: adapter.merkleizeBlocksBytes.bind(adapter),
    merkleizeBlockArray: adapter.merkleizeBlockArray.bind(adapter),
    digestNLevel: adapter.digestNLevel.bind(adapter),
    executeHashComputations: adapter.executeHashComputations.bind(adapter),
  };
}

class Adapter implements PersistentMerkleTreeHasher {
  readonly name: string;
  readonly #hasher: Hasher;
  readonly #hash: (nodes: Uint8Array, out: Digest) => void;
  readonly #pairs = new Uint8Array(BATCH * PAIR_BYTES);
  readonly #pairWords = new Int32Array(this.#pairs.buffer);
  readonly #digests = new Uint8Array((BATCH * PAIR_BYTES) / 2);
  readonly #digestWords = new Int32Array(this.#digests.buffer);
  // Made once: a view costs as much as half a hash.
  readonly #onePair = this.#pairs.subarray(0, PAIR_BYTES);
  readonly #oneDigest = this.#digests.subarray(0, CHUNK_BYTES);

  constructor(hasher: Hasher) {
    this.#hasher = hasher;
    this.#hash = uncheckedPairs(hasher);
    this.name = `cambium ${hasher.info.cpu.engine}`;
  }

  hashInto(input: Uint8Array, output: Uint8Array): void {
    this.#hasher.hashPairsSync(input, output as Digest);
  }

  digest64(left: Uint8Array, right: Uint8Array): Uint8Array {
    this.#hashOne(left, right);
    return this.#oneDigest.slice();
  }

  digest64Into(left: Uint8Array, right: Uint8Array, output: Uint8Array): void {
    assertLength(output, CHUNK_BYTES, 'output');
    this.#hashOne(left, right);
    output.set(this.#oneDigest);
  }

  digest64HashObjects(left: HashObject, right: HashObject, parent: HashObject): void {
    writeWords(this.#pairWords, 0, left);
    writeWords(this.#pairWords, 8, right);
    this.#hash(this.#onePair, this.#oneDigest);
    readWords(this.#digestWords, 0, parent);
  }

  merkleizeBlocksBytes(blocks: Uint8Array, padFor: number, output: Uint8Array, offset: number): void {
    if (!(padFor >= 1)) throw new RangeError(`padFor: expected at least 1, got ${padFor}`);
    assertMultiple(blocks, padFor === 1 ? CHUNK_BYTES : PAIR_BYTES, 'blocks');
    const depth = depthOf(padFor);
    if (!blocks.length) {
      output.set(zeroRoot(depth), offset);
      return;
    }
    let layer = blocks as Digest;
    for (let level = 0; level < depth; level++) {
      if (layer.length % PAIR_BYTES) {
        const odd = layer.length;
        layer = blocks.subarray(0, odd + CHUNK_BYTES) as Digest;
        layer.set(zeroRoot(level), odd);
      }
      const parents = blocks.subarray(0, layer.length / 2) as Digest;
      this.#hash(layer, parents);
      layer = parents;
    }
    output.set(layer.length === CHUNK_BYTES ? layer : layer.subarray(0, CHUNK_BYTES), offset);
  }

  merkleizeBlockArray(
    blocks: Uint8Array[],
    blockLimit: number,
    padFor: number,
    output: Uint8Array,
    offset: number,
  ): void {
    if (!(blockLimit <= blocks.length)) {
      throw new RangeError(`blockLimit: expected at most ${blocks.length}, got ${blockLimit}`);
    }
    const bytes = blockLimit * PAIR_BYTES;
    const joined = bytes <= this.#pairs.length ? this.#pairs.subarray(0, bytes) : new Uint8Array(bytes);
    for (let i = 0; i < blockLimit; i++) {
      assertLength(blocks[i], PAIR_BYTES, `blocks[${i}]`);
      joined.set(blocks[i]!, i * PAIR_BYTES);
    }
    this.merkleizeBlocksBytes(joined, padFor, output, offset);
  }

  digestNLevel(data: Uint8Array, levels: number): Uint8Array {
    assertMultiple(data, CHUNK_BYTES * 2 ** levels, 'data');
    let layer = data.slice();
    for (let level = 0; level < levels; level++) {
      const parents = layer.subarray(0, layer.length / 2);
      this.#hash(layer, parents);
      layer = parents;
    }
    return layer.slice();
  }

  executeHashComputations(levels: Iterable<HashComputation>[]): void {
    const targets: HashObject[] = [];
    for (let level = levels.length - 1; level >= 0; level--) {
      for (const { src0, src1, dest } of levels[level]!) {
        writeWords(this.#pairWords, 16 * targets.length, src0);
        writeWords(this.#pairWords, 16 * targets.length + 8, src1);
        if (targets.push(dest) === BATCH) this.#flush(targets);
      }
      // The next level reads what this one makes.
      this.#flush(targets);
    }
  }

  #flush(targets: HashObject[]): void {
    this.#hashBatch(targets.length);
    for (let i = 0; i < targets.length; i++) readWords(this.#digestWords, 8 * i, targets[i]!);
    targets.length = 0;
  }

  /** The pair of these two, into `#oneDigest`. */
  #hashOne(left: Uint8Array, right: Uint8Array): void {
    assertLength(left, CHUNK_BYTES, 'left');
    assertLength(right, CHUNK_BYTES, 'right');
    this.#onePair.set(left);
    this.#onePair.set(right, CHUNK_BYTES);
    this.#hash(this.#onePair, this.#oneDigest);
  }

  #hashBatch(pairs: number): void {
    this.#hash(this.#pairs.subarray(0, pairs * PAIR_BYTES), this.#digests.subarray(0, pairs * CHUNK_BYTES));
  }
}

function writeWords(words: Int32Array, at: number, from: HashObject): void {
  words[at] = from.h0;
  words[at + 1] = from.h1;
  words[at + 2] = from.h2;
  words[at + 3] = from.h3;
  words[at + 4] = from.h4;
  words[at + 5] = from.h5;
  words[at + 6] = from.h6;
  words[at + 7] = from.h7;
}

function readWords(words: Int32Array, at: number, to: HashObject): void {
  to.h0 = words[at]!;
  to.h1 = words[at + 1]!;
  to.h2 = words[at + 2]!;
  to.h3 = words[at + 3]!;
  to.h4 = words[at + 4]!;
  to.h5 = words[at + 5]!;
  to.h6 = words[at + 6]!;
  to.h7 = words[at + 7]!;
}
