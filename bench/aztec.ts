/** The trees of Aztec, for benches: the native server of `@aztec/bb.js`, and `@aztec/merkle-tree` in TypeScript. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { peer } from './contenders.ts';

/** A tree that takes batches and tells its root. */
export interface PeerTree {
  /** Makes what was inserted permanent, where that is no part of an insertion. */
  settle?(): Promise<void>;
  insert(values: readonly Uint8Array[]): Promise<void>;
  root(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** What a peer is to be: `append` is the note-hash tree of depth 32, `indexed` the nullifier tree of depth 20. */
export type TreeKind = 'append' | 'indexed';

export const DEPTHS: Readonly<Record<TreeKind, number>> = { append: 32, indexed: 20 };

/** Ids of the trees in the native server. */
const TREE_IDS: Readonly<Record<TreeKind, number>> = { append: 1, indexed: 0 };

interface WsdbApi {
  wsdbCreateFork(command: { latest: boolean; blocknumber: number }): Promise<{ forkid: number }>;
  wsdbAppendLeaves(command: { treeid: number; forkid: number; leaves: Uint8Array[] }): Promise<unknown>;
  wsdbBatchInsert(command: {
    treeid: number;
    forkid: number;
    leaves: Uint8Array[];
    subtreedepth: number;
  }): Promise<unknown>;
  wsdbGetTreeInfo(command: { treeid: number; revision: object }): Promise<{ root: Uint8Array }>;
}

interface Wsdb {
  readonly AsyncApi: new (backend: object) => WsdbApi;
  readonly WsdbBackend: new (
    options: object,
  ) => { waitUntilReady(): Promise<void>; destroy(): Promise<void> };
}

/** A fork of the native server's tree; what is inserted there is not committed to disk. */
export async function nativeTree(kind: TreeKind, prefill: number, threads: number): Promise<PeerTree> {
  const main = peer.resolve('@aztec/bb.js');
  const folder = main.slice(0, main.indexOf('/dest/'));
  const { AsyncApi, WsdbBackend } = (await import(
    pathToFileURL(join(folder, 'dest/node/aztec-wsdb/index.js')).href
  )) as Wsdb;
  const { Encoder } = createRequire(join(folder, 'package.json'))('msgpackr') as {
    Encoder: new (options: object) => { encode(value: unknown): Uint8Array };
  };
  const encoder = new Encoder({ useRecords: false });
  const dataDir = mkdtempSync(join(tmpdir(), 'cambium-wsdb-'));
  const backend = new WsdbBackend({
    binaryPath: join(folder, 'build/amd64-linux/aztec-wsdb'),
    dataDir,
    treeHeights: { 0: DEPTHS.indexed, 1: DEPTHS.append, 2: 20, 3: 20, 4: 20 },
    treePrefill: { 0: prefill, 2: prefill },
    threads,
    initialHeaderGeneratorPoint: 28,
  });
  await backend.waitUntilReady();
  const api = new AsyncApi(backend);
  const { forkid } = await api.wsdbCreateFork({ latest: true, blocknumber: 0 });
  const treeid = TREE_IDS[kind];
  return {
    async insert(values) {
      if (kind === 'append') {
        const leaves = values.map((value) => encoder.encode(value));
        await api.wsdbAppendLeaves({ treeid, forkid, leaves });
        return;
      }
      const leaves = values.map((nullifier) => encoder.encode({ nullifier }));
      await api.wsdbBatchInsert({ treeid, forkid, leaves, subtreedepth: Math.log2(values.length) });
    },
    async root() {
      // This block number stands for the fork's own state.
      const revision = { forkid, blocknumber: 2 ** 32 - 1, includeuncommitted: true };
      return (await api.wsdbGetTreeInfo({ treeid, revision })).root;
    },
    async close() {
      await backend.destroy();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

interface TsTree {
  appendLeaves(leaves: object[]): unknown;
  batchInsert(leaves: Uint8Array[], subtreeHeight: number): Promise<unknown>;
  commit(): Promise<void>;
  getRoot(includeUncommitted: boolean): Uint8Array;
}

interface TsTrees {
  readonly StandardTree: new () => TsTree;
  readonly StandardIndexedTree: new () => TsTree;
  readonly Poseidon: new () => object;
  newTree(
    kind: unknown,
    store: object,
    hasher: object,
    name: string,
    deserializer: unknown,
    depth: number,
    prefill?: number,
  ): Promise<TsTree>;
}

/** The package's modules are ES modules, which only their resolved paths reach from here. */
async function load<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(peer.resolve(name)).href)) as T;
}

/** A tree of `@aztec/merkle-tree`; an insertion changes it in memory, until it is settled. */
export async function typescriptTree(kind: TreeKind, prefill: number): Promise<PeerTree> {
  // It logs to standard output otherwise.
  process.env.LOG_LEVEL ??= 'silent';
  const trees = await load<TsTrees>('@aztec/merkle-tree');
  const { openTmpStore } = await load<{
    openTmpStore(ephemeral: boolean): object & { close(): Promise<void> };
  }>('@aztec/kv-store/lmdb');
  const { Fr } = await load<{ Fr: { fromBuffer(bytes: Buffer): object } }>('@aztec/foundation/curves/bn254');
  const store = openTmpStore(true);
  const tree = await openTs(trees, kind, store, prefill, Fr);
  return {
    settle: () => tree.commit(),
    async insert(values) {
      const leaves = values.map((value) => Buffer.from(value));
      if (kind === 'append') await tree.appendLeaves(leaves.map((leaf) => Fr.fromBuffer(leaf)));
      else await tree.batchInsert(leaves, Math.log2(values.length));
    },
    root: async () => tree.getRoot(true),
    close: () => store.close(),
  };
}

async function openTs(
  { newTree, StandardTree, StandardIndexedTree, Poseidon }: TsTrees,
  kind: TreeKind,
  store: object,
  prefill: number,
  Fr: object,
): Promise<TsTree> {
  const depth = DEPTHS[kind];
  if (kind === 'append') return await newTree(StandardTree, store, new Poseidon(), 'notes', Fr, depth);
  const { NullifierLeaf, NullifierLeafPreimage } = await load<Record<string, unknown>>('@aztec/stdlib/trees');
  const Indexed = StandardIndexedTree as unknown as new (...args: unknown[]) => TsTree;
  class NullifierTree extends Indexed {
    constructor(...[db, hasher, name, height, size, , root]: unknown[]) {
      super(db, hasher, name, height, size, NullifierLeafPreimage, NullifierLeaf, root);
    }
  }
  return await newTree(NullifierTree, store, new Poseidon(), 'nullifiers', undefined, depth, prefill);
}
