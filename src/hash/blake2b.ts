/** BLAKE2b (RFC 7693) with 32-byte digests: 12 rounds over 64-bit words; the length of the digest goes into the hash, so it is no cut BLAKE2b-512. */
import { concatBytes } from '../bytes.js';
import { blakeWords64 } from './blake.js';
import { type Blake2, blake2, blake2Blocks, blake2Family } from './blake2.js';
import type { CpuKernels, Digest, GpuKernels, HashModule } from './types.js';

/** What the kernels are made from as well. */
export const family: Blake2 = /* @__PURE__ */ blake2Family(blakeWords64, 12);

/**
 * BLAKE2b of a message of any length, 32 bytes.
 *
 * @example
 * ```ts
 * toHex(blake2b(new TextEncoder().encode('abc'))); // '0xbddd813c…68d52319'
 * ```
 */
export function blake2b(message: Uint8Array): Digest {
  return blake2(family, message);
}

export const reference: HashModule = {
  id: 'blake2b',
  hash: blake2b,
  hashPair: (left, right) => blake2b(concatBytes(left, right)),
  messageBlocks: (length) => blake2Blocks(family, length),
};

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/blake2b.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/blake2b.js');
