/** One chunk of leaves: leaf stage, levels, samples and readback, in one submit where the time budget allows. */
import { DIGEST_BYTES } from '../../bytes.js';
import type { Backend, ChunkJob, ChunkResult, Matrix, Sample } from '../types.js';
import { type TakeBuffer, Usage } from './buffer-pool.js';
import { behind, CHECK_BYTES, checkRange } from './check.js';
import type { Kernel } from './kernel.js';
import { checkMatrix, matrixParts, recordMatrix, takeRow } from './matrix.js';
import { messageShape, recordMessages } from './messages.js';
import { type LevelPlan, type Place, planTree, type TreePlan } from './plan.js';
import { type Arrived, Readback } from './readback.js';
import { type Range, Recorder } from './recorder.js';
import { jobOptions, messagesKernel, rowsKernel, type Session, topKernel } from './session.js';
import { recordTop } from './top.js';
import type { GpuBufferLike } from './types.js';

interface Stores {
  readonly even: GpuBufferLike;
  readonly odd: GpuBufferLike;
  readonly top: GpuBufferLike;
  /** Zero digests, one a level. */
  readonly zeros: GpuBufferLike;
  /** One node, on its way from a buffer to the same buffer, which WebGPU does not copy directly. */
  readonly spare: GpuBufferLike;
}

/** A sample whose bytes are on their way. */
type PendingSample = () => Sample;

/** Bytes that the leaf stage asks of the readback: checks, and rows that are sampled. */
function leafReadback({ live, hashesPerSubmit }: Session, { source, samples }: ChunkJob): number {
  if (source.kind !== 'matrix') return CHECK_BYTES;
  const { rowElements, field } = source.matrix;
  const parts = matrixParts(source.matrix, live.limits, hashesPerSubmit);
  return parts * CHECK_BYTES + samples * rowElements * field.elementBytes;
}

class ChunkRun {
  readonly #session: Session;
  readonly #job: ChunkJob;
  readonly #plan: TreePlan;
  readonly #take: TakeBuffer;
  readonly #top: Kernel | undefined;
  readonly #recorder: Recorder;
  readonly #stores: Stores;
  readonly #readback: Readback;
  readonly #samples: PendingSample[] = [];
  /** Throw when a leaf is not canonical, once the readback has arrived. */
  readonly #refusals: (() => void)[] = [];

  private constructor(
    parts: { session: Session; job: ChunkJob; plan: TreePlan; take: TakeBuffer; top: Kernel | undefined },
    recorder: Recorder,
    stores: Stores,
    readback: Readback,
  ) {
    this.#session = parts.session;
    this.#job = parts.job;
    this.#plan = parts.plan;
    this.#take = parts.take;
    this.#top = parts.top;
    this.#recorder = recorder;
    this.#stores = stores;
    this.#readback = readback;
  }

  static async open(
    session: Session,
    job: ChunkJob,
    counters: Backend['counters'],
    take: TakeBuffer,
  ): Promise<ChunkRun> {
    const { leafCount, levels, padding, keepFrom = levels, samples } = job;
    const shape = (fused: boolean): TreePlan => planTree(leafCount, levels, padding, keepFrom, fused);
    const fused = shape(true);
    const top = fused.topFrom === undefined ? undefined : await topKernel(session);
    const plan = top ? fused : shape(false);
    const recorder = await Recorder.open(session.live, take, jobOptions(session, counters, job.signal));
    const stores = {
      even: await take('even levels', Usage.nodes, plan.bytes.even),
      odd: await take('odd levels', Usage.nodes, plan.bytes.odd),
      top: await take('top levels', Usage.nodes, plan.bytes.top),
      zeros: await take('zero digests', Usage.nodes, levels * DIGEST_BYTES),
      spare: await take('spare node', Usage.nodes, DIGEST_BYTES),
    };
    const kept = plan.levels.slice(keepFrom).reduce((sum, { count }) => sum + count, 0);
    // A sample of a level is a parent and its children, a sample of leaves one digest.
    const sampled = samples * (3 * levels + 1);
    const bytes = (kept + sampled) * DIGEST_BYTES + leafReadback(session, job);
    const readback = await Readback.open(recorder, take, bytes);
    return new ChunkRun({ session, job, plan, take, top }, recorder, stores, readback);
  }

  async run(counters: Backend['counters']): Promise<ChunkResult> {
    const { levels } = this.#plan;
    const { keepFrom = this.#job.levels, source } = this.#job;
    await this.#leaves();
    this.#uploadZeros();
    const layers: Arrived[] = [];
    for (let k = 0; k < levels.length; k++) {
      if (k > 0) await this.#level(k);
      if (k < keepFrom) continue;
      // The caller's own digests need not come back from the device.
      if (k === 0 && source.kind === 'digests') layers.push(() => new Uint8Array(source.digests));
      else layers.push(this.#readback.take(this.#range(levels[k]!.place, levels[k]!.count)));
    }
    await this.#readback.arrive(counters);
    for (const refuse of this.#refusals) refuse();
    return { layers: layers.map((layer) => layer()), samples: this.#samples.map((sample) => sample()) };
  }

  #range({ store, offset }: Place, nodes: number, first = 0): Range {
    return {
      buffer: this.#stores[store],
      offset: offset + first * DIGEST_BYTES,
      size: nodes * DIGEST_BYTES,
    };
  }

  /** Brings the leaves to level 0, hashed where they are messages. */
  async #leaves(): Promise<void> {
    const { source, leafCount, samples } = this.#job;
    const leaves = this.#range(this.#plan.levels[0]!.place, leafCount);
    if (source.kind === 'digests') {
      this.#recorder.upload(leaves.buffer, leaves.offset, source.digests);
      return await this.#check(leaves);
    }
    if (source.kind === 'device') {
      const from = { ...leaves, buffer: source.buffer as GpuBufferLike, offset: source.byteOffset };
      this.#recorder.copy(from, leaves.buffer, leaves.offset);
      return await this.#check(leaves);
    }
    if (source.kind === 'matrix') return await this.#matrix(source.matrix, leaves);
    const kernel = await messagesKernel(this.#session);
    const context = {
      recorder: this.#recorder,
      take: this.#take,
      kernel,
      shape: messageShape(this.#session.hash),
    };
    await recordMessages(context, source, leaves);
    for (let i = 0; i < Math.min(samples, leafCount); i++) {
      const index = Math.floor(Math.random() * leafCount);
      const digest = this.#readback.take(this.#range(this.#plan.levels[0]!.place, 1, index));
      this.#samples.push(() => ({ kind: 'leaf', index, digest: digest() }));
    }
  }

  get #context(): { recorder: Recorder; take: TakeBuffer; readback: Readback } {
    return { recorder: this.#recorder, take: this.#take, readback: this.#readback };
  }

  /** Hashes rows of elements to level 0. */
  async #matrix(matrix: Matrix, leaves: Range): Promise<void> {
    const { check } = this.#session;
    const { leafCount, firstLeaf = 0, samples } = this.#job;
    const sampled = Array.from({ length: Math.min(samples, leafCount) }, () =>
      Math.floor(Math.random() * leafCount),
    );
    const kernel = await rowsKernel(this.#session, matrix.rowElements);
    const rows: Arrived[] = [];
    await recordMatrix({ ...this.#context, kernel }, matrix, leaves, async (elements, part, first) => {
      if (check) {
        this.#refusals.push(await checkMatrix(this.#context, check, elements, part, firstLeaf + first));
      }
      sampled.forEach((index, i) => {
        if (index >= first && index < first + part.rows) {
          rows[i] = takeRow(this.#readback, elements, part, index - first);
        }
      });
    });
    sampled.forEach((index, i) => {
      const digest = this.#readback.take(this.#range(this.#plan.levels[0]!.place, 1, index));
      this.#samples.push(() => ({ kind: 'row', index, row: rows[i]!(), digest: digest() }));
    });
  }

  async #check(leaves: Range): Promise<void> {
    const { check } = this.#session;
    if (!check) return;
    const place = behind(this.#job.firstLeaf ?? 0, check);
    this.#refusals.push(await checkRange(this.#context, check, leaves, place));
  }

  #uploadZeros(): void {
    this.#plan.levels.forEach(({ beside }, k) => {
      if (beside === 'zero') this.#recorder.upload(this.#stores.zeros, k * DIGEST_BYTES, this.#job.zeros[k]!);
    });
  }

  /** Makes level `k`; the fused top makes all of its levels with the lowest of them. */
  async #level(k: number): Promise<void> {
    const { levels, topFrom } = this.#plan;
    const [below, level] = [levels[k - 1]!, levels[k]!];
    if (topFrom === undefined || k <= topFrom) {
      this.#besideLast(k - 1);
      const nodes = this.#range(below.place, 2 * level.hashed);
      const parents = this.#range(level.place, level.hashed);
      await this.#recorder.pairs(this.#session.pairs, nodes, parents, level.hashed);
    } else if (k === topFrom + 1) {
      const made = levels.slice(k).reduce((sum, { count }) => sum + count, 0);
      const nodes = this.#range(below.place, below.count);
      await recordTop(this.#recorder, this.#top!, nodes, this.#range(level.place, made), levels.length - k);
    }
    this.#sample(below, level, k - 1);
  }

  /** Puts the node that padding asks for beside the last one of an odd level. */
  #besideLast(k: number): void {
    const { count, beside, place } = this.#plan.levels[k]!;
    const free = this.#range(place, 1, count);
    const last = this.#range(place, 1, count - 1);
    const { zeros, spare } = this.#stores;
    const one = (buffer: GpuBufferLike, offset: number): Range => ({ buffer, offset, size: DIGEST_BYTES });
    if (beside === 'zero') this.#recorder.copy(one(zeros, k * DIGEST_BYTES), free.buffer, free.offset);
    if (beside === 'itself') {
      this.#recorder.copy(last, spare, 0);
      this.#recorder.copy(one(spare, 0), free.buffer, free.offset);
    }
    if (beside === 'promoted') {
      const above = this.#plan.levels[k + 1]!;
      const target = this.#range(above.place, 1, above.count - 1);
      this.#recorder.copy(last, target.buffer, target.offset);
    }
  }

  /** Copies random parents and their children out before their places are used again. */
  #sample(below: LevelPlan, level: LevelPlan, k: number): void {
    for (let i = 0; i < Math.min(this.#job.samples, level.hashed); i++) {
      const index = Math.floor(Math.random() * level.hashed);
      const children = this.#readback.take(this.#range(below.place, 2, 2 * index));
      const parent = this.#readback.take(this.#range(level.place, 1, index));
      this.#samples.push(() => ({ kind: 'pair', level: k, children: children(), parent: parent() }));
    }
  }
}

/** Folds one chunk on a session's device. */
export async function runChunk(
  session: Session,
  job: ChunkJob,
  counters: Backend['counters'],
): Promise<ChunkResult> {
  return await session.live.pool.borrow(async (take) => {
    const run = await ChunkRun.open(session, job, counters, take);
    return await run.run(counters);
  });
}
