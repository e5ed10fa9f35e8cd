/** Constructors of types; what the specification calls illegal is refused here. */
import { areCompatible } from './compatible.js';
import type {
  BitsType,
  BooleanType,
  BytesType,
  ContainerType,
  Extent,
  Field,
  NoneType,
  SequenceType,
  SszType,
  UintType,
  UnionType,
} from './types.js';

/** An encoding is shorter than this, because offsets have four bytes. */
const MAX_BYTES = 2 ** 32;
const OFFSET_BYTES = 4;
const MAX_ACTIVE = 256;
const MAX_SELECTOR = 127;

const uint = (fixedBytes: number): UintType => Object.freeze({ kind: 'uint', fixedBytes });

/** Values are numbers. */
export const uint8: UintType = uint(1);
/** Values are numbers. */
export const uint16: UintType = uint(2);
/** Values are numbers. */
export const uint32: UintType = uint(4);
/** Values are bigints. */
export const uint64: UintType = uint(8);
/** Values are bigints. */
export const uint128: UintType = uint(16);
/** Values are bigints. */
export const uint256: UintType = uint(32);
/** Values are `true` and `false`. */
export const boolean: BooleanType = Object.freeze({ kind: 'boolean', fixedBytes: 1 });
/** Nothing; only the first option of a {@link union}. */
export const none: NoneType = Object.freeze({ kind: 'none' });

/**
 * A fixed number of bytes.
 *
 * @throws {RangeError} when `length` is not from 1 to 2^32 - 1.
 */
export function byteVector(length: number): BytesType {
  return Object.freeze({ kind: 'bytes', extent: vectorExtent(length), fixedBytes: length });
}

/** At most `limit` bytes. @throws {RangeError} when `limit` is no whole number from 0 to 2^64. */
export function byteList(limit: number | bigint): BytesType {
  return Object.freeze({ kind: 'bytes', extent: listExtent(limit) });
}

/** Any number of bytes, in a tree that grows progressively. */
export const progressiveByteList: BytesType = Object.freeze({
  kind: 'bytes',
  extent: Object.freeze({ of: 'progressive' }),
});

/** A fixed number of bits. @throws {RangeError} when `length` is not from 1 to 2^32 - 1. */
export function bitvector(length: number): BitsType {
  const extent = vectorExtent(length);
  return Object.freeze({ kind: 'bits', extent, fixedBytes: Math.ceil(length / 8) });
}

/** At most `limit` bits. @throws {RangeError} when `limit` is no whole number from 0 to 2^64. */
export function bitlist(limit: number | bigint): BitsType {
  return Object.freeze({ kind: 'bits', extent: listExtent(limit) });
}

/** Any number of bits, in a tree that grows progressively. */
export const progressiveBitlist: BitsType = Object.freeze({
  kind: 'bits',
  extent: Object.freeze({ of: 'progressive' }),
});

/**
 * A fixed number of elements.
 *
 * @throws {TypeError} when `element` is no type. @throws {RangeError} when `length` is not from 1 to 2^32 - 1, or the
 *   encoding would reach 2^32 bytes.
 */
export function vector(element: SszType, length: number): SequenceType {
  checkPart(element, 'element');
  const extent = vectorExtent(length);
  if (element.fixedBytes === undefined) return Object.freeze({ kind: 'sequence', element, extent });
  const fixedBytes = checkSize(element.fixedBytes * length, 'length');
  return Object.freeze({ kind: 'sequence', element, extent, fixedBytes });
}

/**
 * At most `limit` elements.
 *
 * @throws {TypeError} when `element` is no type. @throws {RangeError} when `limit` is no whole number from 0 to 2^64.
 */
export function list(element: SszType, limit: number | bigint): SequenceType {
  checkPart(element, 'element');
  return Object.freeze({ kind: 'sequence', element, extent: listExtent(limit) });
}

/** Any number of elements, in a tree that grows progressively. @throws {TypeError} when `element` is no type. */
export function progressiveList(element: SszType): SequenceType {
  checkPart(element, 'element');
  return Object.freeze({ kind: 'sequence', element, extent: Object.freeze({ of: 'progressive' }) });
}

/**
 * Fields in this order.
 *
 * @throws {TypeError} when a field's type is none. @throws {RangeError} without fields, for a name that is no
 *   identifier or begins with two underscores.
 * @example
 * ```ts
 * const checkpoint = container({ epoch: uint64, root: byteVector(32) });
 * ```
 */
export function container(fields: Readonly<Record<string, SszType>>): ContainerType {
  return buildContainer(fields);
}

/**
 * Fields at the positions that `active` marks, so that their generalized indices stay when fields are added or removed.
 *
 * @param active one entry a position, 1 where a field stands.
 * @throws what {@link container} throws, and {RangeError} when `active` is empty, longer than 256, ends in 0, or marks
 *   another number of positions than there are fields.
 */
export function progressiveContainer(
  active: readonly (0 | 1 | boolean)[],
  fields: Readonly<Record<string, SszType>>,
): ContainerType {
  const marks = active.map(Boolean);
  if (!marks.length || marks.length > MAX_ACTIVE || !marks.at(-1)) {
    throw new RangeError(`active: expected 1 to ${MAX_ACTIVE} entries, the last one 1, got ${marks.length}`);
  }
  const marked = marks.filter(Boolean).length;
  const names = Object.keys(fields).length;
  if (marked !== names) throw new RangeError(`active: expected ${names} ones, one a field, got ${marked}`);
  return buildContainer(fields, Object.freeze(marks));
}

/**
 * One of several types, by position; the first may be {@link none}.
 *
 * @throws {TypeError} when an option is no type. @throws {RangeError} without options, for more than 128, for `none`
 *   alone or elsewhere than first.
 */
export function union(options: readonly SszType[]): UnionType {
  const [first, ...rest] = options;
  if (!first || options.length > MAX_SELECTOR + 1) {
    throw new RangeError(`options: expected 1 to ${MAX_SELECTOR + 1}, got ${options.length}`);
  }
  if (first.kind === 'none' && !rest.length) throw new RangeError('options: none cannot stand alone');
  if (first.kind !== 'none') checkPart(first, 'options[0]');
  rest.forEach((option, i) => {
    checkPart(option, `options[${i + 1}]`);
  });
  return Object.freeze({ kind: 'union', compatible: false, options: new Map(options.entries()) });
}

/**
 * One of several types that share their Merkleization, by selector.
 *
 * @throws {TypeError} when an option is no type. @throws {RangeError} without options, for a selector outside 1 to 127,
 *   for options whose Merkleization differs.
 */
export function compatibleUnion(options: Readonly<Record<number, SszType>>): UnionType {
  const entries = Object.entries(options).map(([selector, type]) => [Number(selector), type] as const);
  if (!entries.length) throw new RangeError('options: expected at least one');
  for (const [selector, type] of entries) {
    if (!(Number.isInteger(selector) && selector >= 1 && selector <= MAX_SELECTOR)) {
      throw new RangeError(`options: expected selectors from 1 to ${MAX_SELECTOR}, got ${selector}`);
    }
    checkPart(type, `options[${selector}]`);
  }
  entries.forEach(([selector, type], i) => {
    for (const [other, otherType] of entries.slice(0, i)) {
      if (!areCompatible(type, otherType)) {
        throw new RangeError(`options: ${other} and ${selector} are not merkleized alike`);
      }
    }
  });
  return Object.freeze({ kind: 'union', compatible: true, options: new Map(entries) });
}

function buildContainer(
  types: Readonly<Record<string, SszType>>,
  active?: readonly boolean[],
): ContainerType {
  const names = Object.keys(types);
  if (!names.length) throw new RangeError('fields: expected at least one');
  const positions = active ? [...active.keys()].filter((i) => active[i]) : [...names.keys()];
  let at = 0;
  const fields = names.map((name, i): Field => {
    // Names like `7` would change places within an object, and those like `__len__` are steps of a path.
    if (!/^(?!__)[A-Za-z_$][\w$]*$/.test(name)) {
      throw new RangeError(`fields: expected identifiers as names, got ${JSON.stringify(name)}`);
    }
    const type = types[name]!;
    checkPart(type, `fields.${name}`);
    const field = { name, type, position: positions[i]!, at };
    at += type.fixedBytes ?? OFFSET_BYTES;
    return Object.freeze(field);
  });
  checkSize(at, 'fields');
  const fixed = fields.every(({ type }) => type.fixedBytes !== undefined);
  return Object.freeze({
    kind: 'container',
    fields: Object.freeze(fields),
    headBytes: at,
    ...(active && { active }),
    ...(fixed && { fixedBytes: at }),
  });
}

function vectorExtent(length: number): Extent {
  if (!(Number.isInteger(length) && length >= 1 && length < MAX_BYTES)) {
    throw new RangeError(`length: expected a whole number from 1 to 2^32 - 1, got ${String(length)}`);
  }
  return Object.freeze({ of: 'vector', length });
}

function listExtent(limit: number | bigint): Extent {
  const whole = typeof limit === 'bigint' || Number.isSafeInteger(limit);
  if (!whole || limit < 0 || limit > 2n ** 64n) {
    throw new RangeError(`limit: expected a whole number from 0 to 2^64, got ${String(limit)}`);
  }
  return Object.freeze({ of: 'list', limit: BigInt(limit) });
}

function checkPart(type: SszType, name: string): void {
  if (typeof type?.kind !== 'string')
    throw new TypeError(`${name}: expected an SSZ type, got ${typeof type}`);
  if (type.kind === 'none') throw new RangeError(`${name}: none is only the first option of a union`);
}

function checkSize(bytes: number, name: string): number {
  if (bytes >= MAX_BYTES) throw new RangeError(`${name}: encodings must stay below 2^32 bytes, got ${bytes}`);
  return bytes;
}
