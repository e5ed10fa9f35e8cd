/** The GPU as a backend: finds its device again after a loss, and runs jobs on it. */
import { concatBytes, DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError, hasCode, throwIfAborted } from '../../errors.js';
import {
  type Backend,
  type ChunkJob,
  type ChunkResult,
  type ChunkSource,
  LEAST_CHUNK,
  type PairsJob,
  type Sample,
} from '../types.js';
import { Usage } from './buffer-pool.js';
import { runChunk } from './chunk.js';
import { acquireDevice, type DeviceLease, isDevice } from './device.js';
import type { HashOnGpu } from './kernel.js';
import { type HashedPairs, runPairs } from './layer.js';
import { JOBS_IN_FLIGHT, type LiveDevice } from './live-device.js';
import { powerBelow } from './plan.js';
import { Readback } from './readback.js';
import { Recorder, uncounted } from './recorder.js';
import { openSession, type Session } from './session.js';
import { BufferUsage, type GpuBufferLike, type GpuDeviceLike, type GpuLike } from './types.js';

/** Bytes that show whether a buffer can be read. */
const PROBE_BYTES = 4;

interface Open {
  readonly lease: DeviceLease;
  readonly session: Session;
}

/** The user's own buffers that a source reads. */
function buffersOf(source: ChunkSource): GpuBufferLike[] {
  if (source.kind === 'device') return [source.buffer as GpuBufferLike];
  if (source.kind !== 'matrix') return [];
  return source.matrix.parts.flatMap((part) =>
    part instanceof Uint8Array ? [] : [part.buffer as GpuBufferLike],
  );
}

export class GpuBackend implements Backend {
  readonly kind = 'gpu';
  readonly chunksInFlight: number = JOBS_IN_FLIGHT;
  readonly counters: Backend['counters'] = { hashes: 0, dispatches: 0, bytesUp: 0, bytesDown: 0 };
  chunkLeaves: number;
  readonly #gpu: GpuLike | GpuDeviceLike;
  readonly #hash: HashOnGpu;
  readonly #running = new Set<Promise<unknown>>();
  #open: Promise<Open>;
  #closing: Promise<void> | undefined;

  private constructor(gpu: GpuLike | GpuDeviceLike, hash: HashOnGpu, open: Open) {
    this.#gpu = gpu;
    this.#hash = hash;
    this.#open = Promise.resolve(open);
    this.chunkLeaves = open.session.chunkLeaves;
  }

  /**
   * Opens a hash on a GPU: device, kernels, self-test.
   *
   * @throws {CambiumError} `BACKEND_UNAVAILABLE`, `KERNEL_COMPILE`, `KERNEL_SELF_TEST`, `OUT_OF_DEVICE_MEMORY`, `DEVICE_LOST`.
   */
  static async open(
    gpu: GpuLike | GpuDeviceLike,
    hash: HashOnGpu,
  ): Promise<{ backend: GpuBackend; session: Session }> {
    const open = await openOn(gpu, hash);
    return { backend: new GpuBackend(gpu, hash, open), session: open.session };
  }

  async pairs(job: PairsJob): Promise<readonly Sample[]> {
    return await this.#run(job.signal, async (session) => {
      const count = job.out.length / DIGEST_BYTES;
      const size = this.chunkLeaves / 2;
      const pieces: Promise<HashedPairs>[] = [];
      for (let first = 0; first < count; first += size) {
        pieces.push(this.#layer(session, job, first, Math.min(count, first + size)));
      }
      const settled = Promise.allSettled(pieces);
      try {
        const samples: Sample[] = [];
        // One after the other: in a layer hashed in place, a piece lies where earlier ones have their input.
        for (const [i, piece] of pieces.entries()) {
          const hashed = await piece;
          job.out.set(hashed.parents, i * size * DIGEST_BYTES);
          samples.push(...hashed.samples);
        }
        return samples;
      } finally {
        await settled;
      }
    });
  }

  async chunk(job: ChunkJob): Promise<ChunkResult> {
    if (job.leafCount < 1 || job.leafCount > this.chunkLeaves) {
      throw new RangeError(`leafCount: expected 1 to ${this.chunkLeaves}, got ${job.leafCount}`);
    }
    const buffers = buffersOf(job.source);
    for (const buffer of buffers) this.#checkBuffer(buffer);
    return await this.#run(job.signal, async (session) => {
      for (const buffer of buffers) await probeBuffer(session.live, buffer);
      return await runAlone(session.live, () => runChunk(session, job, this.counters));
    });
  }

  /** Bytes of a buffer on the user's device; offset and length are multiples of 4. */
  async read(buffer: object, byteOffset: number, byteLength: number): Promise<Digest> {
    const source = buffer as GpuBufferLike;
    this.#checkBuffer(source);
    return await this.#run(undefined, async ({ live }) => {
      await probeBuffer(live, source);
      return await live.pool.borrow(async (take) => {
        const options = uncounted();
        const recorder = await Recorder.open(live, take, options);
        const readback = await Readback.open(recorder, take, byteLength);
        const bytes = readback.take({ buffer: source, offset: byteOffset, size: byteLength });
        await readback.arrive(options.counters);
        return bytes();
      });
    });
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.allSettled(this.#running);
      const open = await this.#open.catch(() => undefined);
      open?.lease.release();
    })();
    return this.#closing;
  }

  /** Hashes a piece of a layer; in smaller ones, from then on, where the device has not the memory for it. */
  async #layer(session: Session, job: PairsJob, first: number, end: number): Promise<HashedPairs> {
    const count = end - first;
    if (count <= this.chunkLeaves / 2) {
      try {
        return await runAlone(session.live, () => runPairs(session, job, first, end, this.counters));
      } catch (error) {
        if (!hasCode(error, 'OUT_OF_DEVICE_MEMORY') || count <= LEAST_CHUNK / 2) throw error;
      }
    }
    const size = Math.min(this.chunkLeaves / 2, powerBelow(count - 1));
    const parts: HashedPairs[] = [];
    for (let at = first; at < end; at += size) {
      parts.push(await this.#layer(session, job, at, Math.min(end, at + size)));
    }
    this.chunkLeaves = Math.min(this.chunkLeaves, 2 * size);
    return {
      parents: concatBytes(...parts.map(({ parents }) => parents)),
      samples: parts.flatMap(({ samples }) => samples),
    };
  }

  /** A buffer belongs to one device, so only a hasher on the user's own device can read it. */
  #checkBuffer(buffer: GpuBufferLike): void {
    if (!isDevice(this.#gpu)) {
      throw new TypeError('leaves: a GPU buffer needs a hasher that was opened on the device of that buffer');
    }
    if (!(buffer.usage & BufferUsage.COPY_SRC)) {
      throw new TypeError('leaves: a GPU buffer needs the usage COPY_SRC');
    }
  }

  async #run<T>(signal: AbortSignal | undefined, job: (session: Session) => Promise<T>): Promise<T> {
    if (this.#closing) throw new CambiumError('CLOSED', 'the GPU backend is closed');
    throwIfAborted(signal);
    const running = this.#session().then(job);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** The session, on a new device where the last one is lost and is not the user's. */
  async #session(): Promise<Session> {
    const current = this.#open;
    const open = await current.catch(() => undefined);
    if (open && !open.lease.live.lost) return open.session;
    // Another call may have begun to open it again meanwhile.
    if (this.#open === current) {
      open?.lease.release();
      this.#open = openOn(this.#gpu, this.#hash);
    }
    return (await this.#open).session;
  }
}

/** Runs a job when the device has a place for it; one that finds no memory beside another runs again by itself. */
async function runAlone<T>(live: LiveDevice, job: () => Promise<T>): Promise<T> {
  const { jobs } = live;
  const alone = jobs.places === 1;
  try {
    return await jobs.run(job);
  } catch (error) {
    if (alone || !hasCode(error, 'OUT_OF_DEVICE_MEMORY')) throw error;
    jobs.places = 1;
    return await jobs.run(job);
  }
}

/**
 * Copies one word out of a user's buffer, because nothing else tells whose it is, and in what state.
 *
 * @throws {TypeError} for a buffer of another device, one that is mapped or destroyed, or no buffer at all.
 */
async function probeBuffer(live: LiveDevice, buffer: GpuBufferLike): Promise<void> {
  if (!buffer.size) return;
  const { device } = live;
  await live.pool.borrow(async (take) => {
    const target = await take('probe', Usage.nodes, PROBE_BYTES);
    try {
      await live.guard('leaves', () => {
        const encoder = device.createCommandEncoder({ label: 'cambium probe' });
        encoder.copyBufferToBuffer(buffer, 0, target, 0, PROBE_BYTES);
        device.queue.submit([encoder.finish()]);
      });
    } catch (error) {
      if (!hasCode(error, 'BACKEND_UNAVAILABLE')) throw error;
      throw new TypeError((error as CambiumError).message, { cause: error });
    }
  });
}

async function openOn(gpu: GpuLike | GpuDeviceLike, hash: HashOnGpu): Promise<Open> {
  const lease = await acquireDevice(gpu);
  try {
    return { lease, session: await openSession(lease.live, hash) };
  } catch (error) {
    lease.release();
    throw error;
  }
}
