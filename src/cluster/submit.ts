/** Roots over many machines, from the side of who wants them. */
import { randomInt, randomUUID } from 'node:crypto';
import type { FlowJob, Job, Queue } from 'bullmq';
import type { JobOptions } from '../backend/types.js';
import { type Digest, digestAt, equalBytes, fromHex, toHex } from '../bytes.js';
import { CambiumError, throwIfAborted } from '../errors.js';
import { type HashId, hashSpec } from '../hash/registry.js';
import { createHasher } from '../hasher.js';
import { merkleRoot } from '../tree/merkle.js';
import { foldShards } from './combine.js';
import { fingerprint, type SourceCheck } from './fingerprint.js';
import { errorOf, joinDigests, ROOT, type RootJob, type RootResult, SHARD, type ShardJob } from './jobs.js';
import type { ObjectClient } from './object-source.js';
import { type PlanOptions, planShards, type ShardPlan, shardOf } from './plan.js';
import {
  type ClusterOptions,
  cancelKey,
  joinCluster,
  LIBRARY,
  type Membership,
  optional,
  PATIENCE_MS,
  QUEUE,
  sweep,
} from './redis.js';
import { hashShard } from './shard.js';
import {
  accessTo,
  openSource,
  type SourceAccess,
  type SourceReader,
  type SourceReference,
} from './source.js';
import type { SubtreeRoots } from './subtrees.js';

/** Attempts at a shard, the first included. */
const ATTEMPTS = 6;
const BACKOFF_MS = 200;
/** How often the state is asked for; events tell of it sooner. */
const POLL_MS = 500;
/** How long a result lies in Redis whose submitter has gone, in seconds. */
const KEEP_SECONDS = 3600;
/** How long shards under way may take to notice that they are not wanted any more. */
const REMOVE_MS = 60_000;
/** Fingerprints taken at a time. */
const READS = 8;

export interface SubmitOptions extends ClusterOptions, PlanOptions, JobOptions {
  readonly hash: HashId;
  /** Where the leaves lie, as all workers see it. */
  readonly source: SourceReference;
  /** For a source in an object store: this process's client. */
  readonly objects?: ObjectClient | undefined;
  /** For a source by generator: this process's functions. */
  readonly generators?: SourceAccess['generators'];
  /** What of the source is digested beforehand, so that a change is noticed; default `sample`. */
  readonly check?: SourceCheck | undefined;
  /** Shards, chosen at random, that this process hashes again when all are done; default 0. */
  readonly audit?: number | undefined;
}

/** A root that a cluster worked out. */
export interface ClusterRoot {
  /** 32 bytes. */
  readonly root: Digest;
  readonly leaves: number;
  /** Levels above the leaves. */
  readonly depth: number;
  /** For proofs; absent for a source without leaves. */
  readonly subtrees?: SubtreeRoots;
}

/**
 * The root of a source that the workers of a cluster hash shard by shard. Leaves stay where they are: jobs name ranges.
 *
 * Waits for workers as long as there are none; `signal` takes the work back. Nothing of it stays in Redis.
 *
 * @throws {TypeError} @throws {RangeError} that names the option.
 * @throws {CambiumError} `BACKEND_UNAVAILABLE` where Redis does not answer, or a shard failed again and again;
 *   `VERSION_MISMATCH`; `SOURCE_CHANGED` where a worker reads something else than this process;
 *   `CROSS_CHECK_MISMATCH` where an audited shard has another root; `NOT_CANONICAL`; `ABORTED`.
 * @example
 * ```ts
 * const source = { kind: 'file', path: '/data/leaves.bin' } as const;
 * const { root } = await submitRoot({ redis: 'redis://10.0.0.5', hash: 'sha256', source });
 * ```
 */
export async function submitRoot(options: SubmitOptions): Promise<ClusterRoot> {
  const { hash, source, signal } = options;
  hashSpec(hash);
  throwIfAborted(signal);
  const reader = await openSource(source, accessTo(source, options));
  try {
    const plan = planShards(reader.bytes, options);
    checkAudit(options.audit ?? 0, plan);
    if (plan.leaves === 0) return await emptyRoot(options, plan);
    const tasks = await prepare(options, reader, plan);
    const membership = await joinCluster(options);
    try {
      const result = await runFlow(membership, tasks, options);
      const subtrees = subtreesOf(tasks, result);
      await audit(options, reader, subtrees, result);
      return { root: subtrees.root, leaves: plan.leaves, depth: plan.depth, subtrees };
    } finally {
      await membership.leave();
    }
  } finally {
    await reader.close();
  }
}

function checkAudit(audit: number, { shards }: ShardPlan): void {
  if (!Number.isInteger(audit) || audit < 0) {
    throw new RangeError(`audit: expected a number of shards, got ${audit}`);
  }
  if (audit > shards && shards > 0) throw new RangeError(`audit: there are ${shards} shards, got ${audit}`);
}

async function emptyRoot({ hash }: SubmitOptions, { padding, depth }: ShardPlan): Promise<ClusterRoot> {
  const hasher = await createHasher(hash, { backend: 'cpu', threads: 0 });
  try {
    const root = await merkleRoot(hasher, new Uint8Array(0), {
      padding,
      ...(padding === 'zero' && { depth }),
    });
    return { root, leaves: 0, depth };
  } finally {
    await hasher.close();
  }
}

/** The jobs of all shards. */
async function prepare(options: SubmitOptions, reader: SourceReader, plan: ShardPlan): Promise<ShardJob[]> {
  const { hash, source, check = 'sample', signal } = options;
  const { bytes, tag } = reader;
  const root = randomUUID();
  const common = { root, library: LIBRARY, hash, source, bytes, ...(tag && { tag }), plan, check };
  const tasks: ShardJob[] = new Array(plan.shards);
  let next = 0;
  const take = async (): Promise<void> => {
    for (let shard = next++; shard < plan.shards; shard = next++) {
      throwIfAborted(signal);
      const print = await fingerprint(reader, shardOf(plan, bytes, shard), check, signal);
      tasks[shard] = { ...common, shard, fingerprint: print };
    }
  };
  await Promise.all(Array.from({ length: READS }, take));
  return tasks;
}

/** Submits one flow, waits for its end, and leaves nothing of it. */
async function runFlow(
  membership: Membership,
  tasks: readonly ShardJob[],
  options: SubmitOptions,
): Promise<RootResult> {
  const { prefix, connection } = membership;
  const { FlowProducer, Queue, QueueEvents } = await optional(() => import('bullmq'));
  const opening = { connection: { ...connection, commandTimeout: PATIENCE_MS }, prefix };
  const flows = new FlowProducer(opening);
  const queue = new Queue(QUEUE, opening);
  const events = new QueueEvents(QUEUE, opening);
  // A server that is away for a moment: commands wait for it.
  const ignore = (): void => {};
  flows.on('error', ignore);
  queue.on('error', ignore);
  events.on('error', ignore);
  const { root } = tasks[0]!;
  try {
    await events.waitUntilReady();
    const ended = new Promise<void>((resolve) => {
      const listen = ({ jobId }: { readonly jobId: string }): void => {
        if (jobId === root) resolve();
      };
      events.on('completed', listen);
      events.on('failed', listen);
    });
    const { job } = await flows.add(flowOf(tasks));
    return await untilDone(job, queue, ended, options);
  } finally {
    await takeBack(membership, queue, root);
    await sweep(membership, await queue.getWorkersCount());
    await Promise.all([flows.close(), queue.close(), events.close()]);
  }
}

function flowOf(tasks: readonly ShardJob[]): FlowJob {
  const { root, library, hash, plan, bytes } = tasks[0]!;
  const data: RootJob = { root, library, hash, plan, bytes };
  const kept = { age: KEEP_SECONDS };
  const backoff = { type: 'exponential', delay: BACKOFF_MS };
  return {
    name: ROOT,
    queueName: QUEUE,
    data,
    opts: { jobId: root, attempts: ATTEMPTS, backoff, removeOnComplete: kept, removeOnFail: kept },
    children: tasks.map((task) => ({
      name: SHARD,
      queueName: QUEUE,
      data: task,
      opts: {
        jobId: `${root}-${task.shard}`,
        attempts: ATTEMPTS,
        backoff,
        removeOnComplete: true,
        removeOnFail: kept,
        failParentOnFailure: true,
      },
    })),
  };
}

async function untilDone(
  job: Job,
  queue: Queue,
  ended: Promise<void>,
  { signal, onProgress }: JobOptions,
): Promise<RootResult> {
  const total = (job.data as RootJob).plan.shards;
  for (;;) {
    throwIfAborted(signal);
    const state = await job.getState();
    if (state === 'completed' || state === 'failed') {
      const now = await queue.getJob(job.id!);
      if (!now) throw new CambiumError('BACKEND_UNAVAILABLE', 'cluster: the result is no longer in Redis');
      if (state === 'failed') throw await failure(now, queue);
      onProgress?.({ done: total, total, phase: 'leaves' });
      return now.returnvalue as RootResult;
    }
    if (state === 'unknown') throw new CambiumError('BACKEND_UNAVAILABLE', 'cluster: Redis lost the root');
    const { processed = 0 } = await job.getDependenciesCount({ processed: true });
    onProgress?.({ done: processed, total, phase: 'leaves' });
    await wait(ended, signal);
  }
}

/** Until the job has ended, a while has passed, or nobody wants it any more. */
async function wait(ended: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  await Promise.race([
    ended,
    new Promise<void>((resolve) => {
      stop = resolve;
      timer = setTimeout(resolve, POLL_MS);
      signal?.addEventListener('abort', resolve as () => void, { once: true });
    }),
  ]);
  clearTimeout(timer);
  if (stop) signal?.removeEventListener('abort', stop);
}

/** Why a root failed: what its first failed shard said. */
async function failure(job: Job, queue: Queue): Promise<Error> {
  const reason = job.failedReason ?? 'failed';
  const [child] = new RegExp(`${job.id}-\\d+`).exec(reason) ?? [];
  const shard = child ? await queue.getJob(child) : undefined;
  if (!shard) return errorOf(reason, 'cluster: the root');
  return errorOf(shard.failedReason ?? reason, `shard ${(shard.data as ShardJob).shard}`);
}

/** Removes a flow, finished or not; shards under way are told to stop first. */
async function takeBack(membership: Membership, queue: Queue, root: string): Promise<void> {
  const { redis, prefix } = membership;
  const key = cancelKey(prefix, root);
  await redis.set(key, '1', 'PX', REMOVE_MS);
  const deadline = Date.now() + REMOVE_MS;
  for (;;) {
    try {
      const job = await queue.getJob(root);
      await job?.remove({ removeChildren: true });
      break;
    } catch (error) {
      // A shard under way is locked until its worker lets go of it.
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  await redis.del(key);
}

function subtreesOf(tasks: readonly ShardJob[], { root, shards }: RootResult): SubtreeRoots {
  const { hash, source, bytes, tag, plan, check } = tasks[0]!;
  return {
    hash,
    root: fromHex(root),
    source,
    bytes,
    ...(tag !== undefined && { tag }),
    plan,
    check,
    roots: joinDigests(shards.map((shard) => shard.root)),
    fingerprints: tasks.map((task) => task.fingerprint),
  };
}

/** Hashes some shards again, here, and all levels above the shards. */
async function audit(
  { hash, audit: count = 0, signal }: SubmitOptions,
  reader: SourceReader,
  subtrees: SubtreeRoots,
  { shards }: RootResult,
): Promise<void> {
  if (count === 0) return;
  const hasher = await createHasher(hash);
  try {
    const { plan, roots, root, fingerprints } = subtrees;
    if (!equalBytes((await foldShards(hasher, plan, roots, signal)).at(-1)!, root)) {
      throw new CambiumError('CROSS_CHECK_MISMATCH', 'cluster: the roots of the shards fold to another root');
    }
    for (const shard of someOf(plan.shards, count)) {
      const task = { ...subtrees, shard, fingerprint: fingerprints[shard]! };
      const again = await hashShard(hasher, reader, task, signal ? { signal } : {});
      if (equalBytes(again.root, digestAt(roots, shard))) continue;
      const { worker } = shards[shard]!;
      throw new CambiumError(
        'CROSS_CHECK_MISMATCH',
        `shard ${shard}: worker ${worker} has root ${toHex(digestAt(roots, shard))}, here it is ${toHex(again.root)}`,
      );
    }
  } finally {
    await hasher.close();
  }
}

/** `count` different whole numbers below `limit`. */
function someOf(limit: number, count: number): Set<number> {
  const some = new Set<number>();
  while (some.size < count) some.add(randomInt(limit));
  return some;
}
