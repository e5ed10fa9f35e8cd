/** Keccak-256 as Ethereum has it, with the padding that FIPS 202 changed for SHA3-256. */
import { concatBytes } from '../bytes.js';
import { sponge, spongeBlocks } from './keccak.js';
import type { CpuKernels, Digest, GpuKernels, HashModule } from './types.js';

/** The domain bits and the first bit of padding that follow a message. */
export const SUFFIX = 0x01;

/**
 * Keccak-256 of a message of any length.
 *
 * @example
 * ```ts
 * toHex(keccak256(new TextEncoder().encode('abc'))); // '0x4e03657a…a12d6c45'
 * ```
 */
export function keccak256(message: Uint8Array): Digest {
  return sponge(message, SUFFIX, 32);
}

export const reference: HashModule = {
  id: 'keccak256',
  hash: keccak256,
  hashPair: (left, right) => keccak256(concatBytes(left, right)),
  messageBlocks: spongeBlocks,
};

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/keccak256.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/keccak256.js');
