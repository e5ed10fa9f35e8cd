/** The connection to Redis or Valkey, and what all members of a cluster agree on. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Redis } from 'ioredis';
import { CambiumError } from '../errors.js';
import { hashes } from '../hash/registry.js';

/** Where members of a cluster meet. */
export interface ClusterOptions {
  /** `redis://` or, with TLS, `rediss://`; user and password may be in it, and go nowhere else. */
  readonly redis: string;
  /** Beginning of all keys; clusters of different prefixes share a server. Default `cambium`. */
  readonly prefix?: string | undefined;
}

/** The queue that shards and roots go through. */
export const QUEUE = 'roots';
/** How long a first connection may take. */
const CONNECT_MS = 10_000;
/** How long a command may wait for a server that is away. */
export const PATIENCE_MS = 60_000;
/** How long the mark of a member that died keeps others out. */
const STAMP_MS = 20_000;
/** How often a member renews it. */
const RENEW_MS = 5_000;

/** What of this library must be the same in all members: version and hashes. */
export const LIBRARY: string = libraryStamp();

function libraryStamp(): string {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  const ids = createHash('sha256')
    .update([...hashes.keys()].join())
    .digest('hex')
    .slice(0, 16);
  return `${version} ${ids}`;
}

/** A member's connection. */
export interface Membership {
  readonly redis: Redis;
  readonly prefix: string;
  /** For BullMQ, which opens connections of its own. */
  readonly connection: { readonly url: string; readonly maxRetriesPerRequest: null };
  leave(): Promise<void>;
}

/**
 * Joins a cluster.
 *
 * @throws {RangeError} for a URL that is none of Redis.
 * @throws {CambiumError} `BACKEND_UNAVAILABLE` where nobody answers or `bullmq` and `ioredis` are not installed;
 *   `VERSION_MISMATCH` where members run another version of the library, or another set of hashes.
 */
export async function joinCluster({ redis: url, prefix = 'cambium' }: ClusterOptions): Promise<Membership> {
  if (typeof url !== 'string' || !/^rediss?:\/\//.test(url)) {
    throw new RangeError('redis: expected a URL that begins with redis:// or rediss://');
  }
  const redis = await connect(url);
  let renewal: NodeJS.Timeout | undefined;
  try {
    await stamp(redis, prefix);
    // Whoever works here keeps other versions out; a server that is away for a moment is no reason to stop.
    renewal = setInterval(() => void stamp(redis, prefix).catch(() => {}), RENEW_MS);
    renewal.unref();
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  return {
    redis,
    prefix,
    connection: { url, maxRetriesPerRequest: null },
    async leave() {
      clearInterval(renewal);
      redis.disconnect();
    },
  };
}

async function connect(url: string): Promise<Redis> {
  const { Redis } = await optional(() => import('ioredis'));
  let known = false;
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: null,
    // The first connection is there or not; a later one is tried for until it is.
    retryStrategy: (times): number | null => (known ? Math.min(times * 100, 2000) : null),
  });
  // Errors reach whoever awaits a command; without a listener they would be printed as well.
  redis.on('error', () => {});
  try {
    await redis.connect();
    known = true;
    return redis;
  } catch (error) {
    redis.disconnect();
    const server = new URL(url).host;
    throw new CambiumError('BACKEND_UNAVAILABLE', `redis: no connection to ${server}`, { cause: error });
  }
}

/** Imports an optional package. */
export async function optional<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw new CambiumError('BACKEND_UNAVAILABLE', 'cluster: install bullmq and ioredis', { cause: error });
  }
}

/** Marks the cluster as one of this library, or renews the mark. */
async function stamp(redis: Redis, prefix: string): Promise<void> {
  const key = `${prefix}:library`;
  const set = await redis.set(key, LIBRARY, 'PX', STAMP_MS, 'NX');
  if (set === 'OK') return;
  const found = await redis.get(key);
  if (found !== null && found !== LIBRARY) {
    throw new CambiumError(
      'VERSION_MISMATCH',
      `cluster: its members run ${found}, this one ${LIBRARY} (version and digest of the hashes)`,
    );
  }
  await redis.set(key, LIBRARY, 'PX', STAMP_MS);
}

/** The key that tells workers to give up the shards of root `id`. */
export const cancelKey = (prefix: string, id: string): string => `${prefix}:cancel:${id}`;

/**
 * Removes what the queue leaves behind when nothing is in it and nobody works on it. Only records that the next member
 * makes again: a root that is submitted meanwhile loses nothing.
 */
export async function sweep({ redis, prefix }: Membership, workersBesides: number): Promise<void> {
  if (workersBesides > 0) return;
  const base = `${prefix}:${QUEUE}`;
  const jobs = await redis.exists(
    ...['wait', 'active', 'delayed', 'waiting-children'].map((list) => `${base}:${list}`),
  );
  if (jobs > 0) return;
  await redis.del(...['meta', 'events', 'stalled-check', 'id', 'marker'].map((name) => `${base}:${name}`));
  await redis.del(`${prefix}:library`);
}
