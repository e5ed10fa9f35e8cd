/**
 * Where the parts of encodings stand. Everything is done for many encodings of one type at a time, because equal shapes
 * are hashed together; a list of a million validators is one call a field.
 */
import { CambiumError } from '../errors.js';
import type {
  BitsType,
  BytesType,
  ContainerType,
  Extent,
  Field,
  SequenceType,
  SszType,
  UnionType,
} from './types.js';

const OFFSET_BYTES = 4;

/** Encodings of one type within one byte array: each stands at `[starts[i], ends[i])`. */
export interface Scopes {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** Elements of several sequences, one sequence after the other. */
export interface Elements extends Scopes {
  /** How many elements each sequence has. */
  readonly counts: Uint32Array;
}

/**
 * The whole of a byte array.
 *
 * @throws {CambiumError} `MALFORMED` from 2^32 bytes up, or for another length than the type's encodings always have.
 */
export function wholeScope(type: SszType, bytes: Uint8Array): Scopes {
  if (bytes.length >= 2 ** 32) throw malformed(0, `${bytes.length} bytes, encodings stay below 2^32`);
  checkFixed(type, 0, bytes.length);
  return { starts: Uint32Array.of(0), ends: Uint32Array.of(bytes.length) };
}

/** What is wrong at a byte of an encoding. */
export function malformed(at: number, what: string): CambiumError {
  return new CambiumError('MALFORMED', `ssz: at byte ${at}: ${what}`);
}

/** Refuses a boolean byte other than 0 and 1. */
export function checkBooleans(bytes: Uint8Array, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    if (bytes[at]! > 1) throw malformed(at, `boolean ${bytes[at]}, expected 0 or 1`);
  }
}

/** Length of each encoding of bytes. */
export function byteLengths({ extent, fixedBytes }: BytesType, { starts, ends }: Scopes): Float64Array {
  const lengths = new Float64Array(starts.length);
  if (fixedBytes !== undefined) return lengths.fill(fixedBytes);
  for (let i = 0; i < lengths.length; i++) {
    lengths[i] = ends[i]! - starts[i]!;
    checkLimit(extent, lengths[i]!, starts[i]!, 'bytes');
  }
  return lengths;
}

/** Number of bits of each encoding of bits, its delimiter checked and not counted. */
export function bitLengths(type: BitsType, bytes: Uint8Array, scopes: Scopes): Float64Array {
  const { extent } = type;
  return Float64Array.from(scopes.starts, (start, i) => {
    const end = scopes.ends[i]!;
    const last = bytes[end - 1]!;
    if (extent.of === 'vector') {
      const used = extent.length % 8;
      if (used && last >> used)
        throw malformed(end - 1, `a bit set beyond the ${extent.length} of the vector`);
      return extent.length;
    }
    if (end === start || last === 0) throw malformed(start, 'bits without a delimiter');
    const length = 8 * (end - start - 1) + (31 - Math.clz32(last));
    checkLimit(extent, length, start, 'bits');
    return length;
  });
}

/**
 * Where fields of containers stand: one entry a field.
 *
 * @param wanted the fields; at least all of variable size, whose offsets are checked here.
 */
export function fieldScopes(
  type: ContainerType,
  bytes: Uint8Array,
  scopes: Scopes,
  wanted: readonly Field[] = type.fields,
): Scopes[] {
  const { starts, ends } = scopes;
  const count = starts.length;
  const fields = wanted.map(({ at, type: { fixedBytes } }) => {
    const from = new Uint32Array(count);
    const to = new Uint32Array(count);
    if (fixedBytes !== undefined) {
      for (let i = 0; i < count; i++) {
        from[i] = starts[i]! + at;
        to[i] = starts[i]! + at + fixedBytes;
      }
    }
    return { starts: from, ends: to };
  });
  if (type.fixedBytes !== undefined) return fields;
  const variable = wanted.flatMap((field, i) =>
    field.type.fixedBytes === undefined ? [{ at: field.at, scopes: fields[i]! }] : [],
  );
  for (let i = 0; i < count; i++) {
    const [start, end] = [starts[i]!, ends[i]!];
    if (end - start < type.headBytes) {
      throw malformed(start, `${end - start} bytes, the fixed part takes ${type.headBytes}`);
    }
    let previous: Scopes | undefined;
    let floor = start + type.headBytes;
    for (const field of variable) {
      const at = start + readUint32(bytes, start + field.at);
      // The first offset leaves no gap; the others may not go back.
      if (previous ? at < floor || at > end : at !== floor) throw badOffset(start + field.at, at - start);
      if (previous) previous.ends[i] = at;
      field.scopes.starts[i] = at;
      previous = field.scopes;
      floor = at;
    }
    previous!.ends[i] = end;
  }
  return fields;
}

/** Where the elements of sequences stand. */
export function elementScopes(type: SequenceType, bytes: Uint8Array, scopes: Scopes): Elements {
  const { fixedBytes } = type.element;
  const counts = elementCounts(type, bytes, scopes);
  let total = 0;
  for (const count of counts) total += count;
  const starts = new Uint32Array(total);
  const ends = new Uint32Array(total);
  let next = 0;
  for (let i = 0; i < counts.length; i++) {
    const start = scopes.starts[i]!;
    const count = counts[i]!;
    for (let k = 0; k < count; k++) {
      if (fixedBytes !== undefined) {
        starts[next + k] = start + k * fixedBytes;
        ends[next + k] = start + (k + 1) * fixedBytes;
        continue;
      }
      const at = start + readUint32(bytes, start + OFFSET_BYTES * k);
      if (at > scopes.ends[i]! || (k > 0 && at < starts[next + k - 1]!)) {
        throw badOffset(start + OFFSET_BYTES * k, at - start);
      }
      starts[next + k] = at;
      if (k > 0) ends[next + k - 1] = at;
    }
    next += count;
    if (fixedBytes === undefined && count) ends[next - 1] = scopes.ends[i]!;
  }
  return { starts, ends, counts };
}

/** How many elements each sequence has, checked before anything is allocated for them. */
export function elementCounts(type: SequenceType, bytes: Uint8Array, { starts, ends }: Scopes): Uint32Array {
  const { element, extent } = type;
  return Uint32Array.from(starts, (start, i) => {
    const length = ends[i]! - start;
    const count =
      element.fixedBytes === undefined ? countOffsets(bytes, start, length) : length / element.fixedBytes;
    if (!Number.isInteger(count)) {
      throw malformed(start, `${length} bytes are no whole number of elements of ${element.fixedBytes}`);
    }
    if (extent.of === 'vector' && count !== extent.length) {
      throw malformed(start, `${count} elements, the vector has ${extent.length}`);
    }
    checkLimit(extent, count, start, 'elements');
    return count;
  });
}

/** The option that each union holds, with the scopes of what follows the selector. */
export function unionScopes(
  type: UnionType,
  bytes: Uint8Array,
  { starts, ends }: Scopes,
): { readonly selectors: Uint8Array; readonly data: Scopes } {
  const selectors = Uint8Array.from(starts, (start, i) => {
    if (start === ends[i]!) throw malformed(start, 'a union without selector');
    const selector = bytes[start]!;
    const option = type.options.get(selector);
    if (!option) throw malformed(start, `selector ${selector}, which the union does not have`);
    if (option.kind === 'none' && ends[i]! - start > 1) throw malformed(start + 1, 'bytes after None');
    checkFixed(option, start + 1, ends[i]!);
    return selector;
  });
  return { selectors, data: { starts: starts.map((start) => start + 1), ends } };
}

/** Some of the scopes, by their positions. */
export function pickScopes({ starts, ends }: Scopes, positions: readonly number[]): Scopes {
  return {
    starts: Uint32Array.from(positions, (i) => starts[i]!),
    ends: Uint32Array.from(positions, (i) => ends[i]!),
  };
}

/** Types of fixed size need this only where no parent has seen to it: all else that holds them has counted their bytes. */
function checkFixed({ kind, fixedBytes }: SszType, start: number, end: number): void {
  if (fixedBytes !== undefined && end - start !== fixedBytes) {
    throw malformed(start, `${end - start} bytes, this ${kind} has ${fixedBytes}`);
  }
}

function countOffsets(bytes: Uint8Array, start: number, length: number): number {
  if (length === 0) return 0;
  if (length < OFFSET_BYTES) throw malformed(start, `${length} bytes, an offset takes ${OFFSET_BYTES}`);
  const first = readUint32(bytes, start);
  if (first < OFFSET_BYTES || first % OFFSET_BYTES || first > length) throw badOffset(start, first);
  return first / OFFSET_BYTES;
}

function checkLimit(extent: Extent, count: number, at: number, what: string): void {
  if (extent.of === 'list' && BigInt(count) > extent.limit) {
    throw malformed(at, `${count} ${what}, the limit is ${extent.limit}`);
  }
}

function badOffset(at: number, offset: number): CambiumError {
  return malformed(at, `offset ${offset} leaves a gap, goes back, or points beyond the end`);
}

function readUint32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}
