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
