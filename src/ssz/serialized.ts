import { assertBytes, type Digest } from '../bytes.js';
import { serialize } from './serialize.js';
import type { SszType, SszValue } from './types.js';

/** An encoding in place of a value; made by {@link serialized}. */
export class Serialized {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/**
 * Says that these bytes are an encoding, wherever a value is taken: `hashTreeRoot(hasher, type, serialized(bytes))`.
 *
 * @throws {TypeError} when `bytes` is no byte array.
 */
export function serialized(bytes: Uint8Array): Serialized {
  assertBytes(bytes, 'bytes');
  return new Serialized(bytes);
}

/** The encoding of what stands for a value. */
export function encodingOf(type: SszType, value: SszValue | Serialized): Uint8Array | Digest {
  return value instanceof Serialized ? value.bytes : serialize(type, value);
}
