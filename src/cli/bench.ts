import { Command } from 'commander';
import { equalBytes } from '../bytes.js';
import { hasCode, throwIfAborted } from '../errors.js';
import { createHasher, type Hasher, type HasherOptions } from '../hasher.js';
import { merkleRoot } from '../tree/merkle.js';
import { type HasherFlags, hashOption, jsonOption } from './options.js';
import { formatRate, formatSeconds, print, printJson, printTable } from './output.js';
import { describeCpu, describeGpu } from './report.js';

/** Digests of a layer, leaves of a tree. */
const DIGESTS = 2 ** 17;
/** A case is repeated until it has taken this long, and at least three times. */
const CASE_MS = 700;

/** A hasher under test. */
interface Contender {
  readonly name: string;
  readonly hasher: Hasher;
}

interface Case {
  readonly name: string;
  /** Hashes of one run. */
  readonly hashes: number;
  run(hasher: Hasher): Promise<Uint8Array>;
}

/** A line of the report. */
interface Row {
  readonly case: string;
  readonly contender: string;
  readonly hashes: number;
  /** Median over the rounds. */
  readonly seconds: number;
  readonly rounds: number;
}

/** `cambium bench`. */
export function benchCommand(signal: AbortSignal): Command {
  return new Command('bench')
    .description('measure layers and trees on one thread, on all threads, on the GPU')
    .addOption(hashOption())
    .addOption(jsonOption())
    .action(async ({ hash, json }: Pick<HasherFlags, 'hash' | 'json'>) => {
      const { contenders, missing } = await openContenders(hash);
      try {
        const rows: Row[] = [];
        for (const one of benchCases()) rows.push(...(await measure(one, contenders, signal)));
        if (json) printJson({ hash, missing, rows });
        else printReport(rows, missing);
      } finally {
        await Promise.all(contenders.map(({ hasher }) => hasher.close()));
      }
    });
}

async function openContenders(hash: HasherFlags['hash']): Promise<{
  readonly contenders: readonly Contender[];
  readonly missing: readonly string[];
}> {
  const open = (options: HasherOptions) => createHasher(hash, { crossCheck: 'off', ...options });
  const one = await open({ backend: 'cpu', threads: 0 });
  const all = await open({ backend: 'cpu' });
  const contenders = [one, all].map((hasher) => ({ name: `cpu: ${describeCpu(hasher.info)}`, hasher }));
  try {
    const gpu = await open({ backend: 'gpu' });
    contenders.push({ name: `gpu: ${describeGpu(gpu.info)}`, hasher: gpu });
    return { contenders, missing: [] };
  } catch (error) {
    if (!hasCode(error, 'BACKEND_UNAVAILABLE')) throw error;
    return { contenders, missing: [(error as Error).message] };
  }
}

function benchCases(): readonly Case[] {
  // Canonical in every field: the two ends of each 32-byte and 8-byte word stay zero.
  const digests = new Uint8Array(32 * DIGESTS).map((_, i) => (i % 8 > 0 && i % 8 < 7 ? (i * 131) >> 3 : 0));
  return [
    {
      name: `layer of ${DIGESTS / 2} pairs`,
      hashes: DIGESTS / 2,
      run: (hasher) => hasher.hashPairs(digests),
    },
    { name: `tree of ${DIGESTS} leaves`, hashes: DIGESTS - 1, run: (hasher) => merkleRoot(hasher, digests) },
  ];
}

/** Times one case with all contenders by turns, so that a slow moment of the machine meets them all. */
async function measure(one: Case, contenders: readonly Contender[], signal: AbortSignal): Promise<Row[]> {
  const expected = await one.run(contenders[0]!.hasher);
  for (const { name, hasher } of contenders) {
    if (!equalBytes(await one.run(hasher), expected)) throw new Error(`${name} computes another ${one.name}`);
  }
  const times = contenders.map((): number[] => []);
  const start = performance.now();
  while (times[0]!.length < 3 || performance.now() - start < CASE_MS * contenders.length) {
    for (const [i, { hasher }] of contenders.entries()) {
      throwIfAborted(signal);
      const before = performance.now();
      await one.run(hasher);
      times[i]!.push((performance.now() - before) / 1000);
    }
  }
  return contenders.map(({ name }, i) => ({
    case: one.name,
    contender: name,
    hashes: one.hashes,
    seconds: median(times[i]!),
    rounds: times[i]!.length,
  }));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function printReport(rows: readonly Row[], missing: readonly string[]): void {
  const lines = rows.map((row) => [
    row.case,
    row.contender,
    formatSeconds(row.seconds),
    formatRate(row.hashes, row.seconds, 'hashes'),
    String(row.rounds),
  ]);
  printTable([['case', 'on', 'median', 'rate', 'rounds'], ...lines], 2);
  for (const reason of missing) print(reason);
}
