/** Values to bytes. */
import type { Digest } from '../bytes.js';
import type {
  BitsType,
  BytesType,
  ContainerType,
  Extent,
  SequenceType,
  SszType,
  SszValue,
  UintType,
  UnionType,
} from './types.js';
import { naming, ValueError, within, wrongType } from './value-error.js';

const OFFSET_BYTES = 4;

/**
 * The encoding of a value.
 *
 * @throws {TypeError} or {RangeError} for a value that is not of the type; the message names the place in it.
 * @example
 * ```ts
 * ssz.serialize(ssz.list(ssz.uint16, 8), [1, 2]); // Uint8Array [1, 0, 2, 0]
 * ```
 */
export function serialize(type: SszType, value: SszValue): Digest {
  const sink = new Sink();
  naming('value', () => append(sink, type, value));
  return sink.bytes.slice(0, sink.length);
}

/** Bytes that grow. */
class Sink {
  bytes: Digest = new Uint8Array(256);
  view: DataView = new DataView(this.bytes.buffer);
  length = 0;

  /** Room for `count` more bytes, zeros; where it begins. */
  reserve(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length >= 2 ** 32) throw new ValueError('range', 'its encoding reaches 2^32 bytes');
    if (this.length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.length, 2 * this.bytes.length));
      larger.set(this.bytes.subarray(0, at));
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return at;
  }
}

function append(sink: Sink, type: SszType, value: SszValue): void {
  if (type.fixedBytes !== undefined) {
    const at = sink.reserve(type.fixedBytes);
    writeFixed(sink, at, type, value);
    return;
  }
  switch (type.kind) {
    case 'bytes': {
      const bytes = asBytes(type, value);
      const at = sink.reserve(bytes.length);
      sink.bytes.set(bytes, at);
      break;
    }
    case 'bits': {
      const bits = asBits(type, value);
      const at = sink.reserve(Math.floor(bits.length / 8) + 1);
      writeBits(sink, at, bits);
      sink.bytes[at + (bits.length >> 3)]! |= 1 << (bits.length & 7);
      break;
    }
    case 'sequence':
      appendSequence(sink, type, asSequence(type, value));
      break;
    case 'container':
      appendContainer(sink, type, value);
      break;
    case 'union':
      appendUnion(sink, type, value);
      break;
    default:
      if (value !== null) throw wrongType('null', value);
  }
}

/** Writes a value of fixed size at a place that is reserved already. */
function writeFixed(sink: Sink, at: number, type: SszType, value: SszValue): void {
  switch (type.kind) {
    case 'uint':
      writeUint(sink.view, at, type, value);
      break;
    case 'boolean':
      if (typeof value !== 'boolean') throw wrongType('a boolean', value);
      sink.bytes[at] = Number(value);
      break;
    case 'bytes':
      sink.bytes.set(asBytes(type, value), at);
      break;
    case 'bits':
      writeBits(sink, at, asBits(type, value));
      break;
    case 'sequence':
      writeElements(sink, at, type, asSequence(type, value));
      break;
    case 'container': {
      const fields = asFields(type, value);
      for (const field of type.fields) {
        within(field.name, () => writeFixed(sink, at + field.at, field.type, fields[field.name]!));
      }
    }
  }
}

function writeElements(sink: Sink, at: number, { element }: SequenceType, values: ArrayLike<SszValue>): void {
  const size = element.fixedBytes!;
  let i = 0;
  try {
    for (; i < values.length; i++) writeFixed(sink, at + i * size, element, values[i]!);
  } catch (error) {
    if (error instanceof ValueError) error.path.unshift(i);
    throw error;
  }
}

function appendSequence(sink: Sink, type: SequenceType, values: ArrayLike<SszValue>): void {
  const { fixedBytes } = type.element;
  if (fixedBytes !== undefined) {
    const at = sink.reserve(values.length * fixedBytes);
    writeElements(sink, at, type, values);
    return;
  }
  const start = sink.reserve(values.length * OFFSET_BYTES);
  for (let i = 0; i < values.length; i++) {
    sink.view.setUint32(start + i * OFFSET_BYTES, sink.length - start, true);
    within(i, () => append(sink, type.element, values[i]!));
  }
}

function appendContainer(sink: Sink, type: ContainerType, value: SszValue): void {
  const values = asFields(type, value);
  const start = sink.reserve(type.headBytes);
  for (const { name, type: fieldType, at } of type.fields) {
    within(name, () => {
      if (fieldType.fixedBytes !== undefined) {
        writeFixed(sink, start + at, fieldType, values[name]!);
        return;
      }
      sink.view.setUint32(start + at, sink.length - start, true);
      append(sink, fieldType, values[name]!);
    });
  }
}

function appendUnion(sink: Sink, type: UnionType, value: SszValue): void {
  const { selector, data } = asRecord(value, 'an object with selector and data');
  const option = typeof selector === 'number' ? type.options.get(selector) : undefined;
  if (!option) {
    throw new ValueError(
      'range',
      `expected a selector of ${[...type.options.keys()]}, got ${String(selector)}`,
    );
  }
  const at = sink.reserve(1);
  sink.bytes[at] = selector as number;
  within('data', () => append(sink, option, data as SszValue));
}

function writeUint(view: DataView, at: number, { fixedBytes }: UintType, value: SszValue): void {
  if (fixedBytes <= 4) {
    if (typeof value !== 'number') throw wrongType('a number', value);
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** (8 * fixedBytes))
      throw outOfRange(fixedBytes, value);
    if (fixedBytes === 4) view.setUint32(at, value, true);
    else if (fixedBytes === 2) view.setUint16(at, value, true);
    else view.setUint8(at, value);
    return;
  }
  if (typeof value !== 'bigint') throw wrongType('a bigint', value);
  if (BigInt.asUintN(8 * fixedBytes, value) !== value) throw outOfRange(fixedBytes, value);
  for (let word = 0, rest = value; word < fixedBytes; word += 8, rest >>= 64n) {
    view.setBigUint64(at + word, rest, true);
  }
}

function writeBits(sink: Sink, at: number, bits: ArrayLike<boolean>): void {
  for (let i = 0; i < bits.length; i++) {
    if (typeof bits[i] !== 'boolean') throw wrongType(`a boolean as bit ${i}`, bits[i]);
    if (bits[i]) sink.bytes[at + (i >> 3)]! |= 1 << (i & 7);
  }
}

function outOfRange(bytes: number, value: number | bigint): ValueError {
  return new ValueError('range', `expected a whole number below 2^${8 * bytes}, got ${value}`);
}

function asBytes({ extent }: BytesType, value: SszValue): Uint8Array {
  if (!(value instanceof Uint8Array)) throw wrongType('a Uint8Array', value);
  checkCount(extent, value.length, 'bytes');
  return value;
}

function asBits({ extent }: BitsType, value: SszValue): readonly boolean[] {
  if (!Array.isArray(value)) throw wrongType('an array of booleans', value);
  checkCount(extent, value.length, 'bits');
  return value;
}

function asSequence({ extent }: SequenceType, value: SszValue): ArrayLike<SszValue> {
  if (!Array.isArray(value) && !(ArrayBuffer.isView(value) && 'length' in value)) {
    throw wrongType('an array', value);
  }
  const values = value as ArrayLike<SszValue>;
  checkCount(extent, values.length, 'elements');
  return values;
}

function asFields({ fields }: ContainerType, value: SszValue): Record<string, SszValue> {
  const record = asRecord(value, 'an object');
  for (const { name } of fields) {
    if (!Object.hasOwn(record, name)) throw new ValueError('type', `expected a field ${name}, got none`);
  }
  return record;
}

function asRecord(value: SszValue, expected: string): Record<string, SszValue> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongType(expected, value);
  return value as Record<string, SszValue>;
}

function checkCount(extent: Extent, count: number, what: string): void {
  if (extent.of === 'vector' && count !== extent.length) {
    throw new ValueError('range', `expected ${extent.length} ${what}, got ${count}`);
  }
  if (extent.of === 'list' && BigInt(count) > extent.limit) {
    throw new ValueError('range', `expected at most ${extent.limit} ${what}, got ${count}`);
  }
}
