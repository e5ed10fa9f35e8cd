/**
 * A tree of fixed depth that grows from the left, kept in a store with all its past.
 */
import type { JobOptions } from '../backend/types.js';
import { assertLength, assertMultiple, DIGEST_BYTES, type Digest, digestAt, toHex } from '../bytes.js';
import { CambiumError, throwIfAborted } from '../errors.js';
import type { Hasher } from '../hasher.js';
import { readMany } from '../store/read.js';
import type { NodeStore, StoreOp } from '../store/types.js';
import { type Edge, edgeOf, foldEdge } from './append-only-edge.js';
import { growLayers, levelRoom, nodesIn } from './append-only-grow.js';
import { decodeHead, encodeHead, type Head, peakHeights } from './append-only-head.js';
import {
  type Layer,
  type NodeAt,
  nodeFromPage,
  pageKey,
  pageOf,
  pageOps,
  pagesToExtend,
} from './append-only-pages.js';
import { assertIdentity, encodeIdentity, identityKey, type TreeIdentity } from './identity.js';
import { keyPrefix, singleKey } from './keys.js';
import type { Proof } from './proof.js';
import { type SerialQueue, writersOf } from './queue.js';
import { MAX_DEPTH, toIndex, wholeNumber } from './shape.js';

/** How to open an {@link AppendOnlyTree}. */
export interface AppendOnlyOptions {
  /** Levels above the leaves, 1 to 64: the tree takes 2^depth leaves. */
  readonly depth: number;
  /** Trees of different names share a store; default `main`. */
  readonly name?: string;
  /** What stands where no leaf is yet, 32 bytes; default: the empty leaf of the hash. */
  readonly emptyLeaf?: Uint8Array;
}

/** A root and the number of leaves under it. */
export interface TreeState {
  /** 32 bytes. */
  readonly root: Digest;
  readonly size: number | bigint;
}

/** Options of one append. */
export interface AppendOptions extends JobOptions {
  /** Whether the commit must outlive a power failure, not only the process; default false. */
  readonly durable?: boolean;
}

/**
 * A tree of fixed depth to which leaves are appended, and which answers for every size it ever had.
 *
 * An append costs the fewest hashes possible: one for every node above the new leaves. It is one commit of the store,
 * with the head in it: a batch that is refused, aborted or not written leaves the tree as it was. Several handles, in
 * one process, on one tree take turns; readers in other processes see each commit as a whole.
 *
 * Every method rejects with `STORE_FAILED`, `STORE_LOCKED` or `CLOSED` when the store does, and with `STORE_CORRUPT`
 * when something that was committed is missing.
 *
 * @example
 * ```ts
 * const tree = await AppendOnlyTree.open(hasher, memoryStore(), { depth: 32 });
 * const { root, size } = await tree.append(leaves); // n x 32 bytes
 * const { index, leaf, siblings } = await tree.prove(5);
 * verifyProof(hasher, { root, leaf, index, depth: 32 }, siblings); // true
 * ```
 */
export class AppendOnlyTree {
  /** Levels above the leaves. */
  readonly depth: number;
  readonly name: string;
  readonly #hasher: Hasher;
  readonly #store: NodeStore;
  readonly #prefix: Uint8Array;
  readonly #keys: { readonly head: Uint8Array; readonly identity: Uint8Array };
  readonly #identity: TreeIdentity;
  readonly #zeros: readonly Digest[];
  readonly #writers: SerialQueue;
  #head: Head;
  /** The right edge at the head, once it is known. */
  #edge: { readonly version: bigint; readonly edge: Edge } | undefined;

  /**
   * Opens the tree of this name, or a new empty one; a new tree is written to the store by its first append.
   *
   * @param hasher Hashes the nodes; it stays the caller's to close.
   * @param store Holds the nodes; it stays the caller's to close.
   * @throws {TypeError} @throws {RangeError} that names the option: out of range, or not what the stored tree has.
   * @throws {CambiumError} `VERSION_MISMATCH` when a later library wrote the tree, `STORE_CORRUPT`, `NOT_CANONICAL`
   *   for an empty leaf that is no element of the hash's field.
   */
  static async open(hasher: Hasher, store: NodeStore, options: AppendOnlyOptions): Promise<AppendOnlyTree> {
    const { name = 'main', emptyLeaf = hasher.spec.zero } = options;
    const depth = Number(wholeNumber(options.depth, 'depth', 1n, BigInt(MAX_DEPTH)));
    assertLength(emptyLeaf, DIGEST_BYTES, 'emptyLeaf');
    const tree = new AppendOnlyTree(hasher, store, { depth, name, emptyLeaf });
    // Not at once: the database may still be opening.
    await tree.#adopt(await store.getMany([tree.#keys.head]));
    return tree;
  }

  private constructor(hasher: Hasher, store: NodeStore, options: Required<AppendOnlyOptions>) {
    const { depth, name, emptyLeaf } = options;
    this.depth = depth;
    this.name = name;
    this.#hasher = hasher;
    this.#store = store;
    this.#prefix = keyPrefix(name);
    this.#keys = { head: singleKey(this.#prefix, 'h'), identity: identityKey(this.#prefix) };
    this.#identity = {
      tree: 'append-only',
      format: 1,
      depth,
      hash: hasher.spec.id,
      emptyLeaf: toHex(emptyLeaf),
    };
    const zeros: Digest[] = [new Uint8Array(emptyLeaf)];
    for (let height = 0; height < depth; height++) {
      zeros.push(hasher.hashPair(zeros[height]!, zeros[height]!));
    }
    this.#zeros = zeros;
    this.#writers = writersOf(store, name);
    this.#head = { size: 0n, version: 0n, root: zeros[depth]!, peaks: new Map() };
  }

  /** Leaves in the tree, as of this handle's last call. */
  get size(): number | bigint {
    return toIndex(this.#head.size);
  }

  /**
   * Appends leaves, as one commit.
   *
   * @param leaves `n x 32` bytes, copied before the call returns; none changes nothing, but writes a new tree.
   * @throws {TypeError} @throws {RangeError} when `leaves` is not made of digests.
   * @throws {CambiumError} `TREE_FULL` when they do not all fit, `ABORTED`, `NOT_CANONICAL` with the position of the
   *   element among `leaves`, `STORE_FAILED`. The tree is then as it was.
   */
  async append(leaves: Uint8Array, options: AppendOptions = {}): Promise<TreeState> {
    assertMultiple(leaves, DIGEST_BYTES, 'leaves');
    const room = levelRoom(leaves.length / DIGEST_BYTES);
    nodesIn(room).set(leaves);
    return await this.#writers.run(async () => {
      throwIfAborted(options.signal);
      await this.#refresh();
      return await this.#grow(room, options);
    });
  }

  /**
   * The root now, or when the tree had `size` leaves: 32 bytes.
   *
   * @throws {TypeError} @throws {RangeError} unless `size` is from 0 to the tree's size.
   */
  async root(size?: number | bigint): Promise<Digest> {
    await this.#refresh();
    const at = this.#checkSize(size);
    if (at === this.#head.size) return this.#head.root.slice();
    return (await this.#edgeAt(at))[this.depth]!.slice();
  }

  /**
   * The leaf at an index: 32 bytes.
   *
   * @throws {TypeError} @throws {RangeError} when there is no leaf yet.
   */
  async leaf(index: number | bigint): Promise<Digest> {
    await this.#refresh();
    const { size } = this.#head;
    if (size === 0n) throw new RangeError(`index: the tree has no leaves, got ${index}`);
    const at = wholeNumber(index, 'index', 0n, size - 1n);
    return (await this.#readNodes([{ level: 0, index: at }]))[0]!;
  }

  /**
   * The leaf at an index and the siblings of its path, from the leaf upward, now or when the tree had `size` leaves.
   *
   * Where no leaf was yet, it proves the empty leaf: what the next append replaces.
   *
   * @throws {TypeError} @throws {RangeError} unless `index` is below 2^depth, and `size` from 0 to the tree's size.
   */
  async prove(index: number | bigint, size?: number | bigint): Promise<Proof> {
    await this.#refresh();
    const at = this.#checkSize(size);
    const position = wholeNumber(index, 'index', 0n, (1n << BigInt(this.depth)) - 1n);
    const beside = Array.from({ length: this.depth }, (_, level) => ({
      level,
      index: (position >> BigInt(level)) ^ 1n,
    }));
    const [leaf, ...siblings] = await this.#nodesAt(at, [{ level: 0, index: position }, ...beside]);
    return { index: toIndex(position), leaf: leaf!, siblings };
  }

  /** Any nodes of the tree as it was with `size` leaves: left of its edge complete, on it partial, right of it empty. */
  async #nodesAt(size: bigint, nodes: readonly NodeAt[]): Promise<Digest[]> {
    const edgeIndex = ({ level }: NodeAt): bigint => size >> BigInt(level);
    const edge = nodes.some((node) => node.index === edgeIndex(node)) ? await this.#edgeAt(size) : [];
    const complete = await this.#readNodes(nodes.filter((node) => node.index < edgeIndex(node)));
    return nodes.map((node) => {
      if (node.index < edgeIndex(node)) return complete.shift()!;
      return (node.index === edgeIndex(node) ? edge : this.#zeros)[node.level]!.slice();
    });
  }

  /** Takes over what is committed by now, perhaps through another handle. */
  async #refresh(): Promise<void> {
    await this.#adopt(await readMany(this.#store, [this.#keys.head]));
  }

  async #adopt([bytes]: readonly (Digest | undefined)[]): Promise<void> {
    if (!bytes) return;
    // A tree that was new to this handle may have been created meanwhile, as something else.
    if (this.#head.version === 0n) {
      const [identity] = await readMany(this.#store, [this.#keys.identity]);
      assertIdentity(identity, this.#identity, this.name);
    }
    const head = decodeHead(bytes);
    // An append of this handle may have been committed since the bytes were read.
    if (head.version > this.#head.version) this.#head = head;
  }

  async #grow(room: Digest, options: AppendOptions): Promise<TreeState> {
    const head = this.#head;
    const size = head.size + BigInt(nodesIn(room).length / DIGEST_BYTES);
    if (size > 1n << BigInt(this.depth)) {
      const free = (1n << BigInt(this.depth)) - head.size;
      throw new CambiumError('TREE_FULL', `the tree has room for ${free} leaves, got ${size - head.size}`);
    }
    if (size === head.size) {
      if (head.version === 0n) await this.#commit([], { ...head, version: 1n }, options);
      return { root: head.root.slice(), size: this.size };
    }
    const extended = await readMany(
      this.#store,
      pagesToExtend(head.size, size, this.depth).map((page) => pageKey(this.#prefix, page)),
    );
    const layers = await growLayers(this.#hasher, { ...options, head, leaves: room, zeros: this.#zeros });
    const next: Head = {
      size,
      version: head.version + 1n,
      root: layers[this.depth]!.nodes.slice(),
      peaks: peaksAfter(head, size, layers),
    };
    const ops = pageOps({ prefix: this.#prefix, from: head.size, to: size, layers, extended });
    await this.#commit(ops, next, options);
    this.#edge = { version: next.version, edge: edgeOf(size, layers, this.#zeros) };
    return { root: next.root.slice(), size: toIndex(size) };
  }

  /** Writes nodes and head as one; a new tree's identity with them. */
  async #commit(ops: readonly StoreOp[], next: Head, options: AppendOptions): Promise<void> {
    const all: StoreOp[] = [...ops];
    if (this.#head.version === 0n)
      all.push({ put: this.#keys.identity, value: encodeIdentity(this.#identity) });
    all.push({ put: this.#keys.head, value: encodeHead(next) });
    throwIfAborted(options.signal);
    await this.#store.commit(all, { durable: options.durable === true });
    this.#head = next;
  }

  #checkSize(size: number | bigint | undefined): bigint {
    return size === undefined ? this.#head.size : wholeNumber(size, 'size', 0n, this.#head.size);
  }

  /** The right edge when the tree had `size` leaves. */
  async #edgeAt(size: bigint): Promise<Edge> {
    const head = this.#head;
    if (size !== head.size) {
      const heights = peakHeights(size);
      const nodes = heights.map((level) => ({ level, index: (size >> BigInt(level)) - 1n }));
      const found = await this.#readNodes(nodes);
      const peaks = new Map(heights.map((height, i) => [height, found[i]!]));
      return foldEdge(this.#hasher, size, peaks, this.#zeros);
    }
    if (this.#edge?.version !== head.version) {
      this.#edge = {
        version: head.version,
        edge: foldEdge(this.#hasher, size, head.peaks, this.#zeros),
      };
    }
    return this.#edge.edge;
  }

  /** Complete nodes, each page of them read once. */
  async #readNodes(nodes: readonly NodeAt[]): Promise<Digest[]> {
    const pages = new Map<string, { readonly key: Digest; value?: Digest | undefined }>();
    const names = nodes.map((node) => {
      const page = pageOf(node);
      const name = `${page.bottom} ${page.index}`;
      if (!pages.has(name)) pages.set(name, { key: pageKey(this.#prefix, page) });
      return name;
    });
    const wanted = [...pages.values()];
    const values = await readMany(
      this.#store,
      wanted.map(({ key }) => key),
    );
    for (const [i, page] of wanted.entries()) page.value = values[i];
    return nodes.map((node, i) => nodeFromPage(pages.get(names[i]!)!.value, node));
  }
}

/** The complete subtrees after an append: new ones out of its layers, the others as they were. */
function peaksAfter(head: Head, size: bigint, layers: readonly Layer[]): Map<number, Uint8Array> {
  return new Map(
    peakHeights(size).map((height) => {
      const { first, nodes } = layers[height]!;
      const index = (size >> BigInt(height)) - 1n;
      // Copied: a view would keep the memory of the whole batch.
      return [
        height,
        index < first ? head.peaks.get(height)! : digestAt(nodes, Number(index - first)).slice(),
      ];
    }),
  );
}
