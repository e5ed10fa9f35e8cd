/**
 * `npm run report -- [--out FOLDER] [--budget SECONDS] [--hash ID]... [--no-peers] [--keep NAME]`: the report of `cambium bench --report`,
 * with other libraries beside ours where `bench/peers` is installed, and with what a GPU compiler makes of the kernels.
 * `--keep` writes the JSON to `bench/results/report-NAME.json` as well, where `npm run readme` looks for it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  type KernelFigure,
  measureReport,
  type PeerPoint,
  type Report,
  reportToHtml,
  reportToMarkdown,
} from '../dist/report/index.js';
import { commit, machine } from './machine.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Cases of `npm run bench` that stand in a report: what one hash costs on one thread. */
const PEER_CASES = 'one thread';

/** Other libraries, measured in a process of their own; undefined where they are not installed. */
function measurePeers(): readonly PeerPoint[] | undefined {
  if (!existsSync(join(root, 'bench/peers/node_modules'))) return undefined;
  const file = join(root, `.cache/peers-${process.pid}.json`);
  const args = ['--import', 'tsx', join(root, 'bench/run.ts'), '--filter', PEER_CASES, '--json', file];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('bench/run.ts failed');
  const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { rows: PeerPoint[] };
  rmSync(file);
  return rows.map(({ case: name, contender, peer, unit, median, mad, ratio }) => ({
    case: name,
    contender,
    peer,
    unit,
    median,
    mad,
    ratio,
  }));
}

interface KernelFile {
  readonly kernels: readonly {
    readonly kernel: string;
    readonly shipped: boolean;
    readonly unit: string;
    readonly families: Readonly<Record<string, { readonly cycles?: number }>>;
  }[];
}

/** Kernels that are shipped, with their cycles by GPU family. */
function kernelFigures(): KernelFigure[] {
  const text = readFileSync(join(root, 'bench/results/kernels.json'), 'utf8');
  return (JSON.parse(text) as KernelFile).kernels.flatMap(({ kernel, shipped, unit, families }) => {
    if (!shipped) return [];
    const cycles: Record<string, number> = {};
    for (const [family, figures] of Object.entries(families)) {
      if (figures.cycles !== undefined) cycles[family] = figures.cycles;
    }
    return [{ kernel, unit, cycles }];
  });
}

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '.cache/report' },
    budget: { type: 'string', default: '180' },
    hash: { type: 'string', multiple: true },
    'no-peers': { type: 'boolean', default: false },
    keep: { type: 'string' },
  },
});
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const { cpu, cores, memoryGiB, os, node } = machine();
const measured = await measureReport({
  version,
  commit: commit(),
  machine: { cpu, cores, memoryGiB, os, runtime: `Node ${node}` },
  budgetSeconds: Number(values.budget),
  ...(values.hash && { hashes: values.hash }),
  onProgress: ({ done, total, now }) => console.error(`${Math.min(done + 1, total)}/${total} ${now}`),
});
const peers = values['no-peers'] ? undefined : measurePeers();
const report: Report = { ...measured, ...(peers && { peers }), kernels: kernelFigures() };
mkdirSync(values.out, { recursive: true });
const json = `${JSON.stringify(report, undefined, 1)}\n`;
writeFileSync(join(values.out, 'report.json'), json);
if (values.keep) writeFileSync(join(root, `bench/results/report-${values.keep}.json`), json);
writeFileSync(join(values.out, 'report.md'), reportToMarkdown(report));
writeFileSync(join(values.out, 'report.html'), reportToHtml(report));
console.log(`report.json, report.md and report.html are in ${values.out}`);
