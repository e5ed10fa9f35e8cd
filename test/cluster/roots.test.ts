/** Roots by several worker processes, against one machine's. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestAt, fromHex, toHex } from '../../src/bytes.ts';
import { foldShards } from '../../src/cluster/combine.ts';
import { proveFromShard, submitRoot, subtreesFromJson, subtreesToJson } from '../../src/cluster/index.ts';
import { createHasher } from '../../src/hasher.ts';
import { buildTree } from '../../src/tree/merkle.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { rootHere, startWorker, type WorkerProcess } from '../support/cluster.ts';
import { counting } from '../support/leaf-generators.mjs';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const SHARD = 2 ** 16;
const prefix = 'test';
const folder = mkdtempSync(join(tmpdir(), 'cambium-cluster-'));
const path = join(folder, 'leaves.bin');
const file = { kind: 'file', path } as const;
let redis: RedisServer;
let workers: WorkerProcess[];

beforeAll(async () => {
  redis = await startRedis();
  const setting = { redis: redis.url, prefix, files: [folder] };
  workers = await Promise.all([startWorker(setting), startWorker(setting)]);
});

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  const left = await redis.client.keys('*');
  await redis.stop();
  rmSync(folder, { recursive: true });
  expect(left).toEqual([]);
});

describe('a root over shards', () => {
  const sizes = [1, 2, SHARD - 1, SHARD, SHARD + 1, 2 * SHARD, 3 * SHARD + 12_345, 4 * SHARD];
  const common = { source: file, hash: 'sha256', shardLeaves: SHARD } as const;

  it.each(sizes)('of %i leaves is the root of one machine, under every padding', async (leaves) => {
    const bytes = randomBytes(32 * leaves);
    writeFileSync(path, bytes);
    for (const padding of ['zero', 'promote', 'duplicate'] as const) {
      const { root, subtrees, depth } = await submitRoot({ ...common, redis: redis.url, prefix, padding });
      expect(toHex(root)).toBe(toHex(await rootHere(bytes, { padding })));
      expect(depth).toBe(Math.ceil(Math.log2(leaves)));
      expect(subtrees!.plan.shards).toBe(Math.ceil(leaves / SHARD));
    }
  });

  it('keeps to a depth, and to a power of two', async () => {
    const bytes = randomBytes(32 * 2 * SHARD);
    writeFileSync(path, bytes);
    const deep = await submitRoot({ ...common, redis: redis.url, prefix, depth: 40 });
    expect(toHex(deep.root)).toBe(toHex(await rootHere(bytes, { depth: 40 })));
    const none = await submitRoot({ ...common, redis: redis.url, prefix, padding: 'none' });
    expect(toHex(none.root)).toBe(toHex(await rootHere(bytes, { padding: 'none' })));
    writeFileSync(path, randomBytes(32 * 3));
    const submit = (options: object) => submitRoot({ ...common, redis: redis.url, prefix, ...options });
    await expect(submit({ padding: 'none' })).rejects.toThrow(RangeError);
    await expect(submit({ depth: 1 })).rejects.toThrow(/^depth/);
    await expect(submit({ depth: 4, padding: 'promote' })).rejects.toThrow(/^depth/);
    await expect(submit({ shardLeaves: 1000 })).rejects.toThrow(/^shardLeaves/);
    await expect(submit({ shardLeaves: SHARD + 1 })).rejects.toThrow(/^shardLeaves/);
    await expect(submit({ audit: 2 })).rejects.toThrow(/^audit/);
    writeFileSync(path, randomBytes(33));
    await expect(submit({})).rejects.toThrow(/multiple of 32/);
  });

  it('of no leaves is the zero digest', async () => {
    writeFileSync(path, '');
    const { root, leaves } = await submitRoot({ ...common, redis: redis.url, prefix, depth: 5 });
    expect(leaves).toBe(0);
    expect(toHex(root)).toBe(toHex(await rootHere(new Uint8Array(0), { depth: 5 })));
  });

  it('hashes blocks, the last one shorter', async () => {
    const bytes = randomBytes(100 * (SHARD + 77) + 13);
    writeFileSync(path, bytes);
    const { root, leaves } = await submitRoot({
      ...common,
      redis: redis.url,
      prefix,
      leafBytes: { blocks: 100 },
      check: 'full',
    });
    expect(leaves).toBe(SHARD + 78);
    const lengths = new Uint32Array(leaves).fill(100);
    lengths[leaves - 1] = 13;
    expect(toHex(root)).toBe(toHex(await rootHere({ messages: bytes, lengths })));
  });

  it('of a field hash refuses what is no element, with its code', async () => {
    const bytes = Buffer.alloc(32 * (SHARD + 5));
    const hash = 'poseidon2-plonky3-8' as const;
    writeFileSync(path, bytes);
    const hasher = await createHasher(hash, { backend: 'cpu' });
    const { root } = await submitRoot({ ...common, hash, redis: redis.url, prefix, audit: 1 });
    expect(toHex(root)).toBe(toHex((await buildTree(hasher, bytes)).root));
    await hasher.close();
    bytes.fill(0xff, 32 * SHARD, 32 * SHARD + 8);
    writeFileSync(path, bytes);
    const refused = submitRoot({ ...common, hash, redis: redis.url, prefix });
    await expect(refused).rejects.toMatchObject({ code: 'NOT_CANONICAL' });
  });
});

describe('a proof by one shard', () => {
  const leaves = 2 * SHARD + 1001;

  it.each(['zero', 'promote', 'duplicate'] as const)(
    'is that of the whole tree, padding %s',
    async (padding) => {
      const bytes = randomBytes(32 * leaves);
      writeFileSync(path, bytes);
      const made = await submitRoot({
        redis: redis.url,
        prefix,
        hash: 'sha256',
        source: file,
        shardLeaves: SHARD,
        padding,
      });
      const subtrees = subtreesFromJson(subtreesToJson(made.subtrees!));
      expect(subtrees).toEqual(made.subtrees);
      const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
      const tree = await buildTree(hasher, bytes, { padding });
      const access = { files: [folder] };
      for (const index of [0, 1, SHARD - 1, SHARD, 2 * SHARD, leaves - 1]) {
        const proof = await proveFromShard(hasher, subtrees, index, access);
        expect(proof).toEqual(tree.prove(index));
        const claim = { root: made.root, leaf: proof.leaf, index, depth: made.depth, size: leaves, padding };
        expect(verifyProof(hasher, claim, proof.siblings)).toBe(true);
      }
      await expect(proveFromShard(hasher, subtrees, leaves, access)).rejects.toThrow(/^index/);
      await expect(proveFromShard(hasher, subtrees, 0, {})).rejects.toThrow(/^source/);
      bytes[40]! ^= 1;
      writeFileSync(path, bytes);
      // The change lies between the samples: the root of the shard tells.
      bytes.fill(bytes[40]!, 40, 41);
      await expect(proveFromShard(hasher, subtrees, 5, access)).rejects.toMatchObject({
        code: 'SOURCE_CHANGED',
      });
      await hasher.close();
    },
  );

  it('reads nothing but a whole and right file of roots', async () => {
    writeFileSync(path, randomBytes(32 * leaves));
    const { subtrees } = await submitRoot({
      redis: redis.url,
      prefix,
      hash: 'sha256',
      source: file,
      shardLeaves: SHARD,
    });
    const right = JSON.parse(subtreesToJson(subtrees!)) as Record<string, unknown>;
    const refuses = (changes: object): void => {
      expect(() => subtreesFromJson(JSON.stringify({ ...right, ...changes }))).toThrow(
        expect.objectContaining({ code: 'MALFORMED' }),
      );
    };
    for (const name of Object.keys(right)) refuses({ [name]: undefined });
    refuses({ bytes: 32 });
    refuses({ roots: (right.roots as string[]).slice(1) });
    refuses({ hash: 'md5' });
    refuses({ plan: { ...(right.plan as object), depth: 3 } });
    refuses({ source: { kind: 'ftp' } });
    expect(() => subtreesFromJson('{')).toThrow(expect.objectContaining({ code: 'MALFORMED' }));
    const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
    const forged = { ...subtrees!, root: fromHex('11'.repeat(32)) };
    const proof = proveFromShard(hasher, forged, 0, { files: [folder] });
    await expect(proof).rejects.toMatchObject({ code: 'MALFORMED' });
    await hasher.close();
  });
});

describe('many shards', () => {
  it('10 000 in one flow take little memory, and none afterwards', { timeout: 600_000 }, async () => {
    const leaves = 10_000 * SHARD - 5;
    let peak = 0;
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss - before);
    }, 50);
    const seen: number[] = [];
    const { root, subtrees } = await submitRoot({
      redis: redis.url,
      prefix,
      hash: 'sha256',
      source: { kind: 'generator', name: 'counting', bytes: 32 * leaves },
      generators: { counting },
      shardLeaves: SHARD,
      audit: 3,
      onProgress: ({ done, total }) => {
        expect(total).toBe(10_000);
        seen.push(done);
      },
    });
    clearInterval(watch);
    expect(subtrees!.plan.shards).toBe(10_000);
    expect(peak).toBeLessThan(400 * 2 ** 20);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(10_000);
    expect((await redis.client.keys('*')).filter((key) => /-\d+(:|$)/.test(key))).toEqual([]);
    // The whole on this machine alone would take a minute: the first and the last shard, and the levels above all.
    const { roots, plan } = subtrees!;
    for (const [shard, from, to] of [
      [0, 0, SHARD],
      [9999, 9999 * SHARD, leaves],
    ] as const) {
      const expected = await rootHere(counting(32 * from, 32 * to), { depth: plan.height });
      expect(toHex(digestAt(roots, shard))).toBe(toHex(expected));
    }
    const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
    expect(toHex((await foldShards(hasher, plan, roots)).at(-1)!)).toBe(toHex(root));
    await hasher.close();
  });
});
