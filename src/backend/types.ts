/**
 * What a hasher asks of a backend, and what a backend answers. Backends get jobs, never a tree's meaning.
 */
import type { Digest } from '../bytes.js';
import type { FieldInput, RowRule } from '../hash/types.js';

/** What a long job tells while it runs. `done` and `total` count leaves; `total` is absent for streams. */
export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly phase: 'leaves' | 'levels';
}

export interface JobOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * What stands beside an odd node of a level.
 *
 * - `zero`: the zero digest of that level (SSZ, Aztec; the default)
 * - `promote`: nothing; the node moves up unhashed (RFC 6962, unbalanced trees)
 * - `duplicate`: itself. Two different leaf lists can then have one root (CVE-2012-2459)
 * - `none`: refused; the number of leaves must be a power of two
 */
export type Padding = 'zero' | 'promote' | 'duplicate' | 'none';

/** Leaves of one chunk, not yet hashed where the source is made of messages or rows. */
export type ChunkSource =
  | { readonly kind: 'digests'; readonly digests: Uint8Array }
  | { readonly kind: 'messages'; readonly messages: Uint8Array; readonly lengths: Uint32Array }
  | { readonly kind: 'matrix'; readonly matrix: Matrix }
  | { readonly kind: 'device'; readonly buffer: object; readonly byteOffset: number };

/** Bytes in memory or on the device. */
export type MatrixPart =
  | Uint8Array
  | { readonly buffer: object; readonly byteOffset: number; readonly byteLength: number };

/** Rows of field elements, one a leaf: all rows one after the other in one part, or each column as a part. */
export interface Matrix {
  readonly parts: readonly MatrixPart[];
  readonly order: 'rows' | 'columns';
  readonly rows: number;
  readonly rowElements: number;
  readonly rule: RowRule;
  readonly field: FieldInput;
  /** Elements that the hash's sponge takes at once, where it is one. */
  readonly rate: number | undefined;
}

/** A run of at most one chunk of leaves, to be folded `levels` times. */
export interface ChunkJob {
  readonly source: ChunkSource;
  readonly leafCount: number;
  /** Leaves of the whole source before these, for the positions that errors name; default 0. */
  readonly firstLeaf?: number | undefined;
  /** Levels above the leaves; 0 asks for the leaf digests alone. */
  readonly levels: number;
  readonly padding: Padding;
  /** `zeros[k]` stands beside an odd node of this chunk's level k. Used by `zero` alone. */
  readonly zeros: readonly Digest[];
  /** The lowest level to hand back; absent: only the top level. */
  readonly keepFrom?: number | undefined;
  /** How many random parents of each level to hand back with their children, for the cross-check. */
  readonly samples: number;
  readonly signal?: AbortSignal | undefined;
}

/** One hash that a backend made, to be made again by another. */
export type Sample =
  | { readonly kind: 'pair'; readonly level: number; readonly children: Digest; readonly parent: Digest }
  | { readonly kind: 'leaf'; readonly index: number; readonly digest: Digest }
  | { readonly kind: 'row'; readonly index: number; readonly row: Digest; readonly digest: Digest };

export interface ChunkResult {
  /** Levels `keepFrom` to `levels`, lowest first; without `keepFrom` the top level alone. Level k has ceil(count / 2^k) nodes. */
  readonly layers: readonly Digest[];
  readonly samples: readonly Sample[];
}

/** A layer of pairs: `2n x 32` bytes to `n x 32` bytes in `out`, which may be the first half of `nodes`. */
export interface PairsJob {
  readonly nodes: Uint8Array;
  readonly out: Uint8Array;
  readonly samples: number;
  readonly signal?: AbortSignal | undefined;
}

/** A chunk of so few leaves is not cut again when a device says that it lacks memory: less would not help. */
export const LEAST_CHUNK = 16;

/** A device or a pool of threads that runs one hash. */
export interface Backend {
  readonly kind: 'cpu' | 'gpu';
  /** Most leaves of one chunk: a power of two. It becomes lower where a device has not the memory for it. */
  chunkLeaves: number;
  /** Chunks worth having in flight, so that one is uploaded while another is hashed. */
  readonly chunksInFlight: number;
  /** Hashes computed so far, for `HasherInfo.counters`; self-tests and calibration do not count. */
  readonly counters: { hashes: number; dispatches: number; bytesUp: number; bytesDown: number };
  pairs(job: PairsJob): Promise<readonly Sample[]>;
  chunk(job: ChunkJob): Promise<ChunkResult>;
  close(): Promise<void>;
}

/** What a synchronous, single-threaded engine offers: the CPU backend on the caller's thread. */
export interface SyncEngine {
  /** For `HasherInfo`: `hashtree`, `wasm simd`, `wasm scalar`, `reference`. */
  readonly name: string;
  /** Two 32-byte digests to one. */
  hashPair(left: Uint8Array, right: Uint8Array): Digest;
  /** `2n x 32` bytes to `n x 32`; `out` may be the first half of `nodes`. Any offsets, shared memory too. */
  hashPairs(nodes: Uint8Array, out: Uint8Array): void;
  /** `lengths.length` messages one after the other; absent for hashes without a byte form. */
  hashMessages?(messages: Uint8Array, lengths: Uint32Array, out: Uint8Array): void;
  /** Rows of `rowElements` elements each by the rule `hash`; field hashes only. */
  hashRows?(rows: Uint8Array, rowElements: number, out: Uint8Array): void;
}
