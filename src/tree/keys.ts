import { concatBytes, type Digest } from '../bytes.js';

const MAX_NAME_BYTES = 200;

/**
 * What all keys of a tree begin with: its name in UTF-8 and a zero byte, so that no name begins another one's keys.
 *
 * @throws {TypeError} when `name` is no string. @throws {RangeError} unless it has 1 to 200 bytes and no zero character.
 */
export function keyPrefix(name: string): Digest {
  if (typeof name !== 'string') throw new TypeError(`name: expected a string, got ${typeof name}`);
  const bytes = new TextEncoder().encode(name);
  // A lone surrogate has no UTF-8 form: two such names would share their keys.
  const faithful = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) === name;
  if (bytes.length < 1 || bytes.length > MAX_NAME_BYTES || bytes.includes(0) || !faithful) {
    throw new RangeError(
      `name: expected 1 to ${MAX_NAME_BYTES} bytes of UTF-8 without a zero, got ${JSON.stringify(name)}`,
    );
  }
  return concatBytes(bytes, Uint8Array.of(0));
}

/** The key of the one entry of its kind that a tree has; `kind` is one ASCII character. */
export function singleKey(prefix: Uint8Array, kind: string): Digest {
  return concatBytes(prefix, new TextEncoder().encode(kind));
}

/** The key of what a tree keeps by level and position, in the order of both; `kind` is one ASCII character. */
export function positionKey(prefix: Uint8Array, kind: string, level: number, index: number | bigint): Digest {
  const key = new Uint8Array(prefix.length + 10);
  key.set(prefix);
  key[prefix.length] = kind.charCodeAt(0);
  key[prefix.length + 1] = level;
  writeIndex(key, prefix.length + 2, index);
  return key;
}

/** Writes a position in eight bytes, big-endian. */
export function writeIndex(bytes: Uint8Array, at: number, index: number | bigint): void {
  if (typeof index === 'bigint') {
    new DataView(bytes.buffer, bytes.byteOffset + at, 8).setBigUint64(0, index);
    return;
  }
  // Byte by byte: a view costs many times as much.
  let rest = index;
  for (let i = at + 7; i >= at; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}
