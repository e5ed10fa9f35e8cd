/** Values as JSON, in the form of the specification: integers as decimal strings, bytes and bits as hexadecimal. */
import { fromHex, toHex } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { deserialize } from './deserialize.js';
import { serialize } from './serialize.js';
import type { SszType, SszValue } from './types.js';
import { naming, placeOf, ValueError, within, wrongType } from './value-error.js';

/** What `JSON.stringify` takes and `JSON.parse` gives. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * A value as JSON: integers as decimal strings, bytes and bits (with their delimiter) as one hexadecimal string, lists
 * as arrays, containers as objects, unions as `{ "selector": "n", "data": … }`.
 *
 * @throws {TypeError} or {RangeError} for a value that is not of the type.
 */
export function toJson(type: SszType, value: SszValue): JsonValue {
  // Checks the whole value once; the walk below then knows what it meets.
  serialize(type, value);
  return write(type, value);
}

/**
 * The value of its JSON form. All fields must be there, and no others.
 *
 * @throws {CambiumError} `MALFORMED` for JSON that is no value of the type; the message names the place in it.
 */
export function fromJson(type: SszType, json: JsonValue): SszValue {
  try {
    const value = read(type, json);
    naming('json', () => serialize(type, value));
    return value;
  } catch (error) {
    if (error instanceof CambiumError) throw error;
    const place = error instanceof ValueError ? `json${placeOf(error)}: ` : '';
    throw new CambiumError('MALFORMED', `${place}${(error as Error).message}`, { cause: error });
  }
}

function write(type: SszType, value: SszValue): JsonValue {
  switch (type.kind) {
    case 'uint':
      return String(value);
    case 'bytes':
    case 'bits':
      return toHex(serialize(type, value));
    case 'sequence':
      return Array.from(value as ArrayLike<SszValue>, (element) => write(type.element, element));
    case 'container': {
      const fields = value as Record<string, SszValue>;
      return Object.fromEntries(type.fields.map(({ name, type }) => [name, write(type, fields[name]!)]));
    }
    case 'union': {
      const { selector, data } = value as { selector: number; data: SszValue };
      return { selector: String(selector), data: write(type.options.get(selector)!, data) };
    }
    default:
      return value as boolean | null;
  }
}

function read(type: SszType, json: JsonValue): SszValue {
  switch (type.kind) {
    case 'uint': {
      if (typeof json !== 'string' || !/^(0|[1-9][0-9]*)$/.test(json) || json.length > 78) {
        throw wrongType('a decimal string', json);
      }
      return type.fixedBytes <= 4 ? Number(json) : BigInt(json);
    }
    case 'boolean':
      if (typeof json !== 'boolean') throw wrongType('a boolean', json);
      return json;
    case 'bytes':
    case 'bits':
      if (typeof json !== 'string' || !json.startsWith('0x')) throw wrongType('a string from 0x on', json);
      return deserialize(type, fromHex(json));
    case 'sequence':
      if (!Array.isArray(json)) throw wrongType('an array', json);
      return json.map((element: JsonValue, i) => within(i, () => read(type.element, element)));
    case 'container': {
      const fields = record(
        json,
        type.fields.map(({ name }) => name),
      );
      return Object.fromEntries(
        type.fields.map(({ name, type }) => [name, within(name, () => read(type, fields[name]!))]),
      );
    }
    case 'union': {
      const { selector, data } = record(json, ['selector', 'data']);
      const option = typeof selector === 'string' ? type.options.get(Number(selector)) : undefined;
      if (!option || String(Number(selector)) !== selector)
        throw wrongType('a selector of the union', selector);
      return { selector: Number(selector), data: within('data', () => read(option, data!)) };
    }
    default:
      if (json !== null) throw wrongType('null', json);
      return null;
  }
}

function record(json: JsonValue, names: readonly string[]): Record<string, JsonValue> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw wrongType('an object', json);
  for (const name of names) {
    if (!Object.hasOwn(json, name)) throw new ValueError('type', `expected a field ${name}, got none`);
  }
  for (const name of Object.keys(json)) {
    if (!names.includes(name)) throw new ValueError('type', `unknown field ${name}`);
  }
  return json as Record<string, JsonValue>;
}
