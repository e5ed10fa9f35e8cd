/** Leaves that page, worker, Deno and Node make alike. */

/**
 * `count` leaves of 32 bytes that are canonical for every hash: the first byte of each is zero for fields of 254 bits
 * in big-endian, every eighth for words of 64 bits in little-endian.
 */
export function leavesOf(count: number): Uint8Array<ArrayBuffer> {
  const leaves = new Uint8Array(32 * count);
  let state = 1;
  for (let i = 0; i < leaves.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    if (i % 32 !== 0 && i % 8 !== 7) leaves[i] = state >>> 24;
  }
  return leaves;
}

/** Messages of 0 to `count - 1` bytes. */
export function messagesOf(count: number): { messages: Uint8Array<ArrayBuffer>; lengths: Uint32Array } {
  const lengths = Uint32Array.from({ length: count }, (_, i) => i);
  return { messages: leavesOf(Math.ceil(count ** 2 / 64)).subarray(0, (count * (count - 1)) / 2), lengths };
}
