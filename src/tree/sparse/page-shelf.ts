/**
 * Nodes in pages under depth, prefix and version; a root index from roots to versions.
 */
import { concatBytes, DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import type { NodeStore, StoreOp } from '../../store/types.js';
import { singleKey } from '../keys.js';
import { bitAt, copyBytes, KEY_BYTES, pathBytes, writePath } from './bits.js';
import { type Draft, INNER, NONE } from './draft.js';
import { hashLevels, type LevelsFormat } from './hash-levels.js';
import { hashNodes } from './hash-nodes.js';
import type { MessageLayers } from './message-layer.js';
import {
  attachPage,
  type Found,
  findPacked,
  missingPage,
  nodeAt,
  PageWriter,
  pageDepth,
  readVersion,
  VERSION_BYTES,
  writeVersion,
} from './page.js';
import type { Change, Outcome, Shelf, State } from './shelf.js';
import { UpperPages } from './upper-pages.js';

const HEAD_BYTES = VERSION_BYTES + DIGEST_BYTES;

/** A page as a change of the store. */
type PagePut = Extract<StoreOp, { readonly put: Uint8Array }>;

/** The pages of a change, each with the node at its top, and the top of the tree. */
interface Written {
  readonly nodes: readonly number[];
  readonly pages: readonly PagePut[];
  readonly topBytes: Uint8Array;
}

/** Where a page is. */
export interface PageAddress {
  readonly depth: number;
  readonly version: number;
  /** The first `depth` bits of its keys. */
  readonly prefix: Uint8Array;
}

/**
 * Pages under `<tree>p<depth><prefix><version>`, roots under `<tree>r<root>`, heads under `<tree>h<head>`, the pages that
 * a commit replaced under `<tree>s<version>`.
 */
export class PageShelf implements Shelf {
  readonly emptyRoot: Digest | null;
  readonly inPlace = false;
  readonly #prefix: Uint8Array;
  readonly #prefixes: { readonly head: Digest; readonly root: Digest; readonly stale: Digest };
  readonly #layers: MessageLayers;
  readonly #levels: LevelsFormat | undefined;
  readonly #upper = new UpperPages();
  /** Room for the key of a page. */
  readonly #key: Digest;

  /** @param levels for layouts that hash every level; the others hash nodes as Monotree does. */
  constructor(prefix: Uint8Array, layers: MessageLayers, levels?: LevelsFormat) {
    this.#prefix = prefix;
    this.#key = new Uint8Array(prefix.length + 2 + KEY_BYTES + VERSION_BYTES);
    this.#prefixes = {
      head: singleKey(prefix, 'h'),
      root: singleKey(prefix, 'r'),
      stale: singleKey(prefix, 's'),
    };
    this.#layers = layers;
    this.#levels = levels;
    this.emptyRoot = levels ? levels.empty : null;
  }

  headKey(head: string): Digest {
    return concatBytes(this.headPrefix(), new TextEncoder().encode(head));
  }

  headPrefix(): Digest {
    return this.#prefixes.head;
  }

  encodeHead({ root, version, top }: State): Uint8Array {
    const bytes = new Uint8Array(HEAD_BYTES + top.length);
    writeVersion(bytes, 0, version);
    if (root) bytes.set(root, VERSION_BYTES);
    bytes.set(top, HEAD_BYTES);
    return bytes;
  }

  decodeHead(bytes: Uint8Array): State {
    if (bytes.length < HEAD_BYTES) {
      throw new CambiumError('STORE_CORRUPT', `the head of the tree has ${bytes.length} bytes`);
    }
    const top = bytes.subarray(HEAD_BYTES);
    const root = top.length ? (bytes.subarray(VERSION_BYTES, HEAD_BYTES) as Digest) : this.emptyRoot;
    return { root, version: readVersion(bytes, 0), top };
  }

  rootKey(root: Digest): Digest {
    return concatBytes(this.rootPrefix(), root);
  }

  stateOf(root: Digest, bytes: Uint8Array): State {
    if (bytes.length <= VERSION_BYTES) {
      throw new CambiumError('STORE_CORRUPT', `a root of the tree has ${bytes.length} bytes`);
    }
    return {
      root: root.slice() as Digest,
      version: readVersion(bytes, 0),
      top: bytes.subarray(VERSION_BYTES),
    };
  }

  open(draft: Draft, { top }: State): number {
    return top.length ? nodeAt(draft, draft.keep(top), 0) : NONE;
  }

  reach(bit: number): number {
    return pageDepth(bit);
  }

  nodeKey(draft: Draft, node: number): Digest {
    const depth = pageDepth(draft.bit[node]!);
    const start = draft.allocate(this.#prefix.length + 2 + KEY_BYTES + VERSION_BYTES);
    // A view of the pool costs a tenth of an array of its own.
    const { pool } = draft;
    const end = this.#writePageKey(pool, start, depth, pool, draft.keyAt[node]!, draft.version[node]!);
    return pool.subarray(start, end);
  }

  known(draft: Draft, node: number): Uint8Array | undefined {
    const depth = pageDepth(draft.bit[node]!);
    return this.#upper.get(depth, draft.pool, draft.keyAt[node]!, draft.version[node]!);
  }

  attach(draft: Draft, node: number, bytes: Uint8Array | undefined): void {
    attachPage(draft, node, bytes);
    const depth = pageDepth(draft.bit[node]!);
    this.#upper.set(depth, draft.pool, draft.keyAt[node]!, draft.version[node]!, bytes!);
  }

  find(store: NodeStore, { top }: State, key: Uint8Array): Digest | undefined | Promise<Digest | undefined> {
    const found: Found = { leafAt: NONE, depth: NONE, version: 0 };
    if (top.length === 0) return undefined;
    findPacked(top, 0, key, found);
    if (!store.getSync) return this.#findLater(store, top, key, found);
    let page = top;
    while (found.depth !== NONE) {
      const { depth, version } = found;
      page =
        this.#upper.get(depth, key, 0, version) ??
        this.#keep(key, found, store.getSync(this.#pageKey(depth, key, 0, version)));
      findPacked(page, depth, key, found);
    }
    return leafOf(page, found);
  }

  async #findLater(
    store: NodeStore,
    top: Uint8Array,
    key: Uint8Array,
    found: Found,
  ): Promise<Digest | undefined> {
    let page = top;
    while (found.depth !== NONE) {
      const { depth, version } = found;
      const known = this.#upper.get(depth, key, 0, version);
      page =
        known ?? this.#keep(key, found, (await store.getMany([this.#pageKey(depth, key, 0, version)]))[0]);
      findPacked(page, depth, key, found);
    }
    return leafOf(page, found);
  }

  /** @throws {CambiumError} `STORE_CORRUPT` when the page is missing. */
  #keep(key: Uint8Array, { depth, version }: Found, page: Uint8Array | undefined): Uint8Array {
    if (!page) throw missingPage(depth, version);
    this.#upper.set(depth, key, 0, version, page);
    return page;
  }

  /** What the keys of all lists of replaced pages begin with. */
  stalePrefix(): Digest {
    return this.#prefixes.stale;
  }

  /** What the keys of all roots begin with. */
  rootPrefix(): Digest {
    return this.#prefixes.root;
  }

  /** Store key of a page. */
  pageKey({ depth, prefix, version }: PageAddress): Digest {
    return this.#pageKey(depth, prefix, 0, version).slice();
  }

  outcome(draft: Draft, top: number, change: Change): Outcome | Promise<Outcome> {
    const hashing = this.#hash(draft, top, change.signal);
    if (hashing instanceof Promise) return hashing.then((root) => this.#written(draft, top, root, change));
    return this.#written(draft, top, hashing, change);
  }

  #written(draft: Draft, top: number, root: Digest | null, change: Change): Outcome {
    const { nodes, pages, topBytes } = this.#writePages(draft, top, change.version);
    const ops: StoreOp[] = pages.slice();
    const stale = this.#stalePages(draft, change);
    const state: State = { root, version: change.version, top: topBytes };
    if (root && top !== NONE) ops.push({ put: this.rootKey(root), value: rootRecord(state) });
    if (stale.length) ops.push({ put: this.#staleKey(change.version), value: concatBytes(...stale) });
    return { state, ops, committed: () => this.#keepWritten(draft, nodes, pages, change.version) };
  }

  /** Not before the commit: after one that fails, another has its version. */
  #keepWritten(draft: Draft, nodes: readonly number[], pages: readonly PagePut[], version: number): void {
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!;
      this.#upper.set(pageDepth(draft.bit[node]!), draft.pool, draft.keyAt[node]!, version, pages[i]!.value);
    }
  }

  #hash(draft: Draft, top: number, signal: AbortSignal | undefined): Digest | null | Promise<Digest> {
    if (top === NONE) return this.emptyRoot;
    if (this.#levels) {
      return hashLevels(this.#layers, this.#levels, draft, top, signal).then((at) => draft.digest(at));
    }
    const above = withRootNode(draft, top);
    const hashing = hashNodes(this.#layers, draft, above, { signal, withBytes: false });
    const rootOf = (): Digest => draft.digest(draft.hashAt[above]!);
    return hashing instanceof Promise ? hashing.then(rootOf) : rootOf();
  }

  #writePages(draft: Draft, top: number, version: number): Written {
    if (top === NONE) return { nodes: [], pages: [], topBytes: new Uint8Array(0) };
    const writer = new PageWriter(draft, version);
    const topAt = writer.reference(top);
    const topEnd = draft.used;
    const nodes: number[] = [];
    const starts: number[] = [];
    for (let node = writer.below.pop(); node !== undefined; node = writer.below.pop()) {
      nodes.push(node);
      starts.push(writer.page(node));
    }
    starts.push(draft.used);
    // Not before all are written: the pool moves when it grows.
    const { pool } = draft;
    const pages = nodes.map((node, i): PagePut => {
      return { put: this.nodeKey(draft, node), value: pool.subarray(starts[i], starts[i + 1]) };
    });
    return { nodes, pages, topBytes: pool.slice(topAt, topEnd) };
  }

  /** Addresses of the pages that were read and are not used any more, now that the new ones are written. */
  #stalePages(draft: Draft, { loaded }: Change): Uint8Array[] {
    return loaded
      .filter(({ node, version }) => draft.version[node] !== version)
      .map(({ node, version }) =>
        addressBytes(pageDepth(draft.bit[node]!), version, draft.pool, draft.keyAt[node]!),
      );
  }

  #staleKey(version: number): Digest {
    const suffix = new Uint8Array(VERSION_BYTES);
    writeVersion(suffix, 0, version);
    return concatBytes(this.stalePrefix(), suffix);
  }

  /** The key of a page for one call of the store, which copies it. */
  #pageKey(depth: number, key: Uint8Array, keyAt: number, version: number): Digest {
    return this.#key.subarray(0, this.#writePageKey(this.#key, 0, depth, key, keyAt, version));
  }

  #writePageKey(
    out: Uint8Array,
    at: number,
    depth: number,
    key: Uint8Array,
    keyAt: number,
    version: number,
  ): number {
    const kind = at + this.#prefix.length;
    copyBytes(this.#prefix, 0, out, at, this.#prefix.length);
    out[kind] = 0x70;
    out[kind + 1] = depth;
    const end = writePath(out, kind + 2, key, keyAt, 0, depth);
    writeVersion(out, end, version);
    return end + VERSION_BYTES;
  }
}

function leafOf(page: Uint8Array, { leafAt }: Found): Digest | undefined {
  return leafAt === NONE ? undefined : (page.slice(leafAt, leafAt + DIGEST_BYTES) as Digest);
}

/** The node at depth 0, which a tree has even where its keys share their first bits. */
function withRootNode(draft: Draft, top: number): number {
  if (draft.bit[top] === 0) return top;
  const isRight = bitAt(draft.pool, draft.keyAt[top]!, 0);
  const node = isRight ? draft.addInner(0, NONE, top) : draft.addInner(0, top, NONE);
  draft.state[node] = INNER;
  return node;
}

function rootRecord({ version, top }: State): Uint8Array {
  const record = new Uint8Array(VERSION_BYTES + top.length);
  writeVersion(record, 0, version);
  record.set(top, VERSION_BYTES);
  return record;
}

/** The pages that a commit replaced, out of its entry. */
export function staleIn(entry: Uint8Array): PageAddress[] {
  const addresses: PageAddress[] = [];
  for (let at = 0; at < entry.length; ) {
    const depth = entry[at]!;
    const end = at + 1 + VERSION_BYTES + pathBytes(0, depth);
    const prefix = new Uint8Array(KEY_BYTES);
    prefix.set(entry.subarray(at + 1 + VERSION_BYTES, end));
    addresses.push({ depth, version: readVersion(entry, at + 1), prefix });
    at = end;
  }
  return addresses;
}

/** The entry of {@link staleIn}. */
export function staleEntry(addresses: readonly PageAddress[]): Uint8Array {
  return concatBytes(
    ...addresses.map(({ depth, version, prefix }) => addressBytes(depth, version, prefix, 0)),
  );
}

function addressBytes(depth: number, version: number, key: Uint8Array, keyAt: number): Uint8Array {
  const address = new Uint8Array(1 + VERSION_BYTES + pathBytes(0, depth));
  address[0] = depth;
  writeVersion(address, 1, version);
  writePath(address, 1 + VERSION_BYTES, key, keyAt, 0, depth);
  return address;
}
