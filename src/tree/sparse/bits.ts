/**
 * Keys as strings of bits, most significant bit first.
 */

/** Bits of a key. */
export const KEY_BITS = 256;

/** Bytes of a key. */
export const KEY_BYTES = 32;

/** Bit `bit` of the key at `at`. */
export function bitAt(bytes: Uint8Array, at: number, bit: number): number {
  return (bytes[at + (bit >> 3)]! >> (7 - (bit & 7))) & 1;
}

/** How many leading bits two keys share, at most `limit`; the first `from` are known to be the same. */
export function commonBits(
  a: Uint8Array,
  aAt: number,
  b: Uint8Array,
  bAt: number,
  from: number,
  limit: number,
): number {
  const end = (limit + 7) >> 3;
  for (let byte = from >> 3; byte < end; byte++) {
    const difference = a[aAt + byte]! ^ b[bAt + byte]!;
    if (difference) return Math.min(limit, 8 * byte + Math.clz32(difference) - 24);
  }
  return limit;
}

/** Bytes that hold bits `from` to `to` of a key, where whole bytes of the key are kept. */
export function pathBytes(from: number, to: number): number {
  return ((to + 7) >> 3) - (from >> 3);
}

/** Writes bits `from` to `to` of a key, the other bits of their bytes zero, and returns where they end. */
export function writePath(
  out: Uint8Array,
  outAt: number,
  key: Uint8Array,
  keyAt: number,
  from: number,
  to: number,
): number {
  const first = from >> 3;
  const count = pathBytes(from, to);
  for (let i = 0; i < count; i++) out[outAt + i] = key[keyAt + first + i]!;
  if (count) {
    out[outAt]! &= 0xff >> (from & 7);
    if (to & 7) out[outAt + count - 1]! &= 0xff00 >> (to & 7);
  }
  return outAt + count;
}

/** Copies `count` bytes: for a few dozen of them far cheaper than a view and `set`. */
export function copyBytes(
  from: Uint8Array,
  fromAt: number,
  to: Uint8Array,
  toAt: number,
  count: number,
): void {
  for (let i = 0; i < count; i++) to[toAt + i] = from[fromAt + i]!;
}

/** Bytewise order of two keys: negative, 0 or positive. */
export function compareKeys(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number): number {
  for (let i = 0; i < KEY_BYTES; i++) {
    const difference = a[aAt + i]! - b[bAt + i]!;
    if (difference) return difference;
  }
  return 0;
}
