/**
 * One tree as a sequence of chunks: leaves in, root and kept layers out. Knows no backend: `fold` folds one chunk.
 */
import type { ChunkJob, ChunkResult, JobOptions, Padding, Progress } from './backend/types.js';
import { DIGEST_BYTES, type Digest } from './bytes.js';
import { throwIfAborted } from './errors.js';
import { type ChunkedLeaves, digestLeaves, type LeafChunk } from './leaf-source.js';

/** Folds one chunk: `job` is complete but for what the caller of the tree does not decide. */
export type FoldChunk = (job: Omit<ChunkJob, 'samples'>) => Promise<ChunkResult>;

export interface TreeJob extends JobOptions {
  readonly leaves: ChunkedLeaves;
  /** Levels above the leaves; absent: as many as the leaves need. */
  readonly levels?: number | undefined;
  readonly padding: Padding;
  readonly keepFrom?: number | undefined;
  /** Zero digests of every level up to the one named. */
  readonly zeros: (level: number) => readonly Digest[];
  readonly chunkLeaves: number;
  readonly chunksInFlight: number;
}

export interface TreeResult {
  readonly root: Digest;
  /** `layers[0]` is level `keepFrom`, or the root of a lower tree; none without `keepFrom`. */
  readonly layers: readonly Digest[];
  readonly leafCount: number;
  readonly levels: number;
}

/** Levels that `count` leaves need: the exact ceiling of log2, for any integer. */
export function levelsFor(count: number): number {
  let levels = 0;
  for (let width = 1; width < count; width *= 2) levels++;
  return levels;
}

/**
 * Folds a whole tree, chunk by chunk, with a few chunks in flight.
 *
 * Chunks are aligned runs of `chunkLeaves` leaves. The last one may be shorter: under every padding it still folds to
 * one node of the same level, because its width at each level is odd exactly when the whole level's width is.
 */
export async function foldTree(job: TreeJob, fold: FoldChunk): Promise<TreeResult> {
  const { leaves, padding, keepFrom, signal } = job;
  if (leaves.count !== undefined) checkCount(leaves.count, job.levels, padding);
  const size = leaves.chunkLeaves(job.chunkLeaves);
  const source = peekable(leaves.chunks(size));

  const first = await source.next();
  if (!first) return emptyTree(job);
  const second = await source.next();
  if (!second) {
    // The only chunk: all levels in one job, virtual ones included.
    checkCount(first.leafCount, job.levels, padding);
    const levels = job.levels ?? levelsFor(first.leafCount);
    const lowest = keepFrom === undefined ? undefined : Math.min(keepFrom, levels);
    const { layers } = await fold({
      ...first,
      levels,
      padding,
      zeros: job.zeros(levels),
      keepFrom: lowest,
      signal,
    });
    report(job, first.leafCount, 'levels');
    return finish(layers, keepFrom, first.leafCount, levels);
  }

  if (padding === 'none' && second.leafCount < size) checkCount(size + second.leafCount, job.levels, padding);
  const below = levelsFor(size);
  const zeros = job.zeros(below);
  const kept = new LayerCollector(keepFrom, below, leaves.count);
  const { count, tops } = await foldChunks(job, kept, [first, second], source, (chunk) =>
    fold({ ...chunk, levels: below, padding, zeros, keepFrom: kept.keepFrom, signal }),
  );

  checkCount(count, job.levels, padding);
  const levels = job.levels ?? levelsFor(count);
  throwIfAborted(signal);
  const upper = await foldTree(
    {
      ...job,
      leaves: digestLeaves(tops),
      levels: levels - below,
      zeros: (level) => job.zeros(level + below).slice(below),
      keepFrom: keepFrom === undefined ? undefined : Math.max(0, keepFrom - below),
      onProgress: undefined,
    },
    fold,
  );
  report(job, count, 'levels');
  return { root: upper.root, layers: [...kept.layers(), ...upper.layers], leafCount: count, levels };
}

/** The leaf stage alone: one digest for each message or row. */
export async function hashLeaves(
  job: Pick<TreeJob, 'leaves' | 'chunkLeaves' | 'chunksInFlight' | keyof JobOptions>,
  fold: FoldChunk,
): Promise<Digest> {
  const source = peekable(job.leaves.chunks(job.leaves.chunkLeaves(job.chunkLeaves)));
  const { tops } = await foldChunks(job, new LayerCollector(undefined, 0, undefined), [], source, (chunk) =>
    fold({ ...chunk, levels: 0, padding: 'none', zeros: [], signal: job.signal }),
  );
  return tops;
}

/** Runs the chunks with `chunksInFlight` of them under way, and collects their results in order. */
async function foldChunks(
  job: Pick<TreeJob, 'leaves' | 'chunksInFlight' | keyof JobOptions>,
  kept: LayerCollector,
  peeked: readonly LeafChunk[],
  source: { next(): Promise<LeafChunk | undefined>; stop(): Promise<void> },
  fold: (chunk: LeafChunk) => Promise<ChunkResult>,
): Promise<{ count: number; tops: Digest }> {
  const waiting = [...peeked];
  const flying: { result: Promise<ChunkResult>; chunk: LeafChunk }[] = [];
  const tops = new Layer();
  let count = 0;
  let firstLeaf = 0;
  const land = async (): Promise<void> => {
    const { result, chunk } = flying.shift()!;
    const { layers } = await result;
    chunk.release?.();
    kept.add(layers);
    tops.add(layers.at(-1)!);
    count += chunk.leafCount;
    report(job, count, 'leaves');
  };
  try {
    for (;;) {
      throwIfAborted(job.signal);
      const chunk = waiting.shift() ?? (await source.next());
      if (!chunk) break;
      if (flying.length >= job.chunksInFlight) await land();
      const result = fold({ ...chunk, firstLeaf });
      firstLeaf += chunk.leafCount;
      // A chunk that fails while an earlier one is awaited must not count as unhandled.
      result.catch(() => {});
      flying.push({ result, chunk });
    }
    while (flying.length) await land();
  } catch (error) {
    await Promise.allSettled([...flying.map(({ result }) => result), source.stop()]);
    throw error;
  }
  return { count, tops: tops.whole() };
}

/** A layer that arrives in parts. */
class Layer {
  #bytes: Digest;
  #filled = 0;

  /** @param count its nodes, where they are known: more room is made where they are not. */
  constructor(count = 0) {
    this.#bytes = new Uint8Array(count * DIGEST_BYTES);
  }

  add(part: Digest): void {
    const filled = this.#filled + part.length;
    if (filled > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(filled, 2 * this.#bytes.length));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#filled);
    this.#filled = filled;
  }

  whole(): Digest {
    return this.#filled === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.#filled);
  }
}

/** Puts the kept layers of chunk after chunk behind each other. */
class LayerCollector {
  /** The lowest level that chunks hand back, when it lies below their top. */
  readonly keepFrom: number | undefined;
  readonly #layers: readonly Layer[] = [];

  constructor(keepFrom: number | undefined, chunkLevels: number, count: number | undefined) {
    if (keepFrom === undefined || keepFrom >= chunkLevels) return;
    this.keepFrom = keepFrom;
    this.#layers = Array.from(
      { length: chunkLevels - keepFrom },
      (_, i) => new Layer(count === undefined ? 0 : Math.ceil(count / 2 ** (keepFrom + i))),
    );
  }

  /** Takes a chunk's layers; its top belongs to the upper tree. */
  add(layers: readonly Digest[]): void {
    this.#layers.forEach((layer, i) => {
      layer.add(layers[i]!);
    });
  }

  layers(): Digest[] {
    return this.#layers.map((layer) => layer.whole());
  }
}

function finish(
  layers: readonly Digest[],
  keepFrom: number | undefined,
  leafCount: number,
  levels: number,
): TreeResult {
  return { root: layers.at(-1)!, layers: keepFrom === undefined ? [] : layers, leafCount, levels };
}

/** No leaves: every kept layer is empty but the root's. */
function emptyTree(job: TreeJob): TreeResult {
  checkCount(0, job.levels, job.padding);
  const levels = job.levels ?? 0;
  const root = job
    .zeros(job.padding === 'zero' ? levels : 0)
    .at(-1)!
    .slice();
  const layers =
    job.keepFrom === undefined
      ? []
      : Array.from({ length: levels + 1 - Math.min(job.keepFrom, levels) }, () => new Uint8Array(0));
  if (layers.length) layers[layers.length - 1] = root;
  return { root, layers, leafCount: 0, levels };
}

function checkCount(count: number, levels: number | undefined, padding: Padding): void {
  if (levels !== undefined && count > 2 ** levels) {
    throw new RangeError(`leaves: ${count} of them do not fit below ${levels} levels`);
  }
  if (padding === 'none' && (count === 0 || count !== 2 ** (levels ?? levelsFor(count)))) {
    const wanted = levels === undefined ? 'a power of two' : String(2 ** levels);
    throw new RangeError(`leaves: padding 'none' wants ${wanted} of them, got ${count}`);
  }
  if (padding === 'duplicate' && count === 0) {
    throw new RangeError("leaves: padding 'duplicate' wants at least one leaf");
  }
}

function report(job: Pick<TreeJob, 'leaves' | 'onProgress'>, done: number, phase: Progress['phase']): void {
  job.onProgress?.(
    job.leaves.count === undefined ? { done, phase } : { done, total: job.leaves.count, phase },
  );
}

/** One iterator over chunks of either kind. */
function peekable(chunks: AsyncIterable<LeafChunk> | Iterable<LeafChunk>): {
  next(): Promise<LeafChunk | undefined>;
  stop(): Promise<void>;
} {
  const iterator =
    Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  return {
    async next() {
      const { done, value } = await iterator.next();
      return done ? undefined : value;
    },
    async stop() {
      await iterator.return?.();
    },
  };
}
