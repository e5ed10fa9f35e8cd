/**
 * Proofs in the form of Monotree 0.4, out and in.
 */
import { assertBytes, assertLength, concatBytes, DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import type { Hasher } from '../../hasher.js';
import { bitAt, KEY_BITS, KEY_BYTES, pathBytes, writePath } from './bits.js';
import { type CellView, cellBit, extendKey, newNodeView, readNode, writeCellPath } from './node-bytes.js';
import { CLAIMED_LEAF, HIDDEN_NODE, NO_CHILD, OTHER_LEAF, SHOWN_NODE } from './proof-bytes.js';
import { verifySparseProof } from './verify.js';

/** One node on the way from the root to a leaf, without the hash that the next one gives. */
export interface MonotreeStep {
  /** Whether the path goes on in the right one of two cells. */
  readonly right: boolean;
  /** The node's bytes without the 32 bytes of that cell's hash. */
  readonly cut: Digest;
}

/**
 * Whether a proof of Monotree shows that a key has a leaf. Unlike Monotree's own verifier it takes the key and checks the
 * whole path, so that neither another key nor an inner node passes.
 *
 * @throws {TypeError} @throws {RangeError} when an argument is not of its form.
 */
export function verifyMonotreeProof(
  hash: Pick<Hasher, 'hash'>,
  claim: { readonly root: Uint8Array | null; readonly key: Uint8Array; readonly leaf: Uint8Array },
  steps: readonly MonotreeStep[],
): boolean {
  assertLength(claim.leaf, DIGEST_BYTES, 'leaf');
  const path = fromMonotreeProof(claim.key, steps);
  return path !== undefined && verifySparseProof(hash, { ...claim, layout: 'monotree' }, path);
}

/**
 * The same proof as `prove` gives it; undefined when the steps are no path of this key.
 *
 * @throws {TypeError} @throws {RangeError} when an argument is not of its form.
 */
export function fromMonotreeProof(key: Uint8Array, steps: readonly MonotreeStep[]): Digest | undefined {
  assertLength(key, KEY_BYTES, 'key');
  if (!Array.isArray(steps)) throw new TypeError(`steps: expected an array, got ${typeof steps}`);
  const nodes = (steps as readonly MonotreeStep[]).map(({ right, cut }, i) => {
    if (typeof right !== 'boolean')
      throw new TypeError(`steps[${i}].right: expected a boolean, got ${typeof right}`);
    assertBytes(cut, `steps[${i}].cut`);
    const gap = new Uint8Array(DIGEST_BYTES);
    return right ? concatBytes(cut.subarray(0, -1), gap, cut.subarray(-1)) : concatBytes(gap, cut);
  });
  const found = new NodesReader(key, nodes, true).read();
  const isRight = (i: number): boolean => found!.sides[i] === 1;
  return found && steps.every(({ right }, i) => right === isRight(i)) ? found.path : undefined;
}

/**
 * A proof of absence out of the whole nodes from the root to the one where the key leaves the tree; undefined when they
 * are no such nodes. `verifySparseProof` checks it.
 */
export function fromMonotreeNodes(key: Uint8Array, nodes: readonly Uint8Array[]): Digest | undefined {
  assertLength(key, KEY_BYTES, 'key');
  return nodes.length === 0 ? new Uint8Array(0) : new NodesReader(key, nodes, false).read()?.path;
}

/** Puts nodes on the path of a key together. */
class NodesReader {
  readonly #key: Uint8Array;
  readonly #nodes: readonly Uint8Array[];
  readonly #endsInLeaf: boolean;
  readonly #parts: Uint8Array[] = [];
  readonly #sides: number[] = [];

  constructor(key: Uint8Array, nodes: readonly Uint8Array[], endsInLeaf: boolean) {
    this.#key = key;
    this.#nodes = nodes;
    this.#endsInLeaf = endsInLeaf;
  }

  /** The proof, and for each node whether the path goes on to the right. */
  read(): { readonly path: Digest; readonly sides: readonly number[] } | undefined {
    if (this.#nodes.length === 0 || !this.#node(0, 0)) return undefined;
    return { path: concatBytes(...this.#parts), sides: this.#sides };
  }

  /** Node `i`, which branches at `depth`; false when it is none. */
  #node(i: number, depth: number): boolean {
    const bytes = this.#nodes[i];
    const view = newNodeView();
    if (!bytes || depth >= KEY_BITS || !readNode(bytes, depth, view)) return false;
    const { hard, left, right } = view;
    if (hard) {
      const side = bitAt(this.#key, 0, depth);
      this.#sides.push(side);
      if (depth === 0) this.#parts.push(Uint8Array.of(SHOWN_NODE, 0));
      if (side === 0) return this.#follow(i, bytes, depth, left) && this.#beside(bytes, depth, right);
      this.#beside(bytes, depth, left);
      return this.#follow(i, bytes, depth, right);
    }
    this.#sides.push(0);
    // At the top a node with one cell is not told: the cell begins there.
    if (depth === 0) return this.#follow(i, bytes, depth, left);
    const side = cellBit(bytes, left, depth, depth);
    if (side === 1) this.#parts.push(Uint8Array.of(NO_CHILD));
    const followed = this.#follow(i, bytes, depth, left);
    if (side === 0) this.#parts.push(Uint8Array.of(NO_CHILD));
    return followed;
  }

  /** The cell on the side of the key. */
  #follow(i: number, bytes: Uint8Array, depth: number, cell: CellView): boolean {
    const isLast = i + 1 === this.#nodes.length;
    if (isLast && !this.#endsInLeaf) return this.#beside(bytes, depth, cell);
    if (isLast) {
      this.#parts.push(Uint8Array.of(CLAIMED_LEAF));
      return cell.to === KEY_BITS && this.#isOnPath(bytes, depth, cell);
    }
    this.#parts.push(Uint8Array.of(SHOWN_NODE, cell.to), cellBytes(bytes, depth, cell));
    return cell.to < KEY_BITS && this.#isOnPath(bytes, depth, cell) && this.#node(i + 1, cell.to);
  }

  #beside(bytes: Uint8Array, depth: number, cell: CellView): boolean {
    const tag = cell.to === KEY_BITS ? [OTHER_LEAF] : [HIDDEN_NODE, cell.to];
    const hash = bytes.subarray(cell.hashAt, cell.hashAt + DIGEST_BYTES);
    this.#parts.push(Uint8Array.from(tag), cellBytes(bytes, depth, cell), hash);
    return true;
  }

  #isOnPath(bytes: Uint8Array, depth: number, cell: CellView): boolean {
    const own = new Uint8Array(pathBytes(depth, cell.to));
    writePath(own, 0, this.#key, 0, depth, cell.to);
    return cellBytes(bytes, depth, cell).every((byte, i) => byte === own[i]);
  }
}

function cellBytes(bytes: Uint8Array, depth: number, { pathAt, to }: CellView): Uint8Array {
  return bytes.subarray(pathAt, pathAt + pathBytes(depth, to));
}

/**
 * A proof of one present key, of the layouts `canonical` and `monotree`, in the form of Monotree.
 *
 * @throws {CambiumError} `MALFORMED` when `path` is no proof of one key. @throws {TypeError} @throws {RangeError}
 */
export function toMonotreeProof({
  key,
  path,
}: {
  readonly key: Uint8Array;
  readonly path: Uint8Array;
}): MonotreeStep[] {
  assertLength(key, KEY_BYTES, 'key');
  assertBytes(path, 'path');
  return new StepsReader(key, path).read();
}

/** A cell of a proof; the one that leads to the claimed leaf has no hash. */
interface ReadCell {
  readonly to: number;
  /** The bits of the way to it, 32 bytes. */
  readonly way: Uint8Array;
  readonly hash: Uint8Array | undefined;
}

/** Cuts a proof into the nodes on its path. */
class StepsReader {
  readonly #key: Uint8Array;
  readonly #bytes: Uint8Array;
  #at = 0;
  /** From the leaf upward. */
  readonly #steps: MonotreeStep[] = [];

  constructor(key: Uint8Array, bytes: Uint8Array) {
    this.#key = key;
    this.#bytes = bytes;
  }

  read(): MonotreeStep[] {
    const top = this.#cell(0, new Uint8Array(KEY_BYTES));
    if (!top || top.hash || this.#at !== this.#bytes.length) throw malformed();
    if (top.to > 0) this.#steps.push({ right: false, cut: this.#cut(0, [top]) });
    return this.#steps.reverse();
  }

  #cell(depth: number, before: Uint8Array): ReadCell | undefined {
    const tag = this.#take(1)[0];
    if (tag === NO_CHILD) return undefined;
    if (tag === CLAIMED_LEAF) return { to: KEY_BITS, way: this.#key, hash: undefined };
    const to = tag === OTHER_LEAF ? KEY_BITS : this.#take(1)[0]!;
    if (to < depth) throw malformed();
    const way = before.slice();
    const bits = this.#take(pathBytes(depth, to));
    if (bits.length) extendKey(way, 0, bits, { hashAt: 0, pathAt: 0, to }, depth);
    if (tag !== SHOWN_NODE) return { to, way, hash: this.#take(DIGEST_BYTES) };
    const left = this.#cell(to, way);
    const right = this.#cell(to, way);
    const cells = [left, right].filter((cell) => cell !== undefined);
    // The claimed leaf lies below exactly one of them.
    if (cells.filter(({ hash }) => !hash).length !== 1) throw malformed();
    this.#steps.push({ right: cells.length === 2 && !right?.hash, cut: this.#cut(to, cells) });
    return { to, way, hash: undefined };
  }

  /** The bytes of a node with these cells, without the hash that is not known. */
  #cut(depth: number, cells: readonly ReadCell[]): Digest {
    const paths = cells.map(({ way, to }) => {
      const bytes = new Uint8Array(4 + pathBytes(depth, to));
      writeCellPath(bytes, 0, way, 0, depth, to);
      return bytes;
    });
    const [first, second] = cells;
    const none = new Uint8Array(0);
    return concatBytes(
      first?.hash ?? none,
      ...paths,
      second?.hash ?? none,
      Uint8Array.of(cells.length === 2 ? 1 : 0),
    );
  }

  #take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw malformed();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}

function malformed(): CambiumError {
  return new CambiumError('MALFORMED', 'path: it is no proof of one present key');
}
