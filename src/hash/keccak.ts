/** Keccak-f[1600] and the sponge of rate 136 over it (FIPS 202). Lanes are `state[x + 5 * y]`. */
import type { Digest } from '../bytes.js';

const RATE_BYTES = 136;
const MASK = 0xffffffffffffffffn;

const rotateLeft = (x: bigint, n: bigint): bigint => ((x << n) | (x >> (64n - n))) & MASK;

/** One bit of the round constants' register, x^8 + x^6 + x^5 + x^4 + 1 (FIPS 202, 3.2.5), as a generator. */
function* constantBits(): Generator<bigint> {
  for (let register = 1; ; register = (register << 1) ^ (register & 0x80 ? 0x171 : 0)) {
    yield BigInt(register & 1);
  }
}

/** The permutation: 24 rounds, in place. */
function keccakF(state: bigint[]): void {
  const bits = constantBits();
  for (let round = 0; round < 24; round++) {
    // Theta: each lane takes up the parities of two neighbouring columns.
    const parity = Array.from({ length: 5 }, (_, x) =>
      [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ state[x + y]!, 0n),
    );
    for (let i = 0; i < 25; i++) state[i]! ^= parity[(i + 4) % 5]! ^ rotateLeft(parity[(i + 1) % 5]!, 1n);
    // Rho and pi: along one path through all lanes but the first.
    for (let t = 0, x = 1, y = 0, moving = state[1]!; t < 24; t++) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      const next = state[x + 5 * y]!;
      state[x + 5 * y] = rotateLeft(moving, BigInt((((t + 1) * (t + 2)) / 2) % 64));
      moving = next;
    }
    // Chi: the only step that is not linear.
    for (let y = 0; y < 25; y += 5) {
      const row = state.slice(y, y + 5);
      for (let x = 0; x < 5; x++) state[x + y] = row[x]! ^ (row[(x + 2) % 5]! & ~row[(x + 1) % 5]! & MASK);
    }
    // Iota.
    for (let j = 0; j < 7; j++) state[0]! ^= (bits.next().value as bigint) << BigInt(2 ** j - 1);
  }
}

/** Absorbs a message with the domain bits `suffix` behind it, and squeezes `outputBytes`. */
function keccak(message: Uint8Array, suffix: number, outputBytes: number): Digest {
  const padded = new Uint8Array((Math.floor(message.length / RATE_BYTES) + 1) * RATE_BYTES);
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
  return keccak(message, 0x1f, outputBytes);
}
