/**
 * `npm run bench -- [--filter TEXT] [--json FILE]`: times cases against their peers in one process.
 *
 * JSON: `{ machine, commit, date, rows: [{ case, contender, peer, size, unit, median, mad, ratio }] }`; `median` and
 * `mad` in seconds per unit, ratio = the peer's median over the contender's, so more than 1 is faster.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { BenchCase } from './case.ts';
import { cases as byteHashes } from './cases/byte-hashes.ts';
import { cases as goldilocks } from './cases/goldilocks.ts';
import { cases as poseidon } from './cases/poseidon.ts';
import { cases as sha256 } from './cases/sha256.ts';
import { cases as smt } from './cases/smt.ts';
import { cases as ssz } from './cases/ssz.ts';
import { cases as trees } from './cases/trees.ts';
import { commit, machine } from './machine.ts';
import { timeInterleaved } from './timing.ts';

const ALL: readonly BenchCase[] = [
  ...sha256,
  ...byteHashes,
  ...goldilocks,
  ...poseidon,
  ...ssz,
  ...smt,
  ...trees,
];

export interface BenchRow {
  readonly case: string;
  readonly contender: string;
  readonly peer: string;
  readonly size: number;
  readonly unit: string;
  readonly median: number;
  readonly mad: number;
  readonly ratio: number;
}

async function runCase({ name, size, unit, open }: BenchCase): Promise<BenchRow[]> {
  const { contenders, close } = await open();
  try {
    const timings = await timeInterleaved(contenders);
    const peer = contenders[0]!.name;
    const peerMedian = timings.get(peer)!.median;
    return [...timings].map(([contender, { median, mad }]) => ({
      case: name,
      contender,
      peer,
      size,
      unit,
      median: median / size,
      mad: mad / size,
      ratio: peerMedian / median,
    }));
  } finally {
    await close();
  }
}

const scaled = (seconds: number): string => {
  const [factor, unit] = seconds < 1e-6 ? [1e9, 'ns'] : seconds < 1e-3 ? [1e6, 'us'] : [1e3, 'ms'];
  return `${(seconds * factor).toPrecision(4)} ${unit}`;
};

const { values } = parseArgs({ options: { filter: { type: 'string' }, json: { type: 'string' } } });
const rows: BenchRow[] = [];
for (const benchCase of ALL) {
  if (values.filter && !benchCase.name.includes(values.filter)) continue;
  const timed = await runCase(benchCase);
  rows.push(...timed);
  console.log(`\n${benchCase.name}, ${benchCase.size} a run`);
  for (const { contender, unit, median, mad, ratio } of timed) {
    console.log(
      `  ${contender.padEnd(36)} ${scaled(median).padStart(10)} a ${unit}  +- ${((100 * mad) / median).toFixed(1)} %  ratio ${ratio.toFixed(2)}`,
    );
  }
}
if (rows.length === 0) {
  console.error(
    `no case has ${JSON.stringify(values.filter)} in its name: ${ALL.map(({ name }) => name).join('; ')}`,
  );
  process.exitCode = 2;
}
if (values.json) {
  const report = { machine: machine(), commit: commit(), date: new Date().toISOString(), rows };
  writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
}
