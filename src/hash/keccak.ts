/** Keccak-f[1600] and the sponge of rate 136 over it (FIPS 202). Lanes are `state[x + 5 * y]`. */
import type { Digest } from '../bytes.js';

/** Bytes of a block of the sponge. */
export const RATE_BYTES = 136;
const ROUNDS = 24;
const MASK = 0xffffffffffffffffn;

const rotateLeft = (x: bigint, n: bigint): bigint => ((x << n) | (x >> (64n - n))) & MASK;

/** One bit of the round constants' register, x^8 + x^6 + x^5 + x^4 + 1 (FIPS 202, 3.2.5), as a generator. */
function* constantBits(): Generator<bigint> {
  for (let register = 1; ; register = (register << 1) ^ (register & 0x80 ? 0x171 : 0)) {
    yield BigInt(register & 1);
  }
}

function deriveConstants(): bigint[] {
  const bits = constantBits();
  return Array.from({ length: ROUNDS }, () =>
    [0, 1, 2, 3, 4, 5, 6].reduce(
      (word, j) => word | ((bits.next().value as bigint) << BigInt(2 ** j - 1)),
      0n,
    ),
  );
}

/** One step of rho and pi: lane `from`, rotated left by `bits`, becomes lane `to`. */
export interface LaneMove {
  readonly from: number;
  readonly to: number;
  readonly bits: number;
}

function deriveMoves(): LaneMove[] {
  let [x, y] = [1, 0];
  return Array.from({ length: 24 }, (_, t) => {
    const from = x + 5 * y;
    [x, y] = [y, (2 * x + 3 * y) % 5];
    return { from, to: x + 5 * y, bits: (((t + 1) * (t + 2)) / 2) % 64 };
  });
}

/** What iota adds to the first lane, round by round. */
export const roundConstants: readonly bigint[] = /* @__PURE__ */ deriveConstants();

/** Rho and pi: one path through all lanes but the first, which stays. */
export const laneMoves: readonly LaneMove[] = /* @__PURE__ */ deriveMoves();

/** The permutation: 24 rounds, in place. */
function keccakF(state: bigint[]): void {
  for (const constant of roundConstants) {
    // Theta: each lane takes up the parities of two neighbouring columns.
    const parity = Array.from({ length: 5 }, (_, x) =>
      [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ state[x + y]!, 0n),
    );
    for (let i = 0; i < 25; i++) state[i]! ^= parity[(i + 4) % 5]! ^ rotateLeft(parity[(i + 1) % 5]!, 1n);
    const moved = state.slice();
    for (const { from, to, bits } of laneMoves) moved[to] = rotateLeft(state[from]!, BigInt(bits));
    // Chi: the only step that is not linear.
    for (let y = 0; y < 25; y += 5) {
      const row = moved.slice(y, y + 5);
      for (let x = 0; x < 5; x++) state[x + y] = row[x]! ^ (row[(x + 2) % 5]! & ~row[(x + 1) % 5]! & MASK);
    }
    // Iota.
    state[0]! ^= constant;
  }
}

/** Blocks of a message: its bytes and at least one of padding. */
export function spongeBlocks(length: number): number {
  return Math.floor(length / RATE_BYTES) + 1;
}

/** Absorbs a message with the domain bits `suffix` behind it, and squeezes `outputBytes`. */
export function sponge(message: Uint8Array, suffix: number, outputBytes: number): Digest {
  const padded = new Uint8Array(spongeBlocks(message.length) * RATE_BYTES);
  padded.set(message);
  padded[message.length]! ^= suffix;
  padded[padded.length - 1]! ^= 0x80;
  const input = new DataView(padded.buffer);
  const state = new Array<bigint>(25).fill(0n);
  for (let at = 0; at < padded.length; at += RATE_BYTES) {
    for (let i = 0; i < RATE_BYTES / 8; i++) state[i]! ^= input.getBigUint64(at + 8 * i, true);
    keccakF(state);
  }
  const output = new Uint8Array(Math.ceil(outputBytes / RATE_BYTES) * RATE_BYTES);
  const view = new DataView(output.buffer);
  for (let at = 0; at < output.length; at += RATE_BYTES) {
    if (at > 0) keccakF(state);
    for (let i = 0; i < RATE_BYTES / 8; i++) view.setBigUint64(at + 8 * i, state[i]!, true);
  }
  return output.slice(0, outputBytes);
}

/**
 * SHAKE256: `outputBytes` bytes from a message.
 *
 * @example
 * ```ts
 * toHex(shake256(new Uint8Array(0), 4)); // '0x46b9dd2b'
 * ```
 */
export function shake256(message: Uint8Array, outputBytes: number): Digest {
  return sponge(message, 0x1f, outputBytes);
}
