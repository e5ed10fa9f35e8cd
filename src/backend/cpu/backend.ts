import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError, throwIfAborted } from '../../errors.js';
import { assertCanonical } from '../../hash/canonical.js';
import type { HashInput } from '../../hash/types.js';
import { assertCanonicalRows, copiedRows, isCopied, paddedElements, rowWeight } from '../rows.js';
import type {
  Backend,
  ChunkJob,
  ChunkResult,
  ChunkSource,
  Matrix,
  PairsJob,
  Sample,
  SyncEngine,
} from '../types.js';
import { MOST_LEAVES, MOST_PAIRS, messageBlocks, pairBlocks, rowBlocks, treeBlocks } from './blocks.js';
import { type Fold, foldOne } from './fold.js';
import { grain, paysToSplit } from './grain.js';
import type { Pool } from './pool.js';
import { type Block, runBlocks } from './run-blocks.js';

/** Work below this is folded in one go, in nanoseconds. */
const ONE_GO = 100_000;

/** What a backend is made of. */
export interface CpuParts {
  readonly engine: SyncEngine;
  /** Time of one pair hash when it was opened, in nanoseconds. */
  readonly nanos: number;
  /** Compressions of a message, relative to which a pair costs `messageBlocks(64)`. */
  readonly messageBlocks?: ((length: number) => number) | undefined;
  readonly input: HashInput;
  /** Absent without workers, or for an engine that cannot be sent to them. */
  readonly workers?:
    | {
        readonly pool: Pool;
        /** Key of the engine for rows of so many elements; pairs and messages go with rows of two. */
        keyFor(rowElements: number): number;
        release(): void;
      }
    | undefined;
}

/** One hash on the caller's thread and a pool of workers. */
export class CpuBackend implements Backend {
  readonly kind = 'cpu';
  readonly chunkLeaves: number = 1 << 16;
  readonly chunksInFlight: number = 2;
  readonly counters: Backend['counters'] = { hashes: 0, dispatches: 0, bytesUp: 0, bytesDown: 0 };
  readonly #parts: CpuParts;
  readonly #underWay = new Set<Promise<unknown>>();
  #nanos: number;
  #closing: Promise<void> | undefined;

  constructor(parts: CpuParts) {
    this.#parts = parts;
    this.#nanos = parts.nanos;
  }

  async pairs(job: PairsJob): Promise<readonly Sample[]> {
    await this.#tracked(() => this.#pairs(job));
    return [];
  }

  async chunk(job: ChunkJob): Promise<ChunkResult> {
    return await this.#tracked(() => this.#chunk(job));
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(() => this.#parts.workers?.release());
    return this.#closing;
  }

  async #tracked<T>(job: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new CambiumError('CLOSED', 'the CPU backend is closed');
    const running = job();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  async #pairs({ nodes, out, signal }: PairsJob): Promise<void> {
    throwIfAborted(signal);
    assertCanonical(nodes, this.#parts.input);
    const count = out.length / DIGEST_BYTES;
    const perBlock = this.#grain(count, MOST_PAIRS);
    await this.#run(count, signal, (engine) => pairBlocks(engine, nodes, out, perBlock, this.#threads));
  }

  async #chunk(job: ChunkJob): Promise<ChunkResult> {
    const { levels, signal } = job;
    throwIfAborted(signal);
    const keepFrom = job.keepFrom ?? levels;
    const leaves = await this.#leaves(job);
    // Level 0 is handed out, so it must not be the caller's own memory.
    const kept: Digest[] = keepFrom === 0 ? [ownCopy(leaves, job.source)] : [];
    let nodes = leaves;
    for (let level = 0; level < levels; ) {
      const stage = await this.#stage(job, nodes, level);
      for (const [i, layer] of stage.entries()) if (level + 1 + i >= keepFrom) kept.push(layer!);
      nodes = stage.at(-1)!;
      level += stage.length;
    }
    return { layers: kept, samples: [] };
  }

  /** The leaf digests of a chunk. */
  async #leaves({ source, leafCount, firstLeaf = 0, signal }: ChunkJob): Promise<Uint8Array> {
    if (source.kind === 'digests') {
      const { input } = this.#parts;
      assertCanonical(
        source.digests,
        input,
        input === 'bytes' ? 0 : (firstLeaf * DIGEST_BYTES) / input.elementBytes,
      );
      return source.digests;
    }
    if (source.kind === 'matrix') return await this.#rows(source.matrix, firstLeaf, signal);
    const { engine, messageBlocks: blocks } = this.#parts;
    if (source.kind !== 'messages' || !engine.hashMessages || !blocks) {
      throw new TypeError(`source: the CPU backend does not take ${source.kind} for this hash`);
    }
    const out = new Uint8Array(leafCount * DIGEST_BYTES);
    const pair = blocks(2 * DIGEST_BYTES);
    const weigh = (length: number): number => blocks(length) / pair;
    const total = source.lengths.reduce((sum, length) => sum + weigh(length), 0);
    const perBlock = this.#grain(total, Number.POSITIVE_INFINITY);
    await this.#run(total, signal, (key) => messageBlocks(key, source, out, weigh, perBlock), leafCount);
    return out;
  }

  /** The digests of rows. */
  async #rows(matrix: Matrix, firstRow: number, signal: AbortSignal | undefined): Promise<Digest> {
    const { engine } = this.#parts;
    if (!engine.hashRows) throw new TypeError('leaves: this hash takes no rows');
    assertCanonicalRows(matrix, firstRow);
    if (isCopied(matrix)) return copiedRows(matrix);
    const out = new Uint8Array(matrix.rows * DIGEST_BYTES);
    const weight = rowWeight(matrix);
    const total = matrix.rows * weight;
    const perBlock = Math.max(1, Math.floor(this.#grain(total, MOST_PAIRS) / weight));
    const blocks = (key: number) => rowBlocks(key, matrix, out, weight, perBlock);
    await this.#run(total, signal, blocks, matrix.rows, paddedElements(matrix));
    return out;
  }

  /** The next levels above level `level`: whole subtrees by all threads, or one level in one go. */
  async #stage(job: ChunkJob, nodes: Uint8Array, level: number): Promise<(Digest | undefined)[]> {
    const { levels, signal, padding, zeros } = job;
    const fold: Fold = { engine: this.#parts.engine, padding, zeros };
    const count = nodes.length / DIGEST_BYTES;
    const leaves = powerOfTwo(2 * this.#grain(count / 2, MOST_LEAVES / 2));
    const height = Math.min(levels - level, Math.log2(leaves));
    if (count < 2 * leaves || count * this.#nanos < ONE_GO) {
      const { parents, hashes } = foldOne(fold, nodes, level);
      this.counters.hashes += hashes;
      return [parents];
    }

    const keepFrom = job.keepFrom ?? levels;
    const wanted = (up: number): boolean => up === height || level + up >= keepFrom;
    const layers = Array.from({ length: height + 1 }, (_, up) =>
      up > 0 && wanted(up) ? new Uint8Array(Math.ceil(count / 2 ** up) * DIGEST_BYTES) : undefined,
    );
    const whole = count - (count % leaves);
    const body = nodes.subarray(0, whole * DIGEST_BYTES);
    const hashes = whole - (whole >> height);
    await this.#run(hashes, signal, (key) => treeBlocks(key, body, height, leaves, layers));
    let tail: Uint8Array = nodes.subarray(whole * DIGEST_BYTES);
    for (let up = 1; up <= height && tail.length > 0; up++) {
      const folded = foldOne(fold, tail, level + up - 1);
      this.counters.hashes += folded.hashes;
      tail = folded.parents;
      layers[up]?.set(tail, (whole >> up) * DIGEST_BYTES);
    }
    return layers.slice(1);
  }

  /** Runs blocks of `hashes` pair hashes in all, `counted` digests. */
  async #run(
    hashes: number,
    signal: AbortSignal | undefined,
    blocks: (engine: number) => Iterator<Block>,
    counted: number = hashes,
    rowElements: number = 2,
  ): Promise<void> {
    const { engine, workers } = this.#parts;
    const split = workers && paysToSplit(hashes * this.#nanos, workers.pool.sharedMemory);
    if (split) workers.pool.start();
    const crew = {
      engine,
      pool: split ? workers.pool : undefined,
      // The fastest block tells the speed of warm code on an idle core.
      measured: (count: number, nanoseconds: number): void => {
        if (nanoseconds > 0) this.#nanos = Math.min(this.#nanos, nanoseconds / count);
      },
    };
    await runBlocks(blocks(workers?.keyFor(rowElements) ?? 0), crew, signal);
    this.counters.hashes += counted;
  }

  get #threads(): number {
    return 1 + (this.#parts.workers?.pool.threads ?? 0);
  }

  #grain(count: number, most: number): number {
    return grain(count, this.#nanos, this.#threads, most);
  }
}

const powerOfTwo = (count: number): number => 2 ** Math.floor(Math.log2(Math.min(count, MOST_LEAVES)));

function ownCopy(leaves: Uint8Array, source: ChunkSource): Digest {
  return source.kind === 'digests' ? new Uint8Array(leaves) : (leaves as Digest);
}
