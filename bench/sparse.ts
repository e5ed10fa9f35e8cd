/**
 * `npx tsx bench/sparse.ts [--hash ID] [--layout canonical|monotree] [--most N] [--json]`: the table of Monotree's README
 * over its memory map and RocksDB, here over the memory store and classic-level; needs a build.
 *
 * Microseconds an operation, one thread, random keys, medians of rounds on fresh trees. Beside them what Monotree 0.4.0
 * took as a native program: measured once on another machine of the same kind (2-core AMD EPYC VM), and the figures of its
 * README (i5-3570, version 0.1, BLAKE3).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ClassicLevel } from 'classic-level';
import type { HashId } from '../dist/hash/registry.js';
import { createHasher, type Hasher } from '../dist/hasher.js';
import { levelStore } from '../dist/store/level.js';
import { memoryStore } from '../dist/store/memory.js';
import type { NodeStore } from '../dist/store/types.js';
import { verifySparseProof } from '../dist/tree/sparse/verify.js';
import { type SparseLayout, SparseTree } from '../dist/tree/sparse.js';
import { testBytes } from './contenders.ts';
import { commit, machine } from './machine.ts';
import { median } from './timing.ts';

const SIZES = [10, 100, 1000, 10_000, 100_000];
const OPERATIONS = ['insert', 'get', 'remove', 'insertMany', 'removeMany', 'prove'] as const;
type Operation = (typeof OPERATIONS)[number];
type Figures = Readonly<Record<Operation, number>>;

const figures = (...values: readonly number[]): Figures =>
  Object.fromEntries(OPERATIONS.map((name, i) => [name, values[i]!])) as Record<Operation, number>;

/** Monotree 0.4.0 with BLAKE3, `--release`, one thread: memory against its map, disk against RocksDB 7.8. */
const NATIVE: Readonly<Record<string, Figures>> = {
  'memory 10': figures(0.93, 0.46, 1.18, 0.91, 1.26, 0.64),
  'memory 100': figures(2.1, 0.64, 2.37, 1.56, 2.29, 0.98),
  'memory 1000': figures(3.71, 0.88, 4.23, 2.3, 3.75, 1.38),
  'memory 10000': figures(5.86, 1.37, 7.62, 3.65, 6.69, 1.78),
  'memory 100000': figures(12.17, 3.66, 16.3, 6.15, 12.67, 5),
  'classic-level 10': figures(11.11, 0.52, 9, 5.86, 4.85, 0.83),
  'classic-level 100': figures(19.45, 0.66, 21.32, 5.42, 9.05, 1.1),
  'classic-level 1000': figures(33.18, 1.03, 37.91, 8.73, 16.72, 1.62),
  'classic-level 10000': figures(57.18, 1.69, 71.42, 14.54, 35.62, 2.14),
};

/** Insert, get and remove of the README, whose inserts and removals are batches. */
const README: Readonly<Record<string, readonly [number, number, number]>> = {
  'memory 10': [0.85, 0.78, 1.57],
  'memory 100': [1.66, 1.15, 2.83],
  'memory 1000': [2.32, 1.52, 4.23],
  'memory 10000': [3.74, 2.4, 6.92],
  'classic-level 10': [3.48, 1.02, 5.83],
  'classic-level 100': [6.03, 1.42, 10.2],
  'classic-level 1000': [10.35, 1.74, 20.22],
  'classic-level 10000': [14.58, 2.29, 39.5],
};

interface Opened {
  readonly store: NodeStore;
  close(): Promise<void>;
}

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
    () => {
      const directory = mkdtempSync(join(tmpdir(), 'cambium-bench-'));
      const db = new ClassicLevel(directory);
      return {
        store: levelStore(db),
        async close() {
          await db.close();
          rmSync(directory, { recursive: true });
        },
      };
    },
  ],
]);

interface Entries {
  readonly keys: Uint8Array;
  readonly leaves: Uint8Array;
  readonly key: readonly Uint8Array[];
  readonly leaf: readonly Uint8Array[];
}

function randomEntries(hasher: Hasher, count: number): Entries {
  const lengths = new Uint32Array(2 * count).fill(32);
  const digests = hasher.hashMessagesSync(testBytes(64 * count), lengths);
  const at = (i: number) => digests.subarray(32 * i, 32 * i + 32);
  return {
    keys: digests.subarray(0, 32 * count),
    leaves: digests.subarray(32 * count),
    key: Array.from({ length: count }, (_, i) => at(i)),
    leaf: Array.from({ length: count }, (_, i) => at(count + i)),
  };
}

/** One round: every operation over all entries, on fresh trees; microseconds an entry. */
async function round(
  hasher: Hasher,
  layout: SparseLayout,
  open: () => Opened,
  entries: Entries,
): Promise<Figures> {
  const { keys, leaves, key, leaf } = entries;
  const [single, batch] = [open(), open()];
  const tree = await SparseTree.open(hasher, single.store, { layout });
  const batched = await SparseTree.open(hasher, batch.store, { layout });
  const took = async (work: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await work();
    return ((performance.now() - began) * 1000) / key.length;
  };
  const each = async (work: (i: number) => Promise<unknown>): Promise<void> => {
    for (let i = 0; i < key.length; i++) await work(i);
  };
  const times: Partial<Record<Operation, number>> = {};
  times.insert = await took(() => each((i) => tree.insert(key[i]!, leaf[i]!)));
  times.insertMany = await took(() => batched.insertMany(keys, leaves));
  const root = await tree.root();
  if (Buffer.compare(root!, (await batched.root())!)) throw new Error('the roots differ');
  const last = key.length - 1;
  const proof = await tree.prove(key[last]!);
  const claim = { root, layout, key: key[last]!, leaf: leaf[last]! };
  if (!verifySparseProof(hasher, claim, proof.path)) throw new Error('the proof is false');
  times.get = await took(() => each((i) => tree.get(key[i]!)));
  times.prove = await took(() => each((i) => tree.prove(key[i]!)));
  times.remove = await took(() => each((i) => tree.remove(key[i]!)));
  times.removeMany = await took(() => batched.removeMany(keys));
  await Promise.all([single.close(), batch.close()]);
  return times as Figures;
}

const { values } = parseArgs({
  options: {
    hash: { type: 'string', default: 'blake3' },
    layout: { type: 'string', default: 'canonical' },
    most: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
  },
});
const layout = values.layout as SparseLayout;
const hasher = await createHasher(values.hash as HashId, { backend: 'cpu', threads: 0 });
const { engine } = hasher.info.cpu;
const rows: { readonly store: string; readonly size: number; readonly microseconds: Figures }[] = [];
// Small trees only: the first rounds run before the code is warm.
for (let i = 0; i < 20; i++) await round(hasher, layout, stores.get('memory')!, randomEntries(hasher, 500));
for (const [store, open] of stores) {
  for (const size of SIZES) {
    if (size > Number(values.most) || (size > 10_000 && store !== 'memory')) continue;
    const entries = randomEntries(hasher, size);
    const rounds: Figures[] = [];
    const count = Math.max(3, Math.min(30, 20_000 / size));
    for (let i = 0; i < count; i++) rounds.push(await round(hasher, layout, open, entries));
    const medians = OPERATIONS.map((name) => median(rounds.map((each) => each[name])));
    rows.push({ store, size, microseconds: figures(...medians) });
  }
}
await hasher.close();

if (values.json) {
  const header = { hash: values.hash, layout, engine, machine: machine(), commit: commit() };
  console.log(
    JSON.stringify(
      { ...header, date: new Date().toISOString(), rows, native: NATIVE, readme: README },
      null,
      1,
    ),
  );
} else {
  console.log(`sparse tree, ${values.hash}, ${layout}, ${engine}; us an entry`);
  console.log(machine(), commit());
  console.log('in brackets Monotree 0.4.0 with BLAKE3, native, on a 2-core AMD EPYC VM');
  console.log(
    `${'store'.padEnd(14)} ${'size'.padStart(6)}${OPERATIONS.map((name) => name.padStart(18)).join('')}`,
  );
  for (const { store, size, microseconds } of rows) {
    const native = NATIVE[`${store} ${size}`];
    const cells = OPERATIONS.map((name) => {
      const own = microseconds[name].toFixed(2);
      return `${own}${native ? ` (${native[name]})` : ''}`.padStart(18);
    });
    console.log(`${store.padEnd(14)} ${String(size).padStart(6)}${cells.join('')}`);
  }
  console.log('README of Monotree (i5-3570, version 0.1, BLAKE3): insert and remove in batches, get');
  for (const [name, [insert, get, remove]] of Object.entries(README)) {
    console.log(`${name.replace('classic-level', 'RocksDB').padEnd(21)} ${insert} ${remove} ${get}`);
  }
}
