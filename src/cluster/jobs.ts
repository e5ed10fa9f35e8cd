/** What travels through Redis: jobs, their results, and errors as text. */
import { type Digest, fromHex } from '../bytes.js';
import { CambiumError, type ErrorCode } from '../errors.js';
import type { HashId } from '../hash/registry.js';
import type { ShardPlan } from './plan.js';
import type { ShardTask } from './shard.js';

/** A child of a flow: hash one shard. */
export interface ShardJob extends ShardTask {
  /** The root that the shard belongs to. */
  readonly root: string;
  readonly library: string;
  readonly hash: HashId;
}

/** Its result. */
export interface ShardResult {
  readonly shard: number;
  /** Hexadecimal. */
  readonly root: string;
  /** Name of the worker. */
  readonly worker: string;
}

/** The parent of a flow: fold the shards' roots. */
export interface RootJob {
  readonly root: string;
  readonly library: string;
  readonly hash: HashId;
  readonly plan: ShardPlan;
  /** Length of the source. */
  readonly bytes: number;
}

/** Its result: the shards' roots in order. */
export interface RootResult {
  /** Hexadecimal. */
  readonly root: string;
  readonly shards: readonly Omit<ShardResult, 'shard'>[];
}

/** Names of the two kinds of job. */
export const SHARD = 'shard';
export const ROOT = 'root';

/** Digests from their hexadecimal forms, one behind the other. */
export function joinDigests(texts: readonly string[]): Digest {
  return fromHex(texts.map((text) => text.slice(2)).join(''));
}

/** Codes that another attempt would meet again. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'SOURCE_CHANGED',
  'VERSION_MISMATCH',
  'NOT_CANONICAL',
  'MALFORMED',
  'CROSS_CHECK_MISMATCH',
  'ABORTED',
]);

/** Whether there is no point in trying again. */
export function isFinal(error: unknown): boolean {
  if (error instanceof CambiumError) return FINAL.has(error.code);
  return error instanceof RangeError || error instanceof TypeError;
}

/** An error as the reason of a failed job. */
export function reasonOf(error: unknown): string {
  const { message } = error as Error;
  return error instanceof CambiumError ? `${error.code}: ${message}` : message;
}

/** The error that a failed job's reason tells of. */
export function errorOf(reason: string, what: string): Error {
  const [, code, message] = /^([A-Z_]+): (.*)$/s.exec(reason) ?? [];
  return code
    ? new CambiumError(code as ErrorCode, `${what}: ${message}`)
    : new CambiumError('BACKEND_UNAVAILABLE', `${what}: ${reason}`);
}
