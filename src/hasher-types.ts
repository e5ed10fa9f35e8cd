/**
 * What a hasher offers, and how one is opened.
 */
import type { CrossCheck } from './backend/cross-check.js';
import type { GpuAdapterInfo } from './backend/gpu/index.js';
import type { GpuDeviceLike, GpuLike } from './backend/gpu/types.js';
import type { JobOptions, Padding } from './backend/types.js';
import type { Digest } from './bytes.js';
import type { HashSpec, RowRule } from './hash/types.js';
import type { LeafSource } from './leaf-source.js';
import type { BackendChoice } from './scheduler.js';

export type { BackendChoice, CrossCheck, LeafSource };

/** How to open a hasher; every field is optional. */
export interface HasherOptions {
  /** `auto` (default) picks by job size and ignores software adapters; `gpu` runs every asynchronous job on the GPU or rejects. */
  readonly backend?: BackendChoice;
  /** Default: the host's own WebGPU, in Node the package `webgpu`. A device given here is never destroyed. */
  readonly gpu?: GpuLike | GpuDeviceLike;
  /** Workers beside the caller; 0 for none. Default: one less than there are cores, in a browser window at least one. */
  readonly threads?: number;
  /** Hashes per job from which `auto` uses the GPU; default: measured once. */
  readonly gpuThreshold?: number;
  /** How much of a GPU's work is recomputed on the CPU; default `sample`. */
  readonly crossCheck?: CrossCheck;
}

/** Work done by a hasher so far; self-tests and calibration do not count, cross-checks do. */
export interface HasherCounters {
  readonly hashesCpu: number;
  readonly hashesGpu: number;
  readonly dispatches: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

/** What a hasher runs on. */
export interface HasherInfo {
  readonly backend: BackendChoice;
  readonly cpu: { readonly engine: string; readonly threads: number };
  /** Absent when no GPU was opened; then `gpuRefused` says why. */
  readonly gpu?: GpuAdapterInfo;
  readonly gpuRefused?: string;
  /** Hashes from which `auto` uses the GPU, once known. */
  readonly gpuThreshold?: number;
  readonly counters: HasherCounters;
}

/** A tree's shape, for {@link Hasher.hashTree}. */
export interface HashTreeOptions extends JobOptions {
  /** Levels above the leaves, 0 to 64; default: as many as the leaves need. */
  readonly levels?: number;
  /** What stands beside an odd node; default `zero`. */
  readonly fill?: Padding;
  /** The lowest level to hand back. */
  readonly keepFrom?: number;
}

/** What {@link Hasher.hashTree} made. */
export interface HashedTree {
  readonly root: Digest;
  /** `layers[0]` is level `keepFrom` where the tree is that high, the last one is the root; none without `keepFrom`. */
  readonly layers: readonly Digest[];
  readonly leafCount: number;
  readonly levels: number;
}

/**
 * One hash and its backends. Made by {@link createHasher}.
 *
 * Every method rejects, or throws, with `CLOSED` after `close()`.
 */
export interface Hasher extends AsyncDisposable {
  readonly spec: HashSpec;
  readonly info: HasherInfo;
  /** Digest of a message of any length, on the CPU. @throws {TypeError} for a hash without a byte form. */
  hash(message: Uint8Array): Digest;
  /**
   * Digest of canonical elements, on the CPU.
   *
   * @throws {TypeError} for a hash of bytes. @throws {RangeError} for a number of elements that the hash does not take.
   * @throws {CambiumError} `NOT_CANONICAL` with the index of an element at or above the modulus.
   */
  hashElements(elements: readonly bigint[]): Digest;
  /** Digest of two 32-byte digests, on the CPU. @throws {RangeError} when one is not 32 bytes. */
  hashPair(left: Uint8Array, right: Uint8Array): Digest;
  /**
   * A layer, on the CPU and the caller's thread: `2n x 32` bytes to `n x 32`.
   *
   * `out` may be the first half of `nodes`; any other overlap is a `RangeError`.
   */
  hashPairsSync(nodes: Uint8Array, out?: Digest): Digest;
  /** The same by threads or GPU. */
  hashPairs(nodes: Uint8Array, out?: Digest, options?: { readonly signal?: AbortSignal }): Promise<Digest>;
  /**
   * Many messages, one after the other in `messages`, `lengths` in bytes: `n x 32` bytes of digests.
   *
   * @throws {RangeError} when the lengths do not add up.
   */
  hashMessages(messages: Uint8Array, lengths: Uint32Array, options?: JobOptions): Promise<Digest>;
  /** The same on the CPU and the caller's thread. @throws {TypeError} @throws {RangeError} as `hashMessages` rejects. */
  hashMessagesSync(messages: Uint8Array, lengths: Uint32Array): Digest;
  /**
   * Many rows of `rowElements` elements each, one after the other in `rows`: `n x 32` bytes of digests.
   *
   * @param options.rule how a row becomes a digest; default `hash`, which is `hashElements`.
   * @throws {TypeError} for a hash of bytes. @throws {RangeError} on lengths that do not fit.
   * @throws {CambiumError} `NOT_CANONICAL` with the index of an element at or above the modulus.
   */
  hashRows(
    rows: Uint8Array,
    rowElements: number,
    options?: JobOptions & { readonly rule?: RowRule },
  ): Promise<Digest>;
  /** A whole tree as one job: leaf stage and all levels stay on the device. */
  hashTree(leaves: LeafSource, options?: HashTreeOptions): Promise<HashedTree>;
  /** Waits for what is under way, then gives back threads and device. */
  close(): Promise<void>;
}
