/** A member of a cluster that hashes shards. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Worker } from 'bullmq';
import { toHex } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { type HashId, hashes } from '../hash/registry.js';
import { createHasher, type Hasher, type HasherOptions } from '../hasher.js';
import { checkPlan, checkTask } from './check-task.js';
import { foldShards } from './combine.js';
import {
  isFinal,
  joinDigests,
  ROOT,
  type RootJob,
  type RootResult,
  reasonOf,
  type ShardJob,
  type ShardResult,
} from './jobs.js';
import {
  type ClusterOptions,
  cancelKey,
  joinCluster,
  LIBRARY,
  type Membership,
  optional,
  QUEUE,
  sweep,
} from './redis.js';
import { hashShard } from './shard.js';
import { openSource, type SourceAccess } from './source.js';

/** How often a shard under way asks whether its root is still wanted. */
const CANCEL_MS = 300;
/** A worker that is silent for so long has lost its shard to another. */
const LOCK_MS = 10_000;
/** How often lost shards are looked for. */
const STALLED_MS = 5_000;
/** A shard may lose so many workers before it is given up. */
const MOST_STALLED = 10;
/** What a shard under way may take: pieces read ahead, chunks in flight, their copies on the device. */
const BYTES_PER_SHARD = 128 * 2 ** 20;

export interface ClusterWorkerOptions extends ClusterOptions {
  /** What this worker may read; nothing by default. */
  readonly sources: SourceAccess;
  /** Where it hashes; default `auto`. */
  readonly backend?: HasherOptions['backend'];
  /** Workers beside the main thread; as for `createHasher`. */
  readonly threads?: number | undefined;
  /** Default `navigator.gpu`, in Node Dawn. */
  readonly gpu?: HasherOptions['gpu'];
  /** Shards at a time: while one waits for its bytes, another is hashed. Default 2. */
  readonly concurrency?: number | undefined;
  /** Bytes of memory that shards may take, 128 MiB each at most; bounds `concurrency`. */
  readonly memoryBytes?: number | undefined;
  /** How results and messages call it; default host, process and a random number. */
  readonly name?: string | undefined;
}

/** A running worker. */
export interface ClusterWorker extends AsyncDisposable {
  readonly name: string;
  /** Finishes the shards under way, takes no more, and leaves. */
  close(): Promise<void>;
}

/**
 * Starts a worker of a cluster: it hashes shards, and folds their roots, until it is closed.
 *
 * @throws {RangeError} for an option out of range.
 * @throws {CambiumError} `BACKEND_UNAVAILABLE` where Redis does not answer, or `bullmq` and `ioredis` are not installed;
 *   `VERSION_MISMATCH` where the cluster runs another version of this library.
 * @example
 * ```ts
 * const worker = await startClusterWorker({ redis: 'redis://10.0.0.5', sources: { files: ['/data'] } });
 * ```
 */
export async function startClusterWorker(options: ClusterWorkerOptions): Promise<ClusterWorker> {
  const { name = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}` } = options;
  const concurrency = shardsAtATime(options);
  const { Worker, UnrecoverableError } = await optional(() => import('bullmq'));
  const membership = await joinCluster(options);
  const { prefix, connection } = membership;
  const hashing = new ShardHashing(options, membership, name);
  const worker = new Worker(
    QUEUE,
    async (job, _token) => {
      try {
        return await hashing.run(job);
      } catch (error) {
        throw isFinal(error)
          ? new UnrecoverableError(reasonOf(error))
          : new Error(reasonOf(error), { cause: error });
      }
    },
    {
      connection,
      prefix,
      name,
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_MS,
      maxStalledCount: MOST_STALLED,
    },
  );
  // A server that is away for a moment: BullMQ goes on when it is back.
  worker.on('error', () => {});
  await worker.waitUntilReady();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= stop(worker, hashing, membership);
    return closing;
  };
  return { name, close, [Symbol.asyncDispose]: close };
}

function shardsAtATime({
  concurrency = 2,
  memoryBytes = Number.POSITIVE_INFINITY,
}: ClusterWorkerOptions): number {
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 64) {
    throw new RangeError(`concurrency: expected a whole number from 1 to 64, got ${concurrency}`);
  }
  if (!(memoryBytes >= BYTES_PER_SHARD)) {
    throw new RangeError(
      `memoryBytes: expected at least ${BYTES_PER_SHARD} for one shard, got ${memoryBytes}`,
    );
  }
  return Math.min(concurrency, Math.floor(memoryBytes / BYTES_PER_SHARD));
}

async function stop(worker: Worker, hashing: ShardHashing, membership: Membership): Promise<void> {
  await worker.close();
  await hashing.close();
  const { Queue } = await import('bullmq');
  const queue = new Queue(QUEUE, { connection: membership.connection, prefix: membership.prefix });
  queue.on('error', () => {});
  const others = await queue.getWorkersCount();
  await queue.close();
  await sweep(membership, others);
  await membership.leave();
}

/** The work of one worker's jobs, with its hashers. */
class ShardHashing {
  readonly #options: ClusterWorkerOptions;
  readonly #membership: Membership;
  readonly #name: string;
  readonly #hashers = new Map<HashId, Promise<Hasher>>();

  constructor(options: ClusterWorkerOptions, membership: Membership, name: string) {
    this.#options = options;
    this.#membership = membership;
    this.#name = name;
  }

  async run(job: Job): Promise<ShardResult | RootResult> {
    const { library, hash, root } = job.data as Partial<ShardJob & RootJob>;
    if (library !== LIBRARY) {
      throw new CambiumError('VERSION_MISMATCH', `worker ${this.#name} runs ${LIBRARY}, the root ${library}`);
    }
    if (!hashes.has(hash as HashId) || typeof root !== 'string') {
      throw new CambiumError('MALFORMED', 'hash, root: not what a submitter of this library writes');
    }
    const hasher = await this.#hasher(hash as HashId);
    return job.name === ROOT ? await this.#fold(job, hasher) : await this.#hash(job, hasher, root);
  }

  async close(): Promise<void> {
    for (const hasher of this.#hashers.values()) await (await hasher).close();
  }

  #hasher(hash: HashId): Promise<Hasher> {
    let hasher = this.#hashers.get(hash);
    if (!hasher) {
      const { backend, threads, gpu } = this.#options;
      hasher = createHasher(hash, {
        ...(backend && { backend }),
        ...(threads !== undefined && { threads }),
        ...(gpu && { gpu }),
      });
      // One that failed is tried again for the next shard.
      hasher.catch(() => this.#hashers.delete(hash));
      this.#hashers.set(hash, hasher);
    }
    return hasher;
  }

  async #hash(job: Job, hasher: Hasher, root: string): Promise<ShardResult> {
    const task = checkTask(job.data);
    const cancel = new AbortController();
    const key = cancelKey(this.#membership.prefix, root);
    const watch = setInterval(async () => {
      if (await this.#membership.redis.exists(key).catch(() => 0)) cancel.abort();
    }, CANCEL_MS);
    try {
      const reader = await openSource(task.source, this.#options.sources);
      try {
        const hashed = await hashShard(hasher, reader, task, { signal: cancel.signal });
        return { shard: task.shard, root: toHex(hashed.root), worker: this.#name };
      } finally {
        await reader.close();
      }
    } finally {
      clearInterval(watch);
    }
  }

  async #fold(job: Job, hasher: Hasher): Promise<RootResult> {
    const { plan: sent, bytes } = job.data as RootJob;
    const plan = checkPlan(sent, bytes);
    const results = Object.values(await job.getChildrenValues<ShardResult>());
    const shards = results.sort((a, b) => a.shard - b.shard);
    if (shards.length !== plan.shards || shards.some(({ shard }, i) => shard !== i)) {
      throw new Error(`${shards.length} of ${plan.shards} shards have a result`);
    }
    const roots = joinDigests(shards.map(({ root }) => root));
    const root = (await foldShards(hasher, plan, roots)).at(-1)!;
    return { root: toHex(root), shards: shards.map(({ root, worker }) => ({ root, worker })) };
  }
}
