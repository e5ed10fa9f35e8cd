/** Up to this many bytes a loop is faster than the view that a `set` takes. */
const SHORT = 64;

/** Copies `length` bytes of `source` from `start` into `target` at `at`. */
export function copyBytes(
  target: Uint8Array,
  at: number,
  source: Uint8Array,
  start: number,
  length: number,
): void {
  if (length > SHORT) target.set(source.subarray(start, start + length), at);
  else for (let i = 0; i < length; i++) target[at + i] = source[start + i]!;
}

/** Copies `length` bytes from each of `starts` into `target`, `stride` bytes apart from `at` on. */
export function scatterBytes(
  target: Uint8Array,
  at: number,
  stride: number,
  source: Uint8Array,
  starts: Uint32Array,
  length: number,
): void {
  if (length > SHORT) {
    for (let i = 0; i < starts.length; i++) copyBytes(target, at + i * stride, source, starts[i]!, length);
    return;
  }
  const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const to = new DataView(target.buffer, target.byteOffset, target.byteLength);
  for (let i = 0; i < starts.length; i++) copyWords(to, at + i * stride, from, starts[i]!, length);
}

/** Copies few bytes at any address by words: a quarter of the steps. */
export function copyWords(
  target: DataView,
  at: number,
  source: DataView,
  start: number,
  length: number,
): void {
  const words = length & ~3;
  // Signed, because those need no heap numbers.
  for (let k = 0; k < words; k += 4) target.setInt32(at + k, source.getInt32(start + k, true), true);
  for (let k = words; k < length; k++) target.setUint8(at + k, source.getUint8(start + k));
}
