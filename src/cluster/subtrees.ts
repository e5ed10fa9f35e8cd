/**
 * `cambium-subtrees/1`: the roots of a tree's shards, from which one shard alone proves each of its leaves.
 *
 * JSON with the fields of {@link SubtreeRoots}; `source` and fingerprints are in it, so that a changed source is noticed.
 */
import { DIGEST_BYTES, type Digest, equalBytes, fromHex, toHex } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { type HashId, hashes } from '../hash/registry.js';
import type { Hasher } from '../hasher.js';
import type { Proof } from '../tree/proof.js';
import { toIndex, wholeNumber } from '../tree/shape.js';
import { zeroDigests } from '../tree/zeros.js';
import { checkTask } from './check-task.js';
import { foldShards } from './combine.js';
import type { ShardPlan } from './plan.js';
import { hashShard, type ShardTask } from './shard.js';
import { openSource, type SourceAccess } from './source.js';

/** A tree by the roots of its shards. */
export interface SubtreeRoots extends Omit<ShardTask, 'shard' | 'fingerprint'> {
  readonly hash: HashId;
  /** 32 bytes. */
  readonly root: Digest;
  /** `shards x 32` bytes. */
  readonly roots: Digest;
  /** One for each shard. */
  readonly fingerprints: readonly string[];
}

/** The name of the format. */
export const SUBTREES_FORMAT = 'cambium-subtrees/1';

/** The file of a {@link SubtreeRoots}. */
export function subtreesToJson({ root, roots, ...rest }: SubtreeRoots): string {
  const all = { format: SUBTREES_FORMAT, ...rest, root: toHex(root), roots: splitDigests(roots).map(toHex) };
  return `${JSON.stringify(all, undefined, 1)}\n`;
}

/**
 * Reads {@link subtreesToJson}.
 *
 * @throws {CambiumError} `MALFORMED` that names the field.
 */
export function subtreesFromJson(text: string): SubtreeRoots {
  const all = parse(text);
  if (all.format !== SUBTREES_FORMAT) throw malformed(`format: expected ${SUBTREES_FORMAT}`);
  if (!hashes.has(all.hash as HashId)) throw malformed(`hash: unknown id ${JSON.stringify(all.hash)}`);
  const { plan } = checkTask({ ...all, shard: 0, fingerprint: '' });
  const list = (name: string): readonly unknown[] => {
    const value = all[name];
    if (!Array.isArray(value) || value.length !== plan.shards) {
      throw malformed(`${name}: expected one for each of ${plan.shards} shards`);
    }
    return value;
  };
  const roots = list('roots').map((root, i) => digest(root, `roots[${i}]`));
  const fingerprints = list('fingerprints').map((value, i) => {
    if (typeof value !== 'string') throw malformed(`fingerprints[${i}]: expected a string`);
    return value;
  });
  const { source, bytes, tag, check, hash } = all as unknown as SubtreeRoots;
  return {
    hash,
    root: digest(all.root, 'root'),
    source,
    bytes,
    ...(tag !== undefined && { tag }),
    plan,
    check,
    roots: fromHex(roots.map((root) => toHex(root).slice(2)).join('')),
    fingerprints,
  };
}

/**
 * Proves a leaf by hashing its shard alone. The proof verifies as one of a whole tree does, against depth, size and
 * padding of `subtrees.plan`.
 *
 * @throws {TypeError} @throws {RangeError} for an index that is not below the number of leaves, for a source that
 *   `access` does not allow.
 * @throws {CambiumError} `SOURCE_CHANGED` where the shard no longer has the root that it had.
 */
export async function proveFromShard(
  hasher: Hasher,
  subtrees: SubtreeRoots,
  index: number | bigint,
  access: SourceAccess,
  signal?: AbortSignal,
): Promise<Proof> {
  const { plan, fingerprints, roots } = subtrees;
  if (hasher.spec.id !== subtrees.hash) {
    throw new TypeError(`hasher: the tree is of ${subtrees.hash}, got ${hasher.spec.id}`);
  }
  const at = Number(wholeNumber(index, 'index', 0n, BigInt(plan.leaves - 1)));
  const number = Math.floor(at / plan.shardLeaves);
  const upper = await foldShards(hasher, plan, roots, signal);
  if (!equalBytes(upper.at(-1)!, subtrees.root)) throw malformed('root: the roots do not fold to it');
  const reader = await openSource(subtrees.source, access);
  try {
    const task = { ...subtrees, shard: number, fingerprint: fingerprints[number]! };
    const { root, layers } = await hashShard(hasher, reader, task, {
      keepFrom: 0,
      ...(signal && { signal }),
    });
    if (!equalBytes(root, digestOf(roots, number))) {
      throw new CambiumError('SOURCE_CHANGED', `shard ${number} no longer has the root that it had`);
    }
    return await assemble(hasher, plan, at, layers, upper);
  } finally {
    await reader.close();
  }
}

/** The siblings of a leaf: below from its shard, above from the roots of all. */
async function assemble(
  hasher: Hasher,
  plan: ShardPlan,
  index: number,
  lower: readonly Digest[],
  upper: readonly Digest[],
): Promise<Proof> {
  const zeros = plan.padding === 'zero' ? await zeroDigests(hasher.spec, plan.depth) : [];
  const first = Math.floor(index / plan.shardLeaves) * plan.shardLeaves;
  const node = (level: number, at: number): Digest =>
    level < plan.height
      ? digestOf(lower[level]!, at - first / 2 ** level)
      : digestOf(upper[level - plan.height]!, at);
  const siblings: Digest[] = [];
  let at = index;
  for (let level = 0; level < plan.depth; level++) {
    const beside = at % 2 ? at - 1 : at + 1;
    if (beside < Math.ceil(plan.leaves / 2 ** level)) siblings.push(node(level, beside));
    else if (plan.padding === 'zero') siblings.push(zeros[level]!.slice());
    else if (plan.padding === 'duplicate') siblings.push(node(level, at));
    at = Math.floor(at / 2);
  }
  return { index: toIndex(BigInt(index)), leaf: node(0, index), siblings };
}

const digestOf = (nodes: Digest, index: number): Digest =>
  nodes.slice(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);

const splitDigests = (nodes: Digest): Digest[] =>
  Array.from({ length: nodes.length / DIGEST_BYTES }, (_, i) => digestOf(nodes, i));

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    throw new CambiumError('MALFORMED', 'no JSON', { cause: error });
  }
  throw malformed('expected an object');
}

function digest(value: unknown, name: string): Digest {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{64}$/.test(value)) {
    throw malformed(`${name}: expected 64 hexadecimal digits behind 0x`);
  }
  return fromHex(value);
}

function malformed(what: string): CambiumError {
  return new CambiumError('MALFORMED', what);
}
