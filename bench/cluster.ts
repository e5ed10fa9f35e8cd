/**
 * `npm run bench:cluster -- [--json FILE]`: a SHA-256 root of 2^24 leaves by one and by two worker processes, against the
 * same root in one process, interleaved. It needs `redis-server`; each process hashes on one thread.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { submitRoot } from '../dist/cluster/index.js';
import { createHasher, merkleRoot } from '../dist/index.js';
import { startWorker } from '../test/support/cluster.ts';
import { startRedis } from '../test/support/redis-server.ts';
import { testBytes } from './contenders.ts';
import { commit, machine } from './machine.ts';
import { median } from './timing.ts';

const LEAVES = 2 ** 24;
const SHARD = 2 ** 20;
const ROUNDS = 9;

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'cambium-bench-'));
const path = join(folder, 'leaves.bin');
const piece = testBytes(2 ** 20);
for (let at = 0; at < 32 * LEAVES; at += piece.length) {
  writeFileSync(path, piece, { flag: 'a' });
  // Shards that differ.
  piece[0]! += 1;
}

const redis = await startRedis();
const submit = (prefix: string) =>
  submitRoot({
    redis: redis.url,
    prefix,
    hash: 'sha256',
    source: { kind: 'file', path },
    shardLeaves: SHARD,
  });
const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });

async function alone(): Promise<Uint8Array> {
  const file = await open(path);
  return await merkleRoot(hasher, file.createReadStream({ highWaterMark: 4 * 2 ** 20 }));
}

const start = (prefix: string) => startWorker({ redis: redis.url, prefix, files: [folder] });
const workers = await Promise.all([start('one'), start('two'), start('two')]);
const contenders = {
  'one process, no cluster': alone,
  'one worker': async () => (await submit('one')).root,
  'two workers': async () => (await submit('two')).root,
};

const seconds = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]));
const roots = new Set<string>();
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(contenders)) {
    const began = performance.now();
    roots.add(Buffer.from(await run()).toString('hex'));
    // The first round warms workers, code and page cache.
    if (round >= 0) seconds.get(name)!.push((performance.now() - began) / 1000);
  }
}
if (roots.size !== 1) throw new Error('the roots differ');

const peer = median(seconds.get('one worker')!);
const rows = [...seconds].map(([contender, all]) => {
  const middle = median(all);
  return {
    case: 'sha256 root of 2^24 leaves, cluster',
    contender,
    peer: 'one worker',
    size: 1,
    unit: 'tree',
    median: middle,
    mad: median(all.map((value) => Math.abs(value - middle))),
    ratio: peer / middle,
  };
});
for (const { contender, median: middle, ratio } of rows) {
  console.log(
    `${contender.padEnd(26)} ${(1000 * middle).toFixed(0).padStart(6)} ms  ratio ${ratio.toFixed(2)}`,
  );
}
const overhead = (1000 * (peer - rows[0]!.median)) / (LEAVES / SHARD);
console.log(`one worker over no cluster: ${overhead.toFixed(2)} ms a shard`);
if (values.json) {
  const report = { machine: machine(), commit: commit(), date: new Date().toISOString(), rows };
  writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
}
await Promise.all(workers.map((worker) => worker.stop()));
await hasher.close();
await redis.stop();
rmSync(folder, { recursive: true });
