/** A real redis-server on a free loopback port, for one test file. Where there is none, its tests fail. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

export interface RedisServer {
  readonly url: string;
  /** For looking at what is in it. */
  readonly client: Redis;
  /** Stops it as an operator would, and starts it again over the same append-only file. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @throws {Error} when `redis-server` cannot be started. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'cambium-redis-'));
  let server = await launch(port, folder);
  const url = `redis://127.0.0.1:${port}`;
  const client = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  client.on('error', () => {});
  return {
    url,
    client,
    async restart() {
      await end(server);
      server = await launch(port, folder);
    },
    async stop() {
      client.disconnect();
      await end(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function launch(port: number, folder: string): Promise<ChildProcess> {
  const flags = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes'];
  const server = spawn('redis-server', [...flags, '--save', ''], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error('redis-server does not start; Debian: apt-get install redis-server', { cause })),
    );
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    server.stdout!.on('data', (text: Buffer) => {
      if (text.includes('Ready to accept connections')) resolve();
    });
  });
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await gone;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
