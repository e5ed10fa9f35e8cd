/** Jobs come from Redis, subtree files from anywhere: what they say is checked before it is used. */
import { CambiumError } from '../errors.js';
import { type LeafBytes, planShards, type ShardPlan } from './plan.js';
import type { ShardTask } from './shard.js';
import type { SourceReference } from './source.js';

const SOURCE_FIELDS = {
  file: { path: 'string' },
  http: { url: 'string' },
  object: { bucket: 'string', key: 'string' },
  generator: { name: 'string', bytes: 'number' },
} as const;

/**
 * A task as it was sent, its plan worked out again.
 *
 * @throws {CambiumError} `MALFORMED` that names the field.
 */
export function checkTask(task: unknown): ShardTask {
  const { source, bytes, tag, plan, shard, check, fingerprint } = object(task, 'task');
  if (!Number.isSafeInteger(bytes) || (bytes as number) < 1) throw malformed('bytes');
  if (tag !== undefined && typeof tag !== 'string') throw malformed('tag');
  if (check !== 'sample' && check !== 'full') throw malformed('check');
  if (typeof fingerprint !== 'string') throw malformed('fingerprint');
  const checked = checkPlan(plan, bytes as number);
  if (!Number.isInteger(shard) || (shard as number) < 0 || (shard as number) >= checked.shards) {
    throw malformed('shard');
  }
  return {
    source: checkSource(source),
    bytes: bytes as number,
    ...(tag !== undefined && { tag }),
    plan: checked,
    shard: shard as number,
    check,
    fingerprint,
  };
}

function checkSource(value: unknown): SourceReference {
  const source = object(value, 'source');
  const fields = SOURCE_FIELDS[source.kind as keyof typeof SOURCE_FIELDS];
  if (!fields) throw malformed('source.kind');
  for (const [name, type] of Object.entries(fields)) {
    if (typeof source[name] !== type) throw malformed(`source.${name}`);
  }
  return source as unknown as SourceReference;
}

/**
 * A plan follows from the number of bytes and four choices; one that says otherwise is not ours.
 *
 * @throws {CambiumError} `MALFORMED` that names the field.
 */
export function checkPlan(value: unknown, bytes: number): ShardPlan {
  const sent = object(value, 'plan');
  const { leafBytes, padding, depth, shardLeaves } = sent as unknown as ShardPlan;
  if (leafBytes !== 'raw32') object(leafBytes, 'plan.leafBytes');
  let plan: ShardPlan;
  try {
    plan = planShards(bytes, {
      leafBytes: leafBytes as LeafBytes,
      padding,
      shardLeaves,
      ...(padding === 'zero' && { depth }),
    });
  } catch (error) {
    throw new CambiumError('MALFORMED', `plan: ${(error as Error).message}`, { cause: error });
  }
  for (const name of ['leaves', 'depth', 'height', 'shards'] as const) {
    if (sent[name] !== plan[name]) throw malformed(`plan.${name}`);
  }
  return plan;
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw malformed(name);
  return value as Record<string, unknown>;
}

function malformed(name: string): CambiumError {
  return new CambiumError('MALFORMED', `${name}: not what a submitter of this library writes`);
}
