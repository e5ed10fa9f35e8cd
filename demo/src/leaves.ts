/** Leaves that are made up: the same on every machine. */

/**
 * `count` leaves of 32 bytes that every hash takes: the first byte of each is zero for fields of 254 bits in
 * big-endian order, the last of each eight for fields of 64 bits in little-endian order.
 */
export function madeLeaves(count: number): Uint8Array<ArrayBuffer> {
  const leaves = new Uint8Array(32 * count);
  const words = new Uint32Array(leaves.buffer);
  let state = 0x9e3779b9;
  for (let i = 0; i < words.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[i] = state;
  }
  for (let at = 0; at < leaves.length; at += 8) {
    leaves[at + 7] = 0;
    if (at % 32 === 0) leaves[at] = 0;
  }
  return leaves;
}
