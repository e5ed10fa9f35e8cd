/** SHA3-256 (FIPS 202). */
import { concatBytes } from '../bytes.js';
import { sponge, spongeBlocks } from './keccak.js';
import type { CpuKernels, Digest, GpuKernels, HashModule } from './types.js';

/** The domain bits and the first bit of padding that follow a message. */
export const SUFFIX = 0x06;

/**
 * SHA3-256 of a message of any length.
 *
 * @example
 * ```ts
 * toHex(sha3_256(new TextEncoder().encode('abc'))); // '0x3a985da7…11431532'
 * ```
 */
export function sha3_256(message: Uint8Array): Digest {
  return sponge(message, SUFFIX, 32);
}

export const reference: HashModule = {
  id: 'sha3-256',
  hash: sha3_256,
  hashPair: (left, right) => sha3_256(concatBytes(left, right)),
  messageBlocks: spongeBlocks,
};

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/sha3-256.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/sha3-256.js');
