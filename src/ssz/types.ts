/**
 * What an SSZ type is: plain frozen objects, made by the constructors of `construct.ts`.
 *
 * Eighteen names of the specification are seven kinds here: bytes, bits and sequences each come as a vector, a list with
 * a limit and a progressive list, which differ in their `extent` alone.
 */

/** How many elements a type holds. */
export type Extent =
  | { readonly of: 'vector'; readonly length: number }
  | { readonly of: 'list'; readonly limit: bigint }
  | { readonly of: 'progressive' };

interface Common {
  /** Bytes of every encoding; absent where they vary. */
  readonly fixedBytes?: number;
}

/** An unsigned integer of 1, 2, 4, 8, 16 or 32 bytes. */
export interface UintType extends Common {
  readonly kind: 'uint';
  readonly fixedBytes: number;
}

export interface BooleanType extends Common {
  readonly kind: 'boolean';
  readonly fixedBytes: 1;
}

/** ByteVector, ByteList, ProgressiveByteList. */
export interface BytesType extends Common {
  readonly kind: 'bytes';
  readonly extent: Extent;
}

/** Bitvector, Bitlist, ProgressiveBitlist. */
export interface BitsType extends Common {
  readonly kind: 'bits';
  readonly extent: Extent;
}

/** Vector, List, ProgressiveList. */
export interface SequenceType extends Common {
  readonly kind: 'sequence';
  readonly element: SszType;
  readonly extent: Extent;
}

/** A field of a container. */
export interface Field {
  readonly name: string;
  readonly type: SszType;
  /** Its chunk in the container's tree. */
  readonly position: number;
  /** Byte at which the field, or the offset to it, stands in the fixed part. */
  readonly at: number;
}

/** Container; with `active`, ProgressiveContainer. */
export interface ContainerType extends Common {
  readonly kind: 'container';
  readonly fields: readonly Field[];
  /** Bytes of the fixed part: fields of fixed size and offsets. */
  readonly headBytes: number;
  /** Which positions of a ProgressiveContainer hold a field; absent for a Container. */
  readonly active?: readonly boolean[];
}

/** Union and CompatibleUnion. */
export interface UnionType extends Common {
  readonly kind: 'union';
  readonly compatible: boolean;
  /** By selector. */
  readonly options: ReadonlyMap<number, SszType>;
}

/** Nothing: only the first option of a Union. */
export interface NoneType extends Common {
  readonly kind: 'none';
}

/** Any SSZ type. */
export type SszType =
  | UintType
  | BooleanType
  | BytesType
  | BitsType
  | SequenceType
  | ContainerType
  | UnionType
  | NoneType;

/**
 * A value in plain JavaScript.
 *
 * Integers up to 32 bits are numbers, wider ones bigints. Bytes are a `Uint8Array`, bits an array of booleans, lists and
 * vectors arrays (typed arrays are taken too), containers objects, unions `{ selector, data }` with `data: null` for None.
 */
export type SszValue =
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | ArrayLike<number>
  | ArrayLike<bigint>
  | readonly SszValue[]
  | { readonly [field: string]: SszValue };

/** Bytes of a chunk, which is a leaf of every tree. */
export const CHUNK_BYTES = 32;
const CHUNK_BITS = 256;

/** Whether values of the type are packed, several to a chunk. */
export function isBasic(type: SszType): type is UintType | BooleanType {
  return type.kind === 'uint' || type.kind === 'boolean';
}

/** Whether the root of a value is its bytes with zeros behind them. */
export function isOneChunk(type: SszType): boolean {
  return (
    isBasic(type) ||
    (type.kind === 'bytes' && type.fixedBytes !== undefined && type.fixedBytes <= CHUNK_BYTES)
  );
}

/** How many of a type's items share a chunk: bits, bytes, basic values; 1 for what has a root of its own. */
export function itemsPerChunk(type: BytesType | BitsType | SequenceType): number {
  if (type.kind === 'bits') return CHUNK_BITS;
  if (type.kind === 'bytes') return CHUNK_BYTES;
  return isBasic(type.element) ? CHUNK_BYTES / type.element.fixedBytes : 1;
}

/** Levels of the smallest perfect tree with this many leaves; exact for any size. */
export function depthOf(leaves: number | bigint): number {
  if (leaves <= 1) return 0;
  if (leaves <= 2 ** 31) return 32 - Math.clz32(Number(leaves) - 1);
  return (BigInt(leaves) - 1n).toString(2).length;
}

/** Levels of the tree over a type's chunks, or undefined where it grows progressively. */
export function chunkDepth(type: BytesType | BitsType | SequenceType | ContainerType): number | undefined {
  if (type.kind === 'container') return type.active ? undefined : depthOf(type.fields.length);
  const { extent } = type;
  if (extent.of === 'progressive') return undefined;
  const items = extent.of === 'vector' ? BigInt(extent.length) : extent.limit;
  const each = BigInt(itemsPerChunk(type));
  return depthOf((items + each - 1n) / each);
}
