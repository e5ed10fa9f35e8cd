/**
 * `npx tsx bench/append-only.ts [--hash ID] [--threads N] [--depth D] [--json]`: appends to a tree of depth 32 in
 * batches of 2 to 1024 leaves, aligned, over each store; needs a build. Milliseconds are medians of a batch; hashes are
 * counted, not computed.
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

/** Every batch goes to the same tree, as it would in use. */
async function timeBatches(hasher: Hasher, name: string, depth: number, batch: number): Promise<Row> {
  const { store, close } = stores.get(name)!();
  const tree = await AppendOnlyTree.open(hasher, store, { depth });
  const leaves = testBytes(32 * batch);
  // Canonical for every hash: the top byte of each 8-byte element, in either order, is 0.
  for (let i = 0; i < leaves.length; i += 8) leaves[i] = leaves[i + 7] = 0;
  const times: number[] = [];
  let counted = 0;
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const { hashesCpu, hashesGpu } = hasher.info.counters;
    const began = performance.now();
    await tree.append(leaves);
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
    hash: { type: 'string', default: 'sha256' },
    threads: { type: 'string', default: '0' },
    depth: { type: 'string', default: '32' },
    json: { type: 'boolean', default: false },
  },
});
const threads = Number(values.threads);
const depth = Number(values.depth);
const hasher = await createHasher(values.hash as HashId, { backend: 'cpu', threads });
const rows: Row[] = [];
for (const batch of BATCHES) {
  for (const name of stores.keys()) rows.push(await timeBatches(hasher, name, depth, batch));
}
const { engine } = hasher.info.cpu;
await hasher.close();

if (values.json) {
  const header = { hash: values.hash, depth, engine, threads, machine: machine(), commit: commit() };
  console.log(JSON.stringify({ ...header, date: new Date().toISOString(), rows }, null, 1));
} else {
  console.log(`append, ${values.hash}, depth ${depth}, ${engine}, ${threads} workers beside the caller`);
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
