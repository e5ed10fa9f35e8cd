/** One shard hashed to the root of its subtree. */
import type { Digest } from '../bytes.js';
import { CambiumError } from '../errors.js';
import type { Hasher } from '../hasher.js';
import { hashBlocks } from '../leaf-batches.js';
import { checkedBytes, type SourceCheck } from './fingerprint.js';
import { type ShardPlan, shardOf } from './plan.js';
import { describeSource, type SourceReader, type SourceReference } from './source.js';

/** A shard of a source, with what its submitter knows of it. */
export interface ShardTask {
  readonly source: SourceReference;
  /** Length of the whole source. */
  readonly bytes: number;
  readonly tag?: string | undefined;
  readonly plan: ShardPlan;
  /** Number of the shard. */
  readonly shard: number;
  readonly check: SourceCheck;
  /** Digest of the bytes that `check` names, hexadecimal. */
  readonly fingerprint: string;
}

/**
 * The layers of a shard from its leaves (`keepFrom` 0) or its root alone.
 *
 * @throws {CambiumError} `SOURCE_CHANGED` where the source is not the one that the submitter saw; `NOT_CANONICAL`;
 *   `ABORTED`; what went wrong with the device.
 */
export async function hashShard(
  hasher: Hasher,
  reader: SourceReader,
  task: ShardTask,
  options: { readonly keepFrom?: number; readonly signal?: AbortSignal } = {},
): Promise<{ root: Digest; layers: readonly Digest[] }> {
  const { plan, bytes, tag } = task;
  const shard = shardOf(plan, bytes, task.shard);
  const name = describeSource(task.source);
  if (reader.bytes !== bytes) throw changed(name, `it had ${bytes} bytes and has ${reader.bytes}`);
  if (reader.tag !== tag) throw changed(name, 'its entity tag is another');
  const { keepFrom, signal } = options;
  const pieces = checkedBytes(
    reader.read(shard.from, shard.to, signal),
    shard,
    task.check,
    task.fingerprint,
    name,
  );
  const leaves =
    plan.leafBytes === 'raw32' ? pieces : hashBlocks(pieces, plan.leafBytes.blocks, hasher, signal);
  const tree = await hasher.hashTree(leaves, {
    levels: plan.height,
    fill: plan.padding,
    ...(keepFrom !== undefined && { keepFrom }),
    ...(signal && { signal }),
  });
  // The samples do not see every byte, but who writes to a file moves its time.
  if (!(await reader.unchanged())) throw changed(name, 'it changed while it was read');
  return tree;
}

function changed(name: string, why: string): CambiumError {
  return new CambiumError('SOURCE_CHANGED', `${name}: ${why}`);
}
