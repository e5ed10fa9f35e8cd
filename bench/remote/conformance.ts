/**
 * Conformance of every hash's GPU kernels on the machine it runs on: against published vectors, the reference code and the
 * CPU kernels. Part of the archive of `bench/pack-remote.sh`, where there is no test runner.
 *
 * `node conformance.mjs --vectors FOLDER --json FILE [--software]`; exit code 1 when anything is wrong, or when the adapter
 * is software and that was not asked for.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createHasher, type Hasher, type HashModule, type HashSpec, hashes, type Padding } from 'cambium';
import { publishedPairs } from './vectors.ts';

const { values } = parseArgs({
  options: {
    vectors: { type: 'string', default: 'vectors' },
    json: { type: 'string', default: 'conformance.json' },
    software: { type: 'boolean', default: false },
  },
});
const readVectors = (name: string): unknown =>
  JSON.parse(readFileSync(join(values.vectors, `${name}.json`), 'utf8'));

interface Outcome {
  readonly hash: string;
  readonly check: string;
  readonly seconds: number;
  /** Absent when it passed. */
  readonly failure?: string;
}

/** One hash on both sides. */
interface Subject {
  readonly spec: HashSpec;
  readonly reference: HashModule;
  readonly gpu: Hasher;
  readonly cpu: Hasher;
  readonly amounts: Amounts;
}

/** Resolves to false where the hash has nothing of the kind. */
type Check = (subject: Subject) => Promise<unknown>;

const PADDINGS: readonly Padding[] = ['zero', 'promote', 'duplicate'];
/** How much is hashed: sizes around the borders of workgroups, of the fused top, of dispatches and of chunks. */
interface Amounts {
  readonly trees: readonly number[];
  readonly layers: readonly number[];
  readonly largeTree: number;
  readonly rows: number;
  readonly rowElements: readonly number[];
}
const ALL: Amounts = {
  trees: [1, 2, 3, 63, 64, 65, 511, 512, 513, 1000, 4097],
  layers: [1, 2, 63, 64, 65, 127, 1024, 5000],
  largeTree: 2 ** 21 + 3,
  rows: 130,
  rowElements: [1, 2, 3, 4, 7, 8, 9, 12, 16, 40],
};
/** The same for field hashes, whose other root the CPU needs its time for. */
const FIELD: Amounts = { ...ALL, largeTree: 2 ** 15 + 3 };
/** Where the GPU is software, or the CPU has only the reference. */
const FEW: Amounts = {
  trees: [1, 3, 64, 513],
  layers: [1, 65],
  largeTree: 1027,
  rows: 3,
  rowElements: [1, 3, 8],
};
/** Slower than this a pair, a CPU cannot check much. */
const SLOW_PAIR_SECONDS = 5e-4;
const MESSAGE_LENGTHS = [
  0, 1, 31, 32, 55, 56, 63, 64, 65, 119, 127, 128, 135, 136, 137, 200, 1023, 1024, 1025,
];

let state = 7;
/** Digests without a pattern, canonical for every field. */
function digests(count: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(32 * count);
  for (let i = 0; i < bytes.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const byte = state >>> 24;
    bytes[i] = i % 8 === 0 || i % 8 === 7 ? byte & 0x1f : byte;
  }
  return bytes;
}

function same(got: Uint8Array, expected: Uint8Array, what: string): void {
  if (Buffer.compare(got, expected) === 0) return;
  let at = 0;
  while (got[at] === expected[at]) at++;
  throw new Error(`${what}: digest ${Math.floor(at / 32)} of ${expected.length / 32} is wrong`);
}

const checks: Readonly<Record<string, Check>> = {
  async 'published pairs'({ spec, gpu }) {
    for (const { left, right, digest } of publishedPairs(spec.id, readVectors)) {
      same(await gpu.hashPairs(Buffer.concat([left, right])), digest, 'a published pair');
    }
  },
  async 'pairs of the reference'({ reference, gpu }) {
    const nodes = digests(2 * 65);
    const parents = await gpu.hashPairs(nodes);
    for (let i = 0; i < 65; i++) {
      const [left, right] = [nodes.subarray(64 * i, 64 * i + 32), nodes.subarray(64 * i + 32, 64 * i + 64)];
      same(parents.subarray(32 * i, 32 * i + 32), reference.hashPair(left, right), `pair ${i}`);
    }
  },
  async layers({ gpu, cpu, amounts }) {
    for (const count of amounts.layers) {
      const nodes = digests(2 * count);
      same(await gpu.hashPairs(nodes), await cpu.hashPairs(nodes), `${count} pairs`);
    }
  },
  async trees({ gpu, cpu, amounts }) {
    for (const size of amounts.trees) {
      const leaves = digests(size);
      for (const fill of PADDINGS) {
        const [made, expected] = [gpu, cpu].map((hasher) => hasher.hashTree(leaves, { fill, keepFrom: 0 }));
        const layers = (await made!).layers;
        for (const [k, layer] of (await expected!).layers.entries()) {
          same(layers[k]!, layer, `level ${k} of ${size} leaves, ${fill}`);
        }
      }
    }
  },
  async 'a large tree'({ gpu, cpu, amounts }) {
    const leaves = digests(amounts.largeTree);
    const [made, expected] = [gpu, cpu].map((hasher) => hasher.hashTree(leaves));
    same((await made!).root, (await expected!).root, 'root');
  },
  async messages({ reference, gpu, cpu }) {
    if (!reference.hash) return false;
    const lengths = Uint32Array.from({ length: 300 }, (_, i) => MESSAGE_LENGTHS[i] ?? (i * 37) % 700);
    const messages = digests(Math.ceil(lengths.reduce((sum, length) => sum + length, 0) / 32));
    const exact = messages.subarray(
      0,
      lengths.reduce((sum, length) => sum + length, 0),
    );
    same(await gpu.hashMessages(exact, lengths), await cpu.hashMessages(exact, lengths), 'messages');
  },
  async rows({ spec, reference, gpu, cpu, amounts }) {
    if (spec.input === 'bytes') return false;
    const { elementBytes } = spec.input;
    for (const elements of amounts.rowElements) {
      if (elements > (reference.maxElements ?? elements)) continue;
      const rows = digests(Math.ceil((amounts.rows * elements * elementBytes) / 32));
      const exact = rows.subarray(0, amounts.rows * elements * elementBytes);
      same(await gpu.hashRows(exact, elements), await cpu.hashRows(exact, elements), `rows of ${elements}`);
    }
  },
  async 'elements out of range'({ spec, gpu }) {
    if (spec.input === 'bytes') return false;
    const nodes = digests(200);
    nodes.fill(255, 32 * 77, 32 * 78);
    const outcome = await gpu.hashPairs(nodes).then(
      () => 'no error',
      (error: { code?: string }) => error.code,
    );
    if (outcome !== 'NOT_CANONICAL') throw new Error(`expected NOT_CANONICAL, got ${outcome}`);
  },
};

/** As much as this CPU can check. */
async function amountsFor({ input }: HashSpec, cpu: Hasher): Promise<Amounts> {
  if (values.software) return FEW;
  const nodes = digests(16);
  await cpu.hashPairs(nodes);
  const began = performance.now();
  await cpu.hashPairs(nodes);
  if ((performance.now() - began) / 1000 / 8 > SLOW_PAIR_SECONDS) return FEW;
  return input === 'bytes' ? ALL : FIELD;
}

async function checkHash(spec: HashSpec): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let began = performance.now();
  const note = (check: string, failure?: string): void => {
    const seconds = (performance.now() - began) / 1000;
    outcomes.push({ hash: spec.id, check, seconds, ...(failure !== undefined && { failure }) });
    console.log(
      `${failure === undefined ? 'ok  ' : 'FAIL'} ${spec.id}: ${check}${failure ? `: ${failure}` : ''}`,
    );
  };
  const opened: Hasher[] = [];
  try {
    const gpu = await createHasher(spec, { backend: 'gpu', crossCheck: 'off', threads: 0 });
    opened.push(gpu);
    const cpu = await createHasher(spec, { backend: 'cpu' });
    opened.push(cpu);
    note('opens and passes its self-test');
    const amounts = await amountsFor(spec, cpu);
    const subject = { spec, reference: await spec.load(), gpu, cpu, amounts };
    for (const [name, check] of Object.entries(checks)) {
      began = performance.now();
      await check(subject).then(
        (outcome) => outcome === false || note(name),
        (error: Error) => note(name, error.message),
      );
    }
    const { hashesCpu, hashesGpu } = gpu.info.counters;
    if (hashesCpu > 0 || hashesGpu === 0) note('ran on the GPU', `${hashesCpu} hashes on the CPU`);
  } catch (error) {
    note('opens and passes its self-test', (error as Error).message);
  } finally {
    await Promise.all(opened.map((hasher) => hasher.close()));
  }
  return outcomes;
}

/** The adapter, or why it does not do. */
async function adapter(): Promise<object | undefined> {
  const hasher = await createHasher('sha256');
  const { gpu, gpuRefused } = hasher.info;
  await hasher.close();
  console.log(gpu ? JSON.stringify(gpu) : `no GPU: ${gpuRefused}`);
  if (gpu?.software && !values.software) console.log('the adapter is software, which --software would allow');
  return gpu && (values.software || !gpu.software) ? gpu : undefined;
}

const found = await adapter();
const outcomes: Outcome[] = [];
if (found) for (const spec of hashes.values()) outcomes.push(...(await checkHash(spec)));
const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
writeFileSync(values.json, `${JSON.stringify({ adapter: found ?? null, failed, outcomes }, undefined, 1)}\n`);
console.log(`${outcomes.length - failed} of ${outcomes.length} checks passed`);
if (!found || failed) process.exitCode = 1;
