/**
 * Algorithms over words, written once: for one hash in an integer, or for several hashes in the lanes of a `v128`.
 */
import type { FunctionBuilder, Local } from './function.ts';
import type { I32, Statement, Value } from './value.ts';

export type WordType = 'i32' | 'i64' | 'v128';
type Combine<T extends WordType> = (first: Value<T>, ...rest: readonly Value<T>[]) => Value<T>;
export type Shift<T extends WordType> = (value: Value<T>, bits: number) => Value<T>;

/** A fixed distance behind a computed address. */
export interface Place {
  readonly address: I32;
  readonly offset: number;
}

/** Operations that words of 32 and of 64 bits have alike. */
export interface Words<T extends WordType> {
  readonly type: T;
  readonly bits: 32 | 64;
  /** Hashes side by side. */
  readonly lanes: number;
  readonly add: Combine<T>;
  readonly xor: Combine<T>;
  /** `a & ~b`. */
  andNot(a: Value<T>, b: Value<T>): Value<T>;
  /** Rotates to the right; whole bytes go fastest. Computes its operand once. */
  rotator(f: FunctionBuilder): Shift<T>;
  constant(word: number | bigint): Value<T>;
  /** One word of a table, in every lane. */
  fromTable(at: I32, offset: number): Value<T>;
  /** One number for each lane. */
  join(numbers: readonly I32[]): Value<T>;
  load(address: I32 | number, offset: number): Value<T>;
  store(address: I32 | number, value: Value<T>, offset: number): Statement;
  /** `count` little-endian words from one place per lane. */
  readLittleEndian(f: FunctionBuilder, places: readonly Place[], count: number): Local<T>[];
  /** The same, written; as many as fill whole vectors. */
  writeLittleEndian(f: FunctionBuilder, places: readonly Place[], words: readonly Value<T>[]): void;
}

/** Bytes that one word takes in memory, all lanes together. */
export const wordBytes = <T extends WordType>({ bits, lanes }: Words<T>): number => (bits / 8) * lanes;

/** Bytes 0 to 15 of a vector whose lanes of `bits` bits each rotate to the right by `distance` bits. */
export const rotatedBytes = (bits: 32 | 64, distance: number): number[] => {
  const lane = bits / 8;
  return Array.from({ length: 16 }, (_, i) => i - (i % lane) + ((i + distance / 8) % lane));
};

/** The address of each lane as a place. */
export const placesAt = (addresses: readonly I32[]): Place[] =>
  addresses.map((address) => ({ address, offset: 0 }));
