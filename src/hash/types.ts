import type { Digest } from '../bytes.js';

export type { Digest };

/** Loads something heavy at first use, so that an application ships only the hashes it names. */
export type KernelLoader<K> = () => Promise<K>;

/** What a hash takes: bytes, or elements of a prime field in a fixed encoding. */
export type HashInput = 'bytes' | FieldInput;

/** A prime field and the encoding of its elements. */
export interface FieldInput {
  readonly elementBytes: 8 | 32;
  readonly modulus: bigint;
  readonly order: 'le' | 'be';
}

/**
 * A hash as the library sees it before anything is loaded: one light row of the registry.
 *
 * A user may write one: `load` alone is enough, the reference code then does all the work.
 */
export interface HashSpec {
  /** One exact instance: constants, layout, padding. */
  readonly id: string;
  readonly digestBytes: 32;
  readonly input: HashInput;
  /** The empty leaf of this hash's zero-padded trees, 32 bytes. */
  readonly zero: Digest;
  load(): Promise<HashModule>;
  readonly cpu?: KernelLoader<CpuKernels>;
  readonly gpu?: KernelLoader<GpuKernels>;
}

/**
 * How a row of elements becomes a digest.
 *
 * - `hash`: `hashElements`
 * - `or-noop`: a row that fits into a digest is its own digest, with zeros behind it; else `hash`
 * - `pad`: a one, zeros and a one behind the row, to whole blocks of the sponge; then `hash`
 */
export type RowRule = 'hash' | 'or-noop' | 'pad';

/** Reference code of a hash: synchronous, short, no backend. The oracle that every kernel is compared with. */
export interface HashModule {
  readonly id: string;
  /** A message of any length; absent where the hash has no byte form. */
  hash?(message: Uint8Array): Digest;
  /** Canonical elements; field hashes only. */
  hashElements?(elements: readonly bigint[]): Digest;
  /** Elements that the sponge takes at once; absent where `hashElements` is no sponge, and there is no rule `pad`. */
  readonly rate?: number;
  /** Most elements that `hashElements` takes; absent for any number. */
  readonly maxElements?: number;
  /** Two 32-byte digests to one. */
  hashPair(left: Uint8Array, right: Uint8Array): Digest;
  /** Compressions that a message of `length` bytes costs; present with `hash`. Equal numbers run side by side. */
  messageBlocks?(length: number): number;
}

/** Instructions that a WASM build needs. */
export type WasmFeature = 'relaxed-simd' | 'simd' | 'scalar';

/** Bytes of constants for rows of so many elements: the same array whenever they are the same. */
export type ConstantsFor = (rowElements: number) => Digest;

/**
 * CPU kernels of one hash, best build first. The first that `WebAssembly.validate` accepts, and that passes its
 * self-test against the reference, is used.
 *
 * A build imports nothing and exports
 * - `memory`, and the global `heap`: the first byte behind its own tables and scratch space
 * - `pairs(input, output, count)`: 64-byte pairs to 32-byte digests; `output` may be `input`
 * - `messages(table, count)` for byte hashes: `table` holds three 32-bit words a message, address, length in bytes and
 *   address of the digest; neighbours of equal block count run in the lanes of one vector
 * - `rows(input, elements, output, count)` for field hashes
 * - `load(input, elements)` where `constants` are brought: takes them over, before the first call that needs them
 */
export interface CpuKernels {
  readonly builds: readonly { readonly feature: WasmFeature; readonly bytes: () => Digest }[];
  /** The native package that may take whole layers of pairs, where it is installed. */
  readonly native?: 'hashtree';
  /** Constants that builds read from memory, as canonical elements: for rows of so many elements; pairs are rows of two. */
  readonly constants?: ConstantsFor;
}

/** A table that a device makes for itself, because it is too large to ship and slow to make elsewhere. */
export interface BuiltTable {
  /** Derives what the kernel `build` makes it from. */
  readonly seed: () => Promise<Digest>;
  /** Bytes of the table. */
  readonly bytes: number;
  /** Invocations of `build` that make all of it. */
  readonly items: number;
}

/** GPU kernels of one hash: linked WGSL, one module per kind of job. `shaders/kernel/` says what each binds. */
export interface GpuKernels {
  /** `@compute fn pairs`: a layer of pairs. */
  readonly pairs: string;
  /** Pairs that a workgroup of `pairs` hashes; default 64. */
  readonly pairsPerGroup?: number;
  /** `@compute fn top`: up to nine levels in one workgroup. */
  readonly top?: string;
  /** `@compute fn check`: the first element that is not canonical; present for field hashes. */
  readonly check?: string;
  /** `@compute fn messages`: byte messages of any length. */
  readonly messages?: string;
  /** Messages of more bytes than this get memory of their own from `messages`: a hash may keep more than its state. */
  readonly flatBytes?: number;
  /** `@compute fn rows`: rows of field elements. */
  readonly rows?: string;
  /** Read-only storage of `@group(1)`, binding = position: round constants, window tables. */
  readonly tables?: readonly Uint8Array[];
  /** More of them for `rows` alone, behind `tables`, where they depend on the length of a row. */
  readonly rowTables?: (rowElements: number) => readonly Uint8Array[];
  /** `@compute fn build`: makes the tables of `built`. */
  readonly build?: string;
  /**
   * The last table of `pairs`, and of `rows` of so many elements: the same object whenever it is the same table. Each is
   * made once per device, at first use, and kept as long as the device.
   */
  readonly built?: {
    readonly pairs: () => BuiltTable;
    readonly rows: (rowElements: number) => BuiltTable;
  };
}
