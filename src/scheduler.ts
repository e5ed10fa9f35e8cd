/**
 * Which backend runs a job, what becomes of a GPU failure, and whether a GPU's result is believed.
 */
import { measureThreshold } from './backend/calibrate.js';
import { type CrossCheck, checkSamples, compareLayers } from './backend/cross-check.js';
import {
  type Backend,
  type ChunkJob,
  type ChunkResult,
  type ChunkSource,
  LEAST_CHUNK,
  type MatrixPart,
  type PairsJob,
  type SyncEngine,
} from './backend/types.js';
import { DIGEST_BYTES, type Digest } from './bytes.js';
import { foldInParts } from './chunk-parts.js';
import { CambiumError, hasCode } from './errors.js';
import { levelsFor } from './tree-job.js';

export type BackendChoice = 'auto' | 'cpu' | 'gpu';

/** A GPU backend with what is known of its adapter. */
export interface GpuSide {
  readonly backend: Backend;
  readonly software: boolean;
  /** What calibration depends on besides hash and threads. */
  readonly adapterKey: string;
  /** Bytes of a buffer on the device. */
  read(buffer: object, byteOffset: number, byteLength: number): Promise<Digest>;
}

export interface SchedulerOptions {
  readonly choice: BackendChoice;
  readonly crossCheck: CrossCheck;
  readonly cpu: Backend;
  readonly engine: SyncEngine;
  readonly gpu: GpuSide | undefined;
  /** Hashes from which `auto` uses the GPU; absent: measured at the first job that is large enough to ask. */
  readonly gpuThreshold: number | undefined;
  /** Fresh backends of the same kind, for calibration. */
  readonly openTwins: () => Promise<{ readonly cpu: Backend; readonly gpu: Backend }>;
  readonly calibrationKey: string;
}

/** Jobs below this many hashes never win on a GPU, so they do not even start its calibration. */
const NEVER_BELOW = 1024;
/** Chunks narrower than this are latency, not throughput: under `auto` the CPU folds them. */
const NARROW_LEAVES = 512;

/** Whether leaves, or parts of them, lie on the device. */
function isOnDevice(source: ChunkSource): source is Extract<ChunkSource, { kind: 'device' | 'matrix' }> {
  if (source.kind === 'matrix') return source.matrix.parts.some((part) => !(part instanceof Uint8Array));
  return source.kind === 'device';
}

export class Scheduler {
  readonly #options: SchedulerOptions;
  /** Why `auto` no longer uses the GPU, once it has failed for good. */
  #gpuRefused: string | undefined;
  #threshold: number | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#threshold = options.gpuThreshold;
  }

  get gpuRefused(): string | undefined {
    return this.#gpuRefused;
  }

  get gpuThreshold(): number | undefined {
    return this.#threshold;
  }

  /** The backend for a job of this many hashes; of an unknown number when absent. */
  async choose(hashes: number | undefined): Promise<Backend> {
    const { choice, cpu, gpu } = this.#options;
    if (choice === 'cpu') return cpu;
    if (choice === 'gpu') return gpu!.backend;
    if (!gpu || gpu.software || this.#gpuRefused) return cpu;
    const work = hashes ?? Number.POSITIVE_INFINITY;
    if (this.#threshold === undefined && work < NEVER_BELOW) return cpu;
    return work >= (await this.#calibrated()) ? gpu.backend : cpu;
  }

  /** A layer of pairs on the chosen backend. */
  async pairs(job: Omit<PairsJob, 'samples'>): Promise<void> {
    const { cpu, engine, crossCheck } = this.#options;
    const backend = await this.choose(job.out.length / DIGEST_BYTES);
    if (backend === cpu) return void (await cpu.pairs({ ...job, samples: 0 }));
    // In place, the input is gone when the GPU answers; a check or a second try needs it.
    const keep =
      job.out.buffer === job.nodes.buffer && (crossCheck === 'full' || this.#options.choice === 'auto');
    const nodes = keep ? job.nodes.slice() : job.nodes;
    await this.#guarded(
      async () => {
        const samples = await backend.pairs({ ...job, nodes, samples: crossCheck === 'sample' ? 1 : 0 });
        try {
          this.#count(checkSamples(engine, samples));
          if (crossCheck !== 'full') return;
          const again = new Uint8Array(job.out.length);
          await cpu.pairs({ nodes, out: again, samples: 0, signal: job.signal });
          compareLayers([job.out as Digest], [again]);
        } catch (error) {
          // Nobody shall find digests in it that are known to be wrong.
          job.out.fill(0);
          throw error;
        }
      },
      async () => void (await cpu.pairs({ ...job, nodes, samples: 0 })),
    );
  }

  /** Folds one chunk on `backend`, which `choose` picked for the whole job. */
  async chunk(backend: Backend, job: Omit<ChunkJob, 'samples'>): Promise<ChunkResult> {
    const { choice, cpu, crossCheck } = this.#options;
    const narrow = choice === 'auto' && job.leafCount < NARROW_LEAVES && !isOnDevice(job.source);
    if (backend === cpu || narrow) return await this.#cpuChunk(job);
    return await this.#guarded(
      async () => {
        const result = await this.#gpuChunk(backend, job);
        if (crossCheck === 'full') compareLayers(result.layers, (await this.#cpuChunk(job)).layers);
        return result;
      },
      () => this.#cpuChunk(job),
    );
  }

  /** A chunk on the GPU, its samples checked; in smaller ones, from then on, where the device has not the memory for it. */
  async #gpuChunk(backend: Backend, job: Omit<ChunkJob, 'samples'>): Promise<ChunkResult> {
    const { engine, crossCheck } = this.#options;
    if (job.leafCount <= backend.chunkLeaves) {
      try {
        const result = await backend.chunk({ ...job, samples: crossCheck === 'sample' ? 1 : 0 });
        this.#count(checkSamples(engine, result.samples, job.source));
        return result;
      } catch (error) {
        if (!hasCode(error, 'OUT_OF_DEVICE_MEMORY') || job.leafCount <= LEAST_CHUNK) throw error;
      }
    }
    const size = Math.min(backend.chunkLeaves, 2 ** (levelsFor(job.leafCount) - 1));
    const result = await foldInParts(job, size, (part) => this.#gpuChunk(backend, part));
    // Digests alone say what a chunk takes: other leaves can be of any size.
    if (job.source.kind === 'digests') backend.chunkLeaves = Math.min(backend.chunkLeaves, size);
    return result;
  }

  async #cpuChunk(job: Omit<ChunkJob, 'samples'>): Promise<ChunkResult> {
    const source = await this.#inMemory(job.source, job.leafCount);
    return await this.#options.cpu.chunk({ ...job, source, samples: 0 });
  }

  async #inMemory(source: ChunkSource, leafCount: number): Promise<ChunkSource> {
    if (!isOnDevice(source)) return source;
    const { gpu } = this.#options;
    if (!gpu) throw new TypeError('leaves: a GPU buffer needs a hasher that was opened on its device');
    if (source.kind === 'device') {
      const digests = await gpu.read(source.buffer, source.byteOffset, leafCount * DIGEST_BYTES);
      return { kind: 'digests', digests };
    }
    const parts: MatrixPart[] = [];
    for (const part of source.matrix.parts) {
      if (part instanceof Uint8Array) parts.push(part);
      else parts.push(await gpu.read(part.buffer, part.byteOffset, part.byteLength));
    }
    return { kind: 'matrix', matrix: { ...source.matrix, parts } };
  }

  /** Runs a GPU job; under `auto` its failure sends the job to the CPU, unless it is the caller's, or a wrong digest. */
  async #guarded<T>(onGpu: () => Promise<T>, onCpu: () => Promise<T>): Promise<T> {
    try {
      return await onGpu();
    } catch (error) {
      const callers = ['ABORTED', 'CLOSED', 'NOT_CANONICAL'];
      if (!(error instanceof CambiumError) || callers.includes(error.code)) throw error;
      const passing = hasCode(error, 'DEVICE_LOST') || hasCode(error, 'OUT_OF_DEVICE_MEMORY');
      if (!passing) this.#gpuRefused = `${error.code}: ${error.message}`;
      if (hasCode(error, 'CROSS_CHECK_MISMATCH') || this.#options.choice !== 'auto') throw error;
      return await onCpu();
    }
  }

  async #calibrated(): Promise<number> {
    if (this.#threshold !== undefined) return this.#threshold;
    const { gpu, calibrationKey, openTwins } = this.#options;
    try {
      this.#threshold = await measureThreshold(`${gpu!.adapterKey} ${calibrationKey}`, openTwins);
      return this.#threshold;
    } catch (error) {
      this.#gpuRefused = `calibration failed: ${(error as Error).message}`;
      return Number.POSITIVE_INFINITY;
    }
  }

  #count(hashes: number): void {
    this.#options.cpu.counters.hashes += hashes;
  }
}
