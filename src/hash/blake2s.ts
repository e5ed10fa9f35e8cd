/** BLAKE2s (RFC 7693) with 32-byte digests: 10 rounds over 32-bit words. */
import { concatBytes } from '../bytes.js';
import { blakeWords32 } from './blake.js';
import { type Blake2, blake2, blake2Blocks, blake2Family } from './blake2.js';
import type { CpuKernels, Digest, GpuKernels, HashModule } from './types.js';

/** What the kernels are made from as well. */
export const family: Blake2 = /* @__PURE__ */ blake2Family(blakeWords32, 10);

/**
 * BLAKE2s of a message of any length, 32 bytes.
 *
 * @example
 * ```ts
 * toHex(blake2s(new TextEncoder().encode('abc'))); // '0x508c5e8c…86675982'
 * ```
 */
export function blake2s(message: Uint8Array): Digest {
  return blake2(family, message);
}

export const reference: HashModule = {
  id: 'blake2s',
  hash: blake2s,
  hashPair: (left, right) => blake2s(concatBytes(left, right)),
  messageBlocks: (length) => blake2Blocks(family, length),
};

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/blake2s.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/blake2s.js');
