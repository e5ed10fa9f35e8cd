/** Where leaves may lie, and what a worker may not read. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import type { ClusterWorker } from '../../src/cluster/index.ts';
import { type SourceReference, startClusterWorker, submitRoot } from '../../src/cluster/index.ts';
import { openSource } from '../../src/cluster/source.ts';
import { rootHere } from '../support/cluster.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';

const leaves = 2 ** 16 + 4321;
const bytes = randomBytes(32 * leaves);
const folder = mkdtempSync(join(tmpdir(), 'cambium-sources-'));
let redis: RedisServer;
let server: Server;
let base: string;
let worker: ClusterWorker;
/** What the server does to the next requests. */
let trouble: ((response: ServerResponse) => boolean) | undefined;
let tag = '"one"';
let reads = 0;

const objects = {
  async head(bucket: string, key: string) {
    if (`${bucket}/${key}` !== 'data/leaves') throw new Error('no such object');
    return { bytes: bytes.length, tag };
  },
  async get(_bucket: string, _key: string, from: number, to: number) {
    return (async function* () {
      yield bytes.subarray(from, to);
    })();
  },
};

beforeAll(async () => {
  redis = await startRedis();
  server = createServer((request, response) => {
    reads++;
    if (trouble?.(response)) return;
    if (request.url?.startsWith('/moved')) return response.writeHead(302, { location: '/open/x' }).end();
    if (request.url?.startsWith('/plain')) return response.writeHead(200).end(bytes);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')!.map(Number);
    response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}`, etag: tag });
    response.end(bytes.subarray(from!, to! + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  worker = await startClusterWorker({
    redis: redis.url,
    backend: 'cpu',
    threads: 0,
    sources: {
      files: [folder],
      http: [`${base}/open/`],
      objects: { client: objects, allowed: ['data'] },
    },
  });
});

afterAll(async () => {
  await worker.close();
  await redis.stop();
  server.close();
  rmSync(folder, { recursive: true });
});

const submit = (source: SourceReference) =>
  submitRoot({ redis: redis.url, hash: 'sha256', source, objects, shardLeaves: 2 ** 16 });

describe('a source', () => {
  it('behind a URL', async () => {
    const { root } = await submit({ kind: 'http', url: `${base}/open/leaves` });
    expect(toHex(root)).toBe(toHex(await rootHere(bytes)));
  });

  it('behind a URL whose server fails now and then', async () => {
    let failures = 2;
    trouble = (response) => {
      // The submitter asks first: length, then three samples of each of two shards.
      if (reads < 8 || failures-- <= 0) return false;
      response.writeHead(503).end();
      return true;
    };
    reads = 0;
    const { root } = await submit({ kind: 'http', url: `${base}/open/leaves` });
    trouble = undefined;
    expect(failures).toBeLessThan(0);
    expect(toHex(root)).toBe(toHex(await rootHere(bytes)));
  });

  it('in an object store', async () => {
    const { root } = await submit({ kind: 'object', bucket: 'data', key: 'leaves' });
    expect(toHex(root)).toBe(toHex(await rootHere(bytes)));
  });

  it('that changes its entity tag', async () => {
    trouble = (response) => {
      if (reads < 8) return false;
      tag = '"two"';
      response.writeHead(206, { 'content-range': `bytes 0-0/${bytes.length}`, etag: tag }).end('x');
      return true;
    };
    reads = 0;
    const changed = submit({ kind: 'http', url: `${base}/open/leaves` });
    await expect(changed).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
    trouble = undefined;
    tag = '"one"';
  });
});

describe('a worker refuses', () => {
  const refused = async (source: SourceReference, message: RegExp): Promise<void> => {
    await expect(submit(source)).rejects.toThrow(message);
  };

  it('URLs elsewhere, files elsewhere, objects elsewhere', async () => {
    await refused({ kind: 'http', url: `${base}/closed/leaves` }, /none of the URLs/);
    const outside = mkdtempSync(join(tmpdir(), 'cambium-outside-'));
    const path = join(outside, 'leaves');
    writeFileSync(path, bytes);
    await refused({ kind: 'file', path }, /none of the folders/);
    // A link in the allowed folder leads out of it.
    symlinkSync(path, join(folder, 'link'));
    await refused({ kind: 'file', path: join(folder, 'link') }, /none of the folders/);
    rmSync(outside, { recursive: true });
  });
});

describe('opening', () => {
  const access = { files: [folder], http: [`${'http://127.0.0.1:1'}/open`], generators: {} };

  it('refuses what no worker could read', async () => {
    const open = (source: unknown) => openSource(source as SourceReference, access);
    await expect(open(undefined)).rejects.toThrow(/^source: expected an object/);
    await expect(open({ kind: 'zip' })).rejects.toThrow(/^source\.kind/);
    await expect(open({ kind: 'file', path: 'leaves' })).rejects.toThrow(/absolute/);
    await expect(open({ kind: 'file', path: join(folder, 'none') })).rejects.toMatchObject({
      code: 'SOURCE_CHANGED',
    });
    await expect(open({ kind: 'file', path: folder })).rejects.toThrow(/no file/);
    await expect(open({ kind: 'http', url: 'ftp://host/x' })).rejects.toThrow(/http or https/);
    await expect(open({ kind: 'http', url: 'http://me:secret@127.0.0.1:1/open/x' })).rejects.toThrow(
      /password/,
    );
    await expect(open({ kind: 'http', url: 'http://127.0.0.1:1/opened' })).rejects.toThrow(
      /none of the URLs/,
    );
    await expect(open({ kind: 'object', bucket: 'a', key: 'b' })).rejects.toThrow(/none of those/);
    await expect(open({ kind: 'generator', name: 'toString', bytes: 32 })).rejects.toThrow(/no generator/);
  });

  it('refuses servers without ranges, and redirections', async () => {
    const open = (url: string) => openSource({ kind: 'http', url }, { http: [base] });
    await expect(open(`${base}/plain`)).rejects.toMatchObject({ code: 'SOURCE_CHANGED' });
    await expect(open(`${base}/moved`)).rejects.toThrow();
  });
});
