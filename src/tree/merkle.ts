/**
 * Static Merkle trees: which nodes there are, never how they are hashed. A tree goes to its hasher as one job.
 *
 * Paddings are described at {@link Padding}. Under `duplicate` two different lists can have one root: `[a, b, c]` and
 * `[a, b, c, c]` do (CVE-2012-2459), so whoever checks such a root must know the number of leaves from elsewhere.
 */
import type { Padding } from '../backend/types.js';
import { concatBytes, DIGEST_BYTES, type Digest, digestAt, equalBytes } from '../bytes.js';
import { CambiumError } from '../errors.js';
import type { Hasher } from '../hasher.js';
import type { LeafSource } from '../leaf-source.js';
import { type RootOptions, type TreeOptions, treeJob } from './options.js';
import type { MultiProof, Proof } from './proof.js';
import { wholeNumber } from './shape.js';
import { foldSubtree, type HeldLeaves, heldLeaves } from './subtree.js';
import { zeroDigests } from './zeros.js';

export type { RootOptions, TreeOptions };

/** Largest cap: 2^26 nodes are 2 GiB. */
const MAX_CAP_HEIGHT = 26;

/**
 * The root of a static tree; 32 bytes.
 *
 * One leaf is its own root. No leaves give the zero digest of `depth` (of level 0 without one) under `zero` and
 * `promote`.
 *
 * @throws {TypeError} for a leaf source of no known form.
 * @throws {RangeError} for leaves that do not fit `depth`, for `depth` with a padding other than `zero`, for a number of
 *   leaves that `none` or `duplicate` cannot take.
 * @throws {CambiumError} `ABORTED`, `CLOSED`, `NOT_CANONICAL`, or what went wrong with the device.
 * @example
 * ```ts
 * const root = await merkleRoot(hasher, leaves, { depth: 40 });
 * ```
 */
export async function merkleRoot(
  hasher: Hasher,
  leaves: LeafSource,
  options: RootOptions = {},
): Promise<Digest> {
  const { depth, padding, signal, onProgress } = options;
  return (await hasher.hashTree(leaves, treeJob({ depth, padding, signal, onProgress }))).root;
}

/**
 * Builds a static tree and keeps its layers, for proofs.
 *
 * @throws as {@link merkleRoot} does; also {@link RangeError} for a `keepFrom` above the depth that was asked for.
 * @example
 * ```ts
 * const tree = await buildTree(hasher, { messages, lengths });
 * const proof = tree.prove(3);
 * ```
 */
export async function buildTree(
  hasher: Hasher,
  leaves: LeafSource,
  options: TreeOptions = {},
): Promise<MerkleTree> {
  const job = treeJob({ ...options, keepFrom: options.keepFrom ?? 0 });
  const { root, layers, leafCount, levels } = await hasher.hashTree(leaves, job);
  const keepFrom = Math.min(job.keepFrom ?? 0, levels);
  const padded = job.fill === 'zero' && leafCount < 2 ** levels;
  return new MerkleTree({
    hasher,
    root,
    layers,
    size: leafCount,
    depth: levels,
    padding: job.fill,
    keepFrom,
    zeros: padded ? await zeroDigests(hasher.spec, levels) : [],
    held: keepFrom > 0 ? heldLeaves(hasher, leaves, 2 ** keepFrom) : undefined,
  });
}

interface TreeParts {
  readonly hasher: Hasher;
  readonly root: Digest;
  /** Level `keepFrom` first. */
  readonly layers: readonly Digest[];
  readonly size: number;
  readonly depth: number;
  readonly padding: Padding;
  readonly keepFrom: number;
  /** One for each level under `zero`, where there are empty leaves. */
  readonly zeros: readonly Digest[];
  /** The leaves, where levels below `keepFrom` can be hashed again. */
  readonly held: HeldLeaves | undefined;
}

/** Looks up a real node. */
type ReadNode = (level: number, index: number) => Uint8Array;

/**
 * A static tree with its layers. Made by {@link buildTree}.
 *
 * With `keepFrom` 0 it needs neither its hasher nor its leaves any more. With a higher one, `prove` and `proveMany` hash
 * the aligned subtrees below level `keepFrom` again, on the caller's thread: the hasher must be open, and leaves in
 * memory must not have changed.
 */
export class MerkleTree {
  /** 32 bytes. */
  readonly root: Digest;
  /** Levels above the leaves. */
  readonly depth: number;
  /** Number of leaves. */
  readonly size: number;
  readonly padding: Padding;
  readonly #parts: TreeParts;

  /** @internal */
  constructor(parts: TreeParts) {
    this.root = parts.root;
    this.depth = parts.depth;
    this.size = parts.size;
    this.padding = parts.padding;
    this.#parts = parts;
  }

  /**
   * The real nodes of level `level` (0: the leaves, `depth`: the root): `n x 32` bytes, n = ceil(size / 2^level).
   * Empty subtrees of a `zero` tree are not in it. It is the tree's own memory, not to be written to.
   *
   * @throws {TypeError} @throws {RangeError} for a level that is not from `keepFrom` to `depth`.
   */
  layer(level: number): Digest {
    const { keepFrom, layers } = this.#parts;
    wholeNumber(level, 'level', BigInt(keepFrom), BigInt(this.depth));
    return layers[level - keepFrom]!;
  }

  /**
   * The nodes `height` levels below the root, for verifiers that keep these instead of the root: `n x 32` bytes.
   *
   * Under `zero` there are always 2^height of them, empty subtrees included; under `none` all are real. Under `promote`
   * and `duplicate` they are the real nodes alone, at most 2^height. Folded under the tree's padding they give the root.
   *
   * @throws {TypeError} @throws {RangeError} for a height above `depth - keepFrom` or 26.
   */
  cap(height: number): Digest {
    const most = Math.min(this.depth - this.#parts.keepFrom, MAX_CAP_HEIGHT);
    wholeNumber(height, 'height', 0n, BigInt(most));
    const level = this.depth - height;
    const nodes = this.layer(level);
    if (this.padding !== 'zero') return nodes.slice();
    const cap = new Uint8Array(2 ** height * DIGEST_BYTES);
    cap.set(nodes);
    const zero = this.#parts.zeros[level];
    for (let at = nodes.length; at < cap.length; at += DIGEST_BYTES) cap.set(zero!, at);
    return cap;
  }

  /**
   * Proof that a leaf stands at `index`.
   *
   * @throws {TypeError} @throws {RangeError} for an index that is not below `size`; for a tree of a stream or a device
   *   buffer that was built with `keepFrom` above 0.
   * @throws {CambiumError} with `keepFrom` above 0: `SOURCE_CHANGED` when the leaves have changed, `CLOSED` when the
   *   hasher has been closed.
   */
  prove(index: number | bigint): Proof {
    const at = this.#checkIndex(index, 'index');
    const read = this.#reader();
    const leaf = copy(read(0, at));
    const siblings: Digest[] = [];
    let node = at;
    for (let level = 0; level < this.depth; level++) {
      const beside = this.#beside(read, level, node);
      if (beside !== 'none') siblings.push(copy(beside === 'itself' ? read(level, node) : beside));
      node = Math.floor(node / 2);
    }
    return { index: at, leaf, siblings };
  }

  /**
   * Proof that leaves stand at all of `indices`; their order and repetitions do not matter.
   *
   * @throws as {@link MerkleTree.prove} does; also {@link RangeError} for no index at all.
   */
  proveMany(indices: readonly (number | bigint)[]): MultiProof {
    if (!Array.isArray(indices)) throw new TypeError(`indices: expected an array, got ${typeof indices}`);
    if (!indices.length) throw new RangeError('indices: expected at least one');
    const checked = indices.map((index, i) => this.#checkIndex(index, `indices[${i}]`));
    const ascending = [...new Set(checked)].sort((a, b) => a - b);
    const read = this.#reader();
    const nodes: Digest[] = [];
    let known = ascending;
    for (let level = 0; level < this.depth; level++) {
      const parents: number[] = [];
      for (let i = 0; i < known.length; i++) {
        const node = known[i]!;
        parents.push(Math.floor(node / 2));
        if (node % 2 === 0 && known[i + 1] === node + 1) {
          i++;
          continue;
        }
        const beside = this.#beside(read, level, node);
        if (typeof beside !== 'string') nodes.push(copy(beside));
      }
      known = parents;
    }
    return { indices: ascending, leaves: ascending.map((at) => copy(read(0, at))), nodes };
  }

  #checkIndex(index: unknown, name: string): number {
    if (!this.size) throw new RangeError(`${name}: the tree has no leaves`);
    return Number(wholeNumber(index, name, 0n, BigInt(this.size - 1)));
  }

  /** What stands beside a node: a real node or a zero digest, the node itself, or nothing. */
  #beside(read: ReadNode, level: number, index: number): Uint8Array | 'itself' | 'none' {
    const sibling = index % 2 ? index - 1 : index + 1;
    if (sibling < Math.ceil(this.size / 2 ** level)) return read(level, sibling);
    if (this.padding === 'zero') return this.#parts.zeros[level]!;
    return this.padding === 'duplicate' ? 'itself' : 'none';
  }

  /** Reads nodes for one proof; subtrees that are hashed again for it are hashed once. */
  #reader(): ReadNode {
    const { keepFrom, layers } = this.#parts;
    const subtrees = new Map<number, readonly Uint8Array[]>();
    return (level, index) => {
      if (level >= keepFrom) return digestAt(layers[level - keepFrom]!, index);
      const width = 2 ** (keepFrom - level);
      const subtree = Math.floor(index / width);
      let lower = subtrees.get(subtree);
      if (!lower) {
        lower = this.#hashAgain(subtree);
        subtrees.set(subtree, lower);
      }
      return digestAt(lower[level]!, index % width);
    };
  }

  /** The lower levels of the aligned subtree below node `index` of level `keepFrom`. */
  #hashAgain(index: number): readonly Uint8Array[] {
    const { hasher, held, keepFrom, layers, padding, zeros } = this.#parts;
    if (!held) {
      throw new RangeError(
        `keepFrom: proofs of a tree over a stream or a device buffer need 0, it was built with ${keepFrom}`,
      );
    }
    const first = index * 2 ** keepFrom;
    const leaves = held(first, Math.min(2 ** keepFrom, this.size - first));
    const lower = foldSubtree(hasher, leaves, keepFrom, padding, zeros);
    if (!equalBytes(lower[keepFrom]!, digestAt(layers[0]!, index))) {
      throw new CambiumError(
        'SOURCE_CHANGED',
        `the leaves from ${first} on are not those that the tree was built from`,
      );
    }
    return lower;
  }
}

/** Digests that leave the tree are the caller's own. */
function copy(digest: Uint8Array): Digest {
  return concatBytes(digest);
}
