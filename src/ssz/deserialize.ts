/** Bytes to values. Many encodings of one type are read at once, as they are hashed. */
import { assertBytes } from '../bytes.js';
import {
  bitLengths,
  byteLengths,
  checkBooleans,
  elementScopes,
  fieldScopes,
  pickScopes,
  type Scopes,
  unionScopes,
  wholeScope,
} from './scopes.js';
import type { ContainerType, SszType, SszValue, UintType, UnionType } from './types.js';

/**
 * The value of an encoding. An encoding that is accepted serializes to the same bytes again.
 *
 * @throws {TypeError} when `bytes` is no byte array.
 * @throws {CambiumError} `MALFORMED` for bytes that encode no value of the type; the message names the byte.
 */
export function deserialize(type: SszType, bytes: Uint8Array): SszValue {
  assertBytes(bytes, 'bytes');
  return valuesOf(type, bytes, wholeScope(type, bytes))[0]!;
}

function valuesOf(type: SszType, bytes: Uint8Array, scopes: Scopes): SszValue[] {
  const { starts, ends } = scopes;
  const each = <T>(read: (start: number, i: number) => T): T[] => Array.from(starts, read);
  switch (type.kind) {
    case 'uint':
      return uints(type, bytes, starts);
    case 'boolean':
      return each((start) => {
        checkBooleans(bytes, start, start + 1);
        return bytes[start] === 1;
      });
    case 'bytes':
      byteLengths(type, scopes);
      return each((start, i) => new Uint8Array(bytes.subarray(start, ends[i]!)));
    case 'bits': {
      const lengths = bitLengths(type, bytes, scopes);
      return each((start, i) =>
        Array.from(
          { length: lengths[i]! },
          (_, bit) => ((bytes[start + (bit >> 3)]! >> (bit & 7)) & 1) === 1,
        ),
      );
    }
    case 'sequence': {
      const elements = elementScopes(type, bytes, scopes);
      const values = valuesOf(type.element, bytes, elements);
      let at = 0;
      return each((_, i) => {
        at += elements.counts[i]!;
        return values.slice(at - elements.counts[i]!, at);
      });
    }
    case 'container':
      return containers(type, bytes, scopes);
    case 'union':
      return unions(type, bytes, scopes);
    default:
      return each(() => null);
  }
}

function uints({ fixedBytes }: UintType, bytes: Uint8Array, starts: Uint32Array): (number | bigint)[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from(starts, (start) => {
    if (fixedBytes === 1) return view.getUint8(start);
    if (fixedBytes === 2) return view.getUint16(start, true);
    if (fixedBytes === 4) return view.getUint32(start, true);
    let value = 0n;
    for (let word = fixedBytes - 8; word >= 0; word -= 8) {
      value = (value << 64n) | view.getBigUint64(start + word, true);
    }
    return value;
  });
}

function containers(type: ContainerType, bytes: Uint8Array, scopes: Scopes): SszValue[] {
  const fields = fieldScopes(type, bytes, scopes);
  const columns = type.fields.map((field, i) => valuesOf(field.type, bytes, fields[i]!));
  return Array.from(scopes.starts, (_, i) => {
    const value: Record<string, SszValue> = {};
    type.fields.forEach(({ name }, f) => {
      value[name] = columns[f]![i]!;
    });
    return value;
  });
}

function unions(type: UnionType, bytes: Uint8Array, scopes: Scopes): SszValue[] {
  const { selectors, data } = unionScopes(type, bytes, scopes);
  const values = new Array<SszValue>(selectors.length);
  for (const [selector, option] of type.options) {
    const holders = [...selectors.keys()].filter((i) => selectors[i] === selector);
    if (!holders.length) continue;
    valuesOf(option, bytes, pickScopes(data, holders)).forEach((value, h) => {
      values[holders[h]!] = { selector, data: value };
    });
  }
  return values;
}
