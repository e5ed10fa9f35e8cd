/**
 * `npx tsx bench/tree-stores.ts [--tree append|indexed] [--hash ID] [--threads N] [--depth D] [--json]`: batches of 2 to
 * 1024 leaves into an append-only tree, or of values with witnesses into an indexed one, over each store; needs a build.
 * Milliseconds are medians of a batch; hashes are counted, not computed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ClassicLevel } from 'classic-level';
import { open } from 'lmdb';
import type { HashId } from '../dist/hash/registry.js';
import { createHasher, type Hasher } from '../dist/hasher.js';
import { levelStore } from '../dist/store/level.js';
import { lmdbStore } from '../dist/store/lmdb.js';
import { memoryStore } from '../dist/store/memory.js';
import type { NodeStore } from '../dist/store/types.js';
import { AppendOnlyTree } from '../dist/tree/append-only.js';
import { IndexedTree } from '../dist/tree/indexed.js';
import { testBytes } from './contenders.ts';
import { commit, machine } from './machine.ts';
import { median } from './timing.ts';

const BATCHES = [2, 4, 8, 16, 32, 64, 128, 512, 1024];
const WARM_UP = 40;
const ROUNDS = 60;

interface Row {
  readonly store: string;
  readonly batch: number;
  readonly milliseconds: number;
  readonly hashes: number;
}

interface Opened {
  readonly store: NodeStore;
  close(): Promise<void>;
}

const onDisk = (openAt: (directory: string) => Opened) => (): Opened => {
  const directory = mkdtempSync(join(tmpdir(), 'cambium-bench-'));
  const { store, close } = openAt(directory);
  return {
    store,
    async close() {
      await close();
      rmSync(directory, { recursive: true });
    },
  };
};

const stores: ReadonlyMap<string, () => Opened> = new Map([
  [
    'memory',
    () => {
      const store = memoryStore();
      return { store, close: () => store.close() };
    },
  ],
  [
    'classic-level',
    onDisk((directory) => {
      const db = new ClassicLevel(directory);
      return { store: levelStore(db), close: () => db.close() };
    }),
  ],
  [
    'lmdb',
    onDisk((directory) => {
      const env = open({ path: directory });
      return { store: lmdbStore(env), close: () => env.close() };
    }),
  ],
]);

type TreeKind = 'append' | 'indexed';

/** Leaves, or values that are not in the tree yet, for every hash: the top byte of each element, in either order, is 0. */
function leavesOf(round: number, batch: number): Uint8Array<ArrayBuffer> {
  const leaves = testBytes(32 * batch);
  for (let i = 0; i < leaves.length; i += 8) leaves[i] = leaves[i + 7] = 0;
  const view = new DataView(leaves.buffer);
  for (let i = 0; i < leaves.length; i += 32) view.setUint16(i + 1, round + WARM_UP);
  return leaves;
}

async function openTree(
  kind: TreeKind,
  hasher: Hasher,
  store: NodeStore,
  depth: number,
): Promise<(leaves: Uint8Array) => Promise<unknown>> {
  if (kind === 'append') {
    const tree = await AppendOnlyTree.open(hasher, store, { depth });
    return (leaves) => tree.append(leaves);
  }
  const scheme = hasher.spec.id.includes('-sep-') ? 'separated' : 'typescript';
  const tree = await IndexedTree.open(hasher, store, { depth, scheme });
  return (leaves) => tree.insert(leaves);
}

/** Every batch goes to the same tree, as it would in use. */
async function timeBatches(
  kind: TreeKind,
  hasher: Hasher,
  name: string,
  depth: number,
  batch: number,
): Promise<Row> {
  const { store, close } = stores.get(name)!();
  const insert = await openTree(kind, hasher, store, depth);
  const times: number[] = [];
  let counted = 0;
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const leaves = leavesOf(round, batch);
    const { hashesCpu, hashesGpu } = hasher.info.counters;
    const began = performance.now();
    await insert(leaves);
    const took = performance.now() - began;
    const { counters } = hasher.info;
    if (round < 0) continue;
    times.push(took);
    counted += counters.hashesCpu - hashesCpu + (counters.hashesGpu - hashesGpu);
  }
  await close();
  return { store: name, batch, milliseconds: median(times), hashes: counted / ROUNDS };
}

const { values } = parseArgs({
  options: {
    tree: { type: 'string', default: 'append' },
    hash: { type: 'string', default: 'sha256' },
    threads: { type: 'string', default: '0' },
    depth: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
  },
});
if (values.tree !== 'append' && values.tree !== 'indexed')
  throw new Error(`--tree: append or indexed, not ${values.tree}`);
const tree: TreeKind = values.tree;
const threads = Number(values.threads);
const depth = Number(values.depth);
const hasher = await createHasher(values.hash as HashId, { backend: 'cpu', threads });
const rows: Row[] = [];
for (const batch of BATCHES) {
  for (const name of stores.keys()) rows.push(await timeBatches(tree, hasher, name, depth, batch));
}
const { engine } = hasher.info.cpu;
await hasher.close();

if (values.json) {
  const header = { tree, hash: values.hash, depth, engine, threads, machine: machine(), commit: commit() };
  console.log(JSON.stringify({ ...header, date: new Date().toISOString(), rows }, null, 1));
} else {
  console.log(`${tree}, ${values.hash}, depth ${depth}, ${engine}, ${threads} workers beside the caller`);
  console.log(machine(), commit());
  console.log(
    `${'leaves'.padStart(7)} ${[...stores.keys()].map((name) => `${name} ms`.padStart(18)).join('')}   hashes`,
  );
  for (const batch of BATCHES) {
    const of = rows.filter((row) => row.batch === batch);
    const times = of.map((row) => row.milliseconds.toFixed(3).padStart(18)).join('');
    console.log(`${String(batch).padStart(7)} ${times} ${of[0]!.hashes.toFixed(1).padStart(8)}`);
  }
}
