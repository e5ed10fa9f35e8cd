/**
 * Nodes under their hash, as Monotree 0.4 keeps them: a database that it wrote can be read and continued, and the other
 * way round.
 */
import { concatBytes, DIGEST_BYTES, type Digest, equalBytes, toHex } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import type { NodeStore, StoreOp } from '../../store/types.js';
import { singleKey } from '../keys.js';
import { bitAt, copyBytes, KEY_BITS, KEY_BYTES } from './bits.js';
import { type Draft, INNER, LEAF, NONE, REMOTE } from './draft.js';
import { hashNodes } from './hash-nodes.js';
import type { MessageLayers } from './message-layer.js';
import {
  type CellView,
  cellBit,
  extendKey,
  HARD,
  MOST_NODE_BYTES,
  newNodeView,
  readNode,
  SOFT,
  sharedWithCell,
} from './node-bytes.js';
import type { Change, Outcome, Shelf, State } from './shelf.js';

/** The key under which Monotree keeps the root that it opens with. */
export const MONOTREE_HEAD_KEY: Digest = /* @__PURE__ */ new TextEncoder().encode(
  '_______monotree::headroot_______',
);

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/** The only head that Monotree knows, in the only tree. */
const ITS_NAME = 'main';

/** Nodes under their 32-byte hash, the head under Monotree's own key; other heads under `<tree>h<head>`. */
export class HashShelf implements Shelf {
  readonly emptyRoot = null;
  readonly inPlace = true;
  readonly #prefix: Uint8Array;
  readonly #name: string;
  readonly #layers: MessageLayers;
  readonly #view = newNodeView();

  constructor(prefix: Uint8Array, name: string, layers: MessageLayers) {
    this.#prefix = prefix;
    this.#name = name;
    this.#layers = layers;
  }

  headKey(head: string): Digest {
    if (this.#isMonotrees(head)) return MONOTREE_HEAD_KEY.slice();
    return concatBytes(this.headPrefix(), new TextEncoder().encode(head));
  }

  headPrefix(): Digest {
    return singleKey(this.#prefix, 'h');
  }

  encodeHead({ root }: State, head: string): Uint8Array | undefined {
    // Monotree has no way to say that a tree is empty but to have no head.
    return root ?? (this.#isMonotrees(head) ? undefined : NOTHING);
  }

  decodeHead(bytes: Uint8Array): State {
    if (bytes.length !== DIGEST_BYTES && bytes.length !== 0) {
      throw new CambiumError('STORE_CORRUPT', `the head of the tree has ${bytes.length} bytes`);
    }
    return { root: bytes.length ? (bytes.slice() as Digest) : null, version: 0, top: NOTHING };
  }

  rootKey(root: Digest): Digest {
    return root;
  }

  stateOf(root: Digest, bytes: Uint8Array): State {
    if (!readNode(bytes, 0, this.#view)) throw notNode(root);
    return { root: root.slice() as Digest, version: 0, top: NOTHING };
  }

  open(draft: Draft, { root }: State): number {
    const keyAt = draft.allocate(KEY_BYTES);
    if (root) return draft.add(REMOTE, 0, keyAt, draft.keep(root));
    return draft.add(INNER, 0, keyAt, NONE);
  }

  reach(bit: number): number {
    return bit;
  }

  known(): undefined {
    return undefined;
  }

  nodeKey(draft: Draft, node: number): Digest {
    const at = draft.hashAt[node]!;
    return draft.pool.subarray(at, at + DIGEST_BYTES);
  }

  attach(draft: Draft, node: number, bytes: Uint8Array | undefined): void {
    const depth = draft.bit[node]!;
    const view = this.#view;
    if (!bytes || !readNode(bytes, depth, view)) throw notNode(this.nodeKey(draft, node));
    const at = draft.keep(bytes);
    // All nodes first: a new one can move the columns.
    const first = this.#cell(draft, node, at, view.left);
    const second = view.hard ? this.#cell(draft, node, at, view.right) : NONE;
    const isRight = !view.hard && cellBit(bytes, view.left, depth, depth) === 1;
    draft.state[node] = INNER;
    draft.left[node] = isRight ? NONE : first;
    draft.right[node] = isRight ? first : second;
  }

  /** The same layout for another tree of the store. */
  ofTree(prefix: Uint8Array, name: string): HashShelf {
    return new HashShelf(prefix, name, this.#layers);
  }

  /** Whether an entry of the store is a node of the tree's hash. */
  isNode(key: Uint8Array, bytes: Uint8Array): boolean {
    if (key.length !== DIGEST_BYTES || bytes.length > MOST_NODE_BYTES || bytes.length <= DIGEST_BYTES)
      return false;
    const kind = bytes[bytes.length - 1];
    return (kind === SOFT || kind === HARD) && equalBytes(this.#layers.hasher.hash(bytes), key);
  }

  #isMonotrees(head: string): boolean {
    return this.#name === ITS_NAME && head === ITS_NAME;
  }

  /** What a cell of the node leads to, as a node. */
  #cell(draft: Draft, node: number, at: number, cell: CellView): number {
    const depth = draft.bit[node]!;
    const keyAt = draft.allocate(KEY_BYTES);
    const { pool } = draft;
    copyBytes(pool, draft.keyAt[node]!, pool, keyAt, (depth + 7) >> 3);
    const { to, hashAt } = cell;
    extendKey(pool, keyAt, pool, { hashAt, pathAt: at + cell.pathAt, to }, depth);
    return draft.add(to === KEY_BITS ? LEAF : REMOTE, to, keyAt, at + hashAt);
  }

  async find(store: NodeStore, { root }: State, key: Uint8Array): Promise<Digest | undefined> {
    const view = this.#view;
    let hash: Digest | null = root;
    for (let depth = 0; hash; ) {
      const bytes: Digest | undefined = store.getSync
        ? store.getSync(hash)
        : (await store.getMany([hash]))[0];
      if (!bytes || !readNode(bytes, depth, view)) throw notNode(hash);
      const cell = view.hard && bitAt(key, 0, depth) ? view.right : view.left;
      if (sharedWithCell(bytes, cell, depth, key) < cell.to - depth) return undefined;
      hash = bytes.slice(cell.hashAt, cell.hashAt + DIGEST_BYTES);
      if (cell.to === KEY_BITS) return hash;
      depth = cell.to;
    }
    return undefined;
  }

  async outcome(draft: Draft, top: number, { signal }: Change): Promise<Outcome> {
    const isEmpty =
      top === NONE || (draft.left[top] === NONE && draft.right[top] === NONE && draft.state[top] === INNER);
    if (isEmpty) return { state: { root: null, version: 0, top: NOTHING }, ops: [] };
    const hashing = hashNodes(this.#layers, draft, top, { signal, withBytes: true });
    const { count, nodes, starts, bytes } = hashing instanceof Promise ? await hashing : hashing;
    const ops: StoreOp[] = [];
    for (let i = 0; i < count; i++) {
      const hashAt = draft.hashAt[nodes[i]!]!;
      const value = bytes.subarray(starts[i], starts[i + 1]);
      ops.push({ put: draft.pool.subarray(hashAt, hashAt + DIGEST_BYTES), value });
    }
    const root = draft.digest(draft.hashAt[top]!);
    return { state: { root, version: 0, top: NOTHING }, ops };
  }
}

function notNode(hash: Uint8Array): CambiumError {
  return new CambiumError('STORE_CORRUPT', `node ${toHex(hash)} is missing, or no node of its depth`);
}
