/**
 * SHA-256 (FIPS 180-4): reference code and kernels.
 *
 * Reads like the standard on purpose; whole layers go to the kernels.
 */
import { concatBytes } from '../bytes.js';
import { primeRoots } from './prime-roots.js';
import type { CpuKernels, Digest, GpuKernels, HashModule } from './types.js';

const BLOCK_BYTES = 64;

const rotateRight = (x: number, n: number): number => (x >>> n) | (x << (32 - n));

const words = (bits: readonly bigint[]): Uint32Array<ArrayBuffer> => Uint32Array.from(bits, Number);

/** The 64 round constants. */
export const roundConstants: Uint32Array<ArrayBuffer> = /* @__PURE__ */ words(primeRoots(64, 3, 32));

/** The eight words of the initial state. */
export const initialState: Uint32Array<ArrayBuffer> = /* @__PURE__ */ words(primeRoots(8, 2, 32));

/** The 64-word message schedule of one block, given its 16 words. */
export function messageSchedule(block: ArrayLike<number>): Uint32Array<ArrayBuffer> {
  const w = new Uint32Array(64);
  for (let t = 0; t < 16; t++) w[t] = block[t]!;
  for (let t = 16; t < 64; t++) {
    const a = w[t - 15]!;
    const b = w[t - 2]!;
    const s0 = rotateRight(a, 7) ^ rotateRight(a, 18) ^ (a >>> 3);
    const s1 = rotateRight(b, 17) ^ rotateRight(b, 19) ^ (b >>> 10);
    w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
  }
  return w;
}

/** Folds one block's schedule into the state. */
function compress(state: Uint32Array, w: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let t = 0; t < 64; t++) {
    const sum1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + roundConstants[t]! + w[t]!) | 0;
    const sum0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const t2 = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => {
    state[i]! += word;
  });
}

/** Blocks that a message of `length` bytes takes: the bytes, one 0x80, eight bytes of bit length. */
export function messageBlocks(length: number): number {
  return Math.ceil((length + 9) / BLOCK_BYTES);
}

/**
 * SHA-256 of a message of any length.
 *
 * @example
 * ```ts
 * toHex(sha256(new TextEncoder().encode('abc'))); // '0xba7816bf…f20015ad'
 * ```
 */
export function sha256(message: Uint8Array): Digest {
  const padded = new Uint8Array(messageBlocks(message.length) * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);

  const state = initialState.slice();
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    compress(state, messageSchedule(Array.from({ length: 16 }, (_, t) => view.getUint32(at + 4 * t))));
  }
  const digest = new Uint8Array(32);
  const out = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) out.setUint32(4 * i, state[i]!);
  return digest;
}

export const reference: HashModule = {
  id: 'sha256',
  hash: sha256,
  hashPair: (left, right) => sha256(concatBytes(left, right)),
  messageBlocks,
};

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/sha256.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/sha256.js');
