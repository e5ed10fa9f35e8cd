/**
 * `npx tsx bench/published-trees.ts [--hash ID] [--threads N] [--filter TEXT] [--json]`: the tables of trees that Aztec
 * published, measured here; needs a build. Theirs ran on other machines years ago: they stand beside ours with their
 * source, not as a ratio.
 *
 * Milliseconds are medians of a batch into a tree in memory, over trees of the same shape; hashes are counted: of pairs,
 * and in brackets of leaves. Published counts of appends have one useless hash for each level of the new subtree, those
 * of indexed trees the nodes that no witness shows.
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { HashId } from '../dist/hash/registry.js';
import { createHasher, type Hasher } from '../dist/hasher.js';
import { memoryStore } from '../dist/store/memory.js';
import { AppendOnlyTree } from '../dist/tree/append-only.js';
import { IndexedTree } from '../dist/tree/indexed.js';
import { commit, machine } from './machine.ts';
import { median } from './timing.ts';

/** A row of a published table: batch size, then what was published in the columns of the table. */
type Published = readonly [batch: number, ...cells: string[]];

interface Table {
  readonly title: string;
  readonly source: string;
  readonly columns: readonly string[];
  readonly kind: 'append' | 'indexed';
  readonly depth: number;
  /** One value in so many is real, the others are padding; indexed trees alone. */
  readonly realEvery?: number;
  /** Whether batches begin at multiples of their size. */
  readonly aligned: boolean;
  readonly rows: readonly Published[];
}

const NATIVE = 'aztec-packages pull request 4457 (2024-02), C++, 16 threads where it says many';
const TYPESCRIPT = 'aztec-packages pull request 4457 (2024-02), TypeScript and WASM, Pedersen, one thread';

const TABLES: readonly Table[] = [
  {
    title: 'append, depth 32, native',
    source: NATIVE,
    columns: ['Pedersen ms', 'Poseidon2 ms'],
    kind: 'append',
    depth: 32,
    aligned: true,
    rows: [
      [2, '5.75', '0.395'],
      [4, '6.02', '0.407'],
      [8, '6.65', '0.454'],
      [16, '7.89', '0.531'],
      [32, '10.7', '0.726'],
      [64, '16.3', '1.11'],
      [128, '27.8', '1.89'],
    ],
  },
  {
    title: 'indexed, depth 32, native, every value real',
    source: NATIVE,
    columns: ['Pedersen ms, 1 thread', 'many', 'Poseidon2 ms, 1 thread', 'many'],
    kind: 'indexed',
    depth: 32,
    realEvery: 1,
    aligned: true,
    rows: [
      [2, '18.2', '12.8', '1.26', '1.01'],
      [4, '31.3', '14.8', '2.15', '1.17'],
      [8, '57.2', '18.5', '3.88', '1.46'],
      [16, '108', '23.9', '7.41', '2.05'],
      [32, '210', '35.1', '14.6', '3.24'],
      [64, '415', '59.3', '28.7', '5.84'],
      [128, '824', '109', '56.8', '13.3'],
    ],
  },
  {
    title: 'append, depth 16, TypeScript, any start',
    source: TYPESCRIPT,
    columns: ['Pedersen ms', 'hashes'],
    kind: 'append',
    depth: 16,
    aligned: false,
    rows: [
      [1, '10.2', '16.9'],
      [2, '11.0', '17.5'],
      [8, '13.0', '23.0'],
      [16, '16.9', '31.6'],
      [32, '22.9', '47.0'],
      [128, '63.7', '143'],
    ],
  },
  {
    title: 'append, depth 32, TypeScript',
    source: TYPESCRIPT,
    columns: ['Pedersen ms', 'hashes'],
    kind: 'append',
    depth: 32,
    aligned: true,
    rows: [
      [64, '47.6', '96.0'],
      [128, '74.3', '159'],
      [512, '239', '543'],
      [1024, '461', '1055'],
      [2048, '898', '2079'],
      [8192, '3552', '8223'],
    ],
  },
  {
    title: 'indexed, depth 20, TypeScript, one value in 64 real',
    source: TYPESCRIPT,
    columns: ['Pedersen ms', 'hashes'],
    kind: 'indexed',
    depth: 20,
    realEvery: 64,
    aligned: true,
    rows: [
      [64, '56.7', '104'],
      [128, '103', '197'],
      [512, '350', '691'],
      [1024, '686', '1363'],
      [2048, '1363', '2707'],
      [8192, '5405', '10771'],
    ],
  },
  {
    title: 'indexed, depth 40, TypeScript, one value in 16 real',
    source: TYPESCRIPT,
    columns: ['Pedersen ms', 'hashes'],
    kind: 'indexed',
    depth: 40,
    realEvery: 16,
    aligned: true,
    rows: [[16, '56.5', '94.1']],
  },
];

interface Measured {
  readonly batch: number;
  readonly milliseconds: number;
  readonly pairHashes: number;
  readonly leafHashes: number;
}

/** Values that follow from a number, below the modulus of every hash; zero where padding is asked for. */
function valuesFrom(first: number, count: number, realEvery: number): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(32 * count);
  for (let i = 0; i < count; i += realEvery) {
    values.set(
      createHash('sha256')
        .update(String(first + i))
        .digest(),
      32 * i,
    );
    // The top byte of each 8-byte element, in either order.
    for (let at = 32 * i; at < 32 * (i + 1); at += 8) values[at] = values[at + 7] = 0;
  }
  return values;
}

const counted = ({ info }: Hasher): number => info.counters.hashesCpu + info.counters.hashesGpu;

async function measure(hasher: Hasher, table: Table, batch: number): Promise<Measured> {
  const { kind, depth, realEvery = 1, aligned } = table;
  const rounds = Math.min(40, Math.max(8, Math.ceil(4096 / batch)));
  const insert = await openTree(hasher, kind, depth, aligned ? batch : 1);
  const warmUp = Math.ceil(rounds / 2);
  const times: number[] = [];
  let hashes = 0;
  let real = 0;
  for (let round = -warmUp; round < rounds; round++) {
    const values = valuesFrom((round + warmUp) * batch, batch, realEvery);
    const before = counted(hasher);
    const began = performance.now();
    await insert(values);
    const took = performance.now() - began;
    if (round < 0) continue;
    times.push(took);
    hashes += counted(hasher) - before;
    real += Math.ceil(batch / realEvery);
  }
  const leafHashes = kind === 'append' ? 0 : (2 * real) / rounds;
  return { batch, milliseconds: median(times), pairHashes: hashes / rounds - leafHashes, leafHashes };
}

/** A tree that already holds `prefill` leaves. */
async function openTree(
  hasher: Hasher,
  kind: Table['kind'],
  depth: number,
  prefill: number,
): Promise<(values: Uint8Array) => Promise<unknown>> {
  if (kind === 'append') {
    const tree = await AppendOnlyTree.open(hasher, memoryStore(), { depth });
    await tree.append(valuesFrom(-prefill, prefill, 1));
    return (values) => tree.append(values);
  }
  const scheme = hasher.spec.id.includes('-sep-') ? 'separated' : 'typescript';
  const tree = await IndexedTree.open(hasher, memoryStore(), { depth, scheme, prefill });
  return (values) => tree.insert(values);
}

function printTable({ title, source, columns, rows }: Table, measured: readonly Measured[]): void {
  console.log(`\n${title}\n  published: ${source}`);
  const head = ['batch', ...columns, 'here ms', 'pair hashes', '(leaf hashes)'];
  const cells = rows.map(([batch, ...published], i) => {
    const { milliseconds, pairHashes, leafHashes } = measured[i]!;
    const count = (hashes: number): string => String(Math.round(10 * hashes) / 10);
    const here = [milliseconds.toFixed(3), count(pairHashes), `(${count(leafHashes)})`];
    return [String(batch), ...published, ...here];
  });
  const widths = head.map((text, i) => Math.max(text.length, ...cells.map((row) => row[i]!.length)));
  for (const row of [head, ...cells])
    console.log(`  ${row.map((cell, i) => cell.padStart(widths[i]!)).join('  ')}`);
}

const { values: flags } = parseArgs({
  options: {
    hash: { type: 'string', default: 'poseidon2-bn254' },
    threads: { type: 'string', default: '0' },
    filter: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const threads = Number(flags.threads);
const hasher = await createHasher(flags.hash as HashId, { backend: 'cpu', threads });
const results: { title: string; source: string; columns: readonly string[]; rows: object[] }[] = [];
const { engine } = hasher.info.cpu;
if (!flags.json) {
  console.log(`${flags.hash}, ${engine}, ${threads} workers beside the caller; ${commit()}`);
  console.log(JSON.stringify(machine()));
}
for (const table of TABLES) {
  if (!table.title.includes(flags.filter)) continue;
  const measured: Measured[] = [];
  for (const [batch] of table.rows) measured.push(await measure(hasher, table, batch));
  const rows = table.rows.map(([, ...published], i) => ({ ...measured[i]!, published }));
  results.push({ title: table.title, source: table.source, columns: table.columns, rows });
  if (!flags.json) printTable(table, measured);
}
await hasher.close();
if (flags.json) {
  const header = { hash: flags.hash, engine, threads, machine: machine(), commit: commit() };
  console.log(JSON.stringify({ ...header, date: new Date().toISOString(), tables: results }, null, 1));
}
