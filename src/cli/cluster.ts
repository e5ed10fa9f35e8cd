/** `cambium root --cluster` and `cambium prove --subtrees`: trees that no machine holds as a whole. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SingleBar } from 'cli-progress';
import { toHex } from '../bytes.js';
import {
  type ClusterRoot,
  type LeafBytes,
  proveFromShard,
  type SourceReference,
  type SubtreeRoots,
  submitRoot,
  subtreesFromJson,
  subtreesToJson,
} from '../cluster/index.js';
import { proofToJson } from '../tree/proof-json.js';
import { InputError } from './exit.js';
import type { HasherFlags, TreeFlags } from './options.js';
import { formatSeconds, printJson, printPairs } from './output.js';
import { withHasher } from './session.js';

/** Shorter work needs no bar. */
const DELAY_MS = 500;

/** What `root` takes beside a tree's options. */
export interface ClusterFlags extends TreeFlags {
  readonly cluster: string;
  readonly prefix?: string;
  readonly shardLeaves?: number;
  readonly audit?: number;
  readonly subtrees?: string;
}

/** Hands the root of a file or URL to the workers of a cluster, and prints it. */
export async function clusterRoot(file: string, flags: ClusterFlags, signal: AbortSignal): Promise<void> {
  const { cluster: redis, hash, padding, depth, prefix, shardLeaves, audit, json } = flags;
  const leafBytes = leafBytesOf(flags);
  const source = await sourceOf(file);
  const start = performance.now();
  const submit = (onProgress?: (progress: { done: number; total?: number }) => void) =>
    submitRoot({
      redis,
      hash,
      source,
      leafBytes,
      padding,
      signal,
      ...(prefix !== undefined && { prefix }),
      ...(depth !== undefined && { depth }),
      ...(shardLeaves !== undefined && { shardLeaves }),
      ...(audit !== undefined && { audit }),
      ...(onProgress && { onProgress }),
    });
  const made = await asInput(() => (json ? submit() : withShardBar(submit)));
  const seconds = (performance.now() - start) / 1000;
  if (flags.subtrees !== undefined && made.subtrees) {
    await asInput(() => writeFile(flags.subtrees!, subtreesToJson(made.subtrees!)));
  }
  print(made, flags, seconds);
}

function print({ root, leaves, depth, subtrees }: ClusterRoot, flags: ClusterFlags, seconds: number): void {
  const { padding, hash } = flags;
  if (flags.json) {
    printJson({ root: toHex(root), leaves, depth, padding, hash, backend: 'cluster', seconds });
    return;
  }
  const shards = subtrees?.plan.shards ?? 0;
  printPairs([
    ['root', toHex(root)],
    ['leaves', leaves],
    ['depth', `${depth}, padding ${padding}, ${hash}`],
    ['backend', `cluster: ${shards} shard${shards === 1 ? '' : 's'}`],
    ['time', formatSeconds(seconds)],
  ]);
}

function leafBytesOf({ leaves }: TreeFlags): LeafBytes {
  if (leaves.kind === 'raw32') return 'raw32';
  if (leaves.kind === 'blocks') return { blocks: leaves.bytes };
  throw new InputError(
    `--leaves ${leaves.kind}: a cluster cuts files by bytes, it takes raw32 and blocks:BYTES`,
  );
}

async function sourceOf(file: string): Promise<SourceReference> {
  if (/^https?:\/\//.test(file)) return { kind: 'http', url: file };
  if (file === '-')
    throw new InputError('a cluster does not read standard input: its workers read files and URLs');
  const path = resolve(file);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new InputError(`${file}: no such file`);
  if (found.isDirectory()) throw new InputError(`${file}: it is a directory`);
  return { kind: 'file', path };
}

/** Shards done and in all; the first line also says that workers are waited for. */
async function withShardBar<T>(
  work: (onProgress: (progress: { done: number; total?: number }) => void) => Promise<T>,
): Promise<T> {
  const bar = new SingleBar({
    format: '[{bar}] {value} of {total} shards{note}',
    noTTYOutput: true,
    hideCursor: true,
    clearOnComplete: true,
    stream: process.stderr,
  });
  const begin = performance.now();
  let started = false;
  try {
    return await work(({ done, total = 0 }) => {
      if (performance.now() - begin < DELAY_MS) return;
      const note = done === 0 ? ', waiting for workers' : '';
      if (started) bar.update(done, { note });
      else bar.start(total, done, { note });
      started = true;
    });
  } finally {
    if (started) bar.stop();
  }
}

export interface ShardProofFlags extends HasherFlags {
  readonly index: bigint;
  readonly subtrees: string;
}

/** The proof of a leaf, from its shard and the roots of the others; `source` may lie elsewhere now. */
export async function shardProof(file: string, flags: ShardProofFlags, signal: AbortSignal): Promise<string> {
  const subtrees = await readSubtrees(flags.subtrees);
  const source = await sourceOf(file);
  const moved: SubtreeRoots = { ...subtrees, source };
  const { plan, hash, root } = subtrees;
  if (flags.index >= plan.leaves) {
    throw new InputError(`--index ${flags.index}: ${file} has leaves 0 to ${plan.leaves - 1}`);
  }
  const access =
    source.kind === 'file' ? { files: [source.path] } : { http: [(source as { url: string }).url] };
  return await withHasher({ ...flags, hash }, async (hasher) => {
    const proof = await asInput(() => proveFromShard(hasher, moved, flags.index, access, signal));
    const { depth, leaves: size, padding } = plan;
    return proofToJson({ hash, root, depth, size, padding, ...proof });
  });
}

async function readSubtrees(path: string): Promise<SubtreeRoots> {
  const text = await asInput(() => readFile(path, 'utf8'));
  return subtreesFromJson(text);
}

/** What the user's own arguments and files lead to, as the user's error. */
async function asInput<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const ours = error instanceof RangeError || code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR';
    throw ours ? new InputError(message, { cause: error }) : error;
  }
}
