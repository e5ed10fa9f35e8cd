/** Digests as contiguous bytes: `n x 32`. */
export type Digest = Uint8Array<ArrayBuffer>;

/** Bytes of one digest, for every hash. */
export const DIGEST_BYTES = 32;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Lower-case hexadecimal with `0x` in front.
 *
 * @example
 * ```ts
 * toHex(new Uint8Array([1, 255])); // '0x01ff'
 * ```
 */
export function toHex(bytes: Uint8Array): string {
  let text = '0x';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/**
 * Bytes of a hexadecimal text, upper or lower case, with or without `0x`.
 *
 * @throws {TypeError} when `text` is no string.
 * @throws {RangeError} on an odd number of digits, or on a character that is no digit; the message gives its position.
 * @example
 * ```ts
 * fromHex('0x01FF'); // Uint8Array [1, 255]
 * ```
 */
export function fromHex(text: string): Digest {
  if (typeof text !== 'string') throw new TypeError(`fromHex: expected a string, got ${typeof text}`);
  const start = /^0x/i.test(text) ? 2 : 0;
  const digits = text.length - start;
  const bad = text.slice(start).search(/[^0-9a-f]/i);
  if (bad >= 0) {
    throw new RangeError(`fromHex: ${JSON.stringify(text[start + bad])} at ${start + bad} is no hex digit`);
  }
  if (digits % 2) throw new RangeError(`fromHex: expected an even number of digits, got ${digits}`);
  const bytes = new Uint8Array(digits / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(text.slice(start + 2 * i, start + 2 * i + 2), 16);
  }
  return bytes;
}

/** Whether two byte strings are the same. Not constant-time: digests here are public. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** One array after the other. */
export function concatBytes(...parts: readonly Uint8Array[]): Digest {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The bytes of digest `index` in an `n x 32` array, as a view. */
export function digestAt(digests: Uint8Array, index: number): Uint8Array {
  return digests.subarray(index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
}

/**
 * Refuses what is no byte array.
 *
 * @throws {TypeError} that names the argument.
 */
export function assertBytes(value: unknown, name: string): asserts value is Uint8Array {
  if (!(value instanceof Uint8Array)) {
    const got = value === null ? 'null' : (Object(value).constructor?.name ?? typeof value);
    throw new TypeError(`${name}: expected a Uint8Array, got ${got}`);
  }
}

/**
 * Refuses what is not exactly `bytes` long.
 *
 * @throws {TypeError} when it is no byte array. @throws {RangeError} when its length differs.
 */
export function assertLength(value: unknown, bytes: number, name: string): asserts value is Uint8Array {
  assertBytes(value, name);
  if (value.length !== bytes) throw new RangeError(`${name}: expected ${bytes} bytes, got ${value.length}`);
}

/**
 * Refuses what is not a whole number of units.
 *
 * @throws {TypeError} when it is no byte array. @throws {RangeError} when its length is no multiple of `unit`.
 */
export function assertMultiple(value: unknown, unit: number, name: string): asserts value is Uint8Array {
  assertBytes(value, name);
  if (value.length % unit) {
    throw new RangeError(`${name}: expected a multiple of ${unit} bytes, got ${value.length}`);
  }
}
