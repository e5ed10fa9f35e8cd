/** Workers that die or lie, a server that restarts, sources that change, members of another version. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'bullmq';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { startClusterWorker, submitRoot } from '../../src/cluster/index.ts';
import { LIBRARY, QUEUE } from '../../src/cluster/redis.ts';
import { countingLeaves, rootHere, startWorker, type WorkerProcess } from '../support/cluster.ts';
import { counting, slow } from '../support/leaf-generators.mjs';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const SHARD = 2 ** 16;
const prefix = 'faults';
const folder = mkdtempSync(join(tmpdir(), 'cambium-faults-'));
const path = join(folder, 'leaves.bin');
let redis: RedisServer;
let workers: WorkerProcess[] = [];

beforeAll(async () => {
  redis = await startRedis();
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  expect(await redis.client.keys('*')).toEqual([]);
});

afterAll(async () => {
  await redis.stop();
  rmSync(folder, { recursive: true });
});

async function start(options: { readonly name?: string; readonly concurrency?: number } = {}) {
  const worker = await startWorker({ redis: redis.url, prefix, files: [folder], ...options });
  workers.push(worker);
  return worker;
}

const submitSlow = (leaves: number, options: object = {}) =>
  submitRoot({
    redis: redis.url,
    prefix,
    hash: 'sha256',
    source: { kind: 'generator', name: 'slow', bytes: 32 * leaves },
    generators: { slow, counting },
    shardLeaves: SHARD,
    ...options,
  });

const submitFile = (options: object = {}) =>
  submitRoot({
    redis: redis.url,
    prefix,
    hash: 'sha256',
    source: { kind: 'file', path },
    shardLeaves: SHARD,
    ...options,
  });

/** Resolves when the first shards are under way. */
async function underWay(): Promise<void> {
  while (!(await redis.client.llen(`${prefix}:${QUEUE}:active`))) await pause(20);
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('a root survives', () => {
  it('a worker that is killed in the middle of its shards', async () => {
    const leaves = 4 * SHARD + 17;
    const first = await start();
    const root = submitSlow(leaves);
    await underWay();
    await first.kill();
    workers = [];
    await start();
    expect(toHex((await root).root)).toBe(toHex(await rootHere(countingLeaves(leaves))));
  });

  it('a restart of Redis', async () => {
    const leaves = 6 * SHARD;
    await start();
    const root = submitSlow(leaves);
    await underWay();
    await redis.restart();
    expect(toHex((await root).root)).toBe(toHex(await rootHere(countingLeaves(leaves))));
  });

  it('workers that come only later', async () => {
    const root = submitSlow(100);
    await pause(300);
    await start();
    expect(toHex((await root).root)).toBe(toHex(await rootHere(countingLeaves(100))));
  });
});

describe('a source that is no longer what it was', () => {
  it.each([
    ['shorter', (bytes: Buffer) => bytes.subarray(0, bytes.length - 32)],
    ['longer', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(32)])],
    ['other at its beginning', (bytes: Buffer) => flip(bytes, 0)],
    ['other at the end of a shard', (bytes: Buffer) => flip(bytes, 32 * SHARD - 1)],
    ['other in the middle of a shard', (bytes: Buffer) => flip(bytes, 16 * SHARD)],
  ])('is refused: %s', async (_, change) => {
    const bytes = randomBytes(32 * (SHARD + 1000));
    writeFileSync(path, bytes);
    const root = submitFile();
    const refused = expect(root).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
    while (!(await redis.client.exists(`${prefix}:${QUEUE}:wait`))) await pause(10);
    writeFileSync(path, change(bytes));
    await start();
    await refused;
  });

  it('is found anywhere with a full check', async () => {
    const bytes = randomBytes(32 * (SHARD + 1000));
    writeFileSync(path, bytes);
    const root = submitFile({ check: 'full' });
    const refused = expect(root).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
    while (!(await redis.client.exists(`${prefix}:${QUEUE}:wait`))) await pause(10);
    writeFileSync(path, flip(bytes, 32 * 1000));
    utimesSync(path, 1, 1);
    await start();
    await refused;
  });
});

function flip(bytes: Buffer, at: number): Buffer {
  const other = Buffer.from(bytes);
  other[at]! ^= 1;
  return other;
}

describe('members of another version', () => {
  it('do not come in', async () => {
    await redis.client.set(`${prefix}:library`, '0.0.1 0123456789abcdef', 'PX', 5000);
    const options = { redis: redis.url, prefix, sources: {} };
    await expect(startClusterWorker(options)).rejects.toMatchObject({ code: 'VERSION_MISMATCH' });
    await expect(submitSlow(10)).rejects.toMatchObject({ code: 'VERSION_MISMATCH' });
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
    const flags = ['worker', '--redis', redis.url, '--prefix', prefix, '--allow', folder];
    const child = spawn(process.execPath, [main, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(3);
    expect(said).toContain('VERSION_MISMATCH');
    await redis.client.del(`${prefix}:library`);
  });

  it('refuse work of this one', async () => {
    await start();
    const { FlowProducer, Queue } = await import('bullmq');
    const opening = { connection: { url: redis.url, maxRetriesPerRequest: null }, prefix };
    const queue = new Queue(QUEUE, opening);
    const data = { root: 'x', library: `${LIBRARY}x`, hash: 'sha256' };
    const job = await queue.add('shard', data);
    while (!(await job.isFailed())) await pause(20);
    expect((await queue.getJob(job.id!))!.failedReason).toMatch(/^VERSION_MISMATCH/);
    await queue.remove(job.id!);
    await queue.close();
    expect(FlowProducer).toBeDefined();
  });
});

describe('a worker that lies', () => {
  it('is found by an audit, and named', async () => {
    const liar = new Worker(
      QUEUE,
      async (job) => {
        if (job.name === 'shard')
          return { shard: job.data.shard, root: `0x${'ab'.repeat(32)}`, worker: 'liar' };
        const shards = Object.values(await job.getChildrenValues<{ root: string; worker: string }>());
        return { root: `0x${'cd'.repeat(32)}`, shards };
      },
      { connection: { url: redis.url, maxRetriesPerRequest: null }, prefix, name: 'liar' },
    );
    writeFileSync(path, randomBytes(32 * 3 * SHARD));
    const caught = submitFile({ audit: 1 });
    await expect(caught).rejects.toMatchObject({ code: 'CROSS_CHECK_MISMATCH' });
    await liar.close();
    await redis.client.del(...(await redis.client.keys('*')));
  });

  it('about a shard alone is found too', async () => {
    const honest = await start({ name: 'honest' });
    const liar = new Worker(
      QUEUE,
      async (job) => {
        if (job.name !== 'shard') throw new Error('only shards here');
        return { shard: job.data.shard, root: `0x${'ab'.repeat(32)}`, worker: 'liar' };
      },
      { connection: { url: redis.url, maxRetriesPerRequest: null }, prefix, name: 'liar' },
    );
    writeFileSync(path, randomBytes(32 * 24 * SHARD));
    const caught = submitFile({ audit: 24 });
    await expect(caught).rejects.toThrow(/worker liar/);
    await liar.close();
    expect(honest.process.exitCode).toBe(null);
  });
});

describe('a root that nobody wants any more', () => {
  it('is taken back, shards under way included', async () => {
    await start();
    const abort = new AbortController();
    const root = submitSlow(40 * SHARD, { signal: abort.signal });
    const aborted = expect(root).rejects.toMatchObject({ code: 'ABORTED' });
    await underWay();
    abort.abort();
    await aborted;
    expect(await redis.client.llen(`${prefix}:${QUEUE}:active`)).toBe(0);
    expect(await redis.client.exists(`${prefix}:${QUEUE}:wait`)).toBe(0);
    // The worker is free again.
    expect((await submitSlow(10)).leaves).toBe(10);
  });

  it('and one without a server says so', async () => {
    const options = { redis: 'redis://127.0.0.1:1', hash: 'sha256', source: { kind: 'file', path } } as const;
    await expect(submitRoot(options)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await expect(submitRoot({ ...options, redis: 'http://x' })).rejects.toThrow(/^redis/);
  });
});
