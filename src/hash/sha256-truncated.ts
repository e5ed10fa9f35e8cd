/**
 * SHA-256 cut to 31 bytes behind one zero byte, so that the digest is a canonical BN254 scalar (Aztec's `sha256Trunc`).
 */
import { concatBytes } from '../bytes.js';
import { messageBlocks, sha256 } from './sha256.js';
import type { CpuKernels, Digest, GpuKernels, HashModule } from './types.js';

/**
 * One zero byte, then the first 31 bytes of SHA-256.
 *
 * @example
 * ```ts
 * toHex(sha256Truncated(new Uint8Array(0))); // '0x00e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b8'
 * ```
 */
export function sha256Truncated(message: Uint8Array): Digest {
  return concatBytes(new Uint8Array(1), sha256(message).subarray(0, 31));
}

export const reference: HashModule = {
  id: 'sha256-truncated',
  hash: sha256Truncated,
  hashPair: (left, right) => sha256Truncated(concatBytes(left, right)),
  messageBlocks,
};

export const cpu = (): Promise<CpuKernels> => import('../generated/cpu/sha256-truncated.js');
export const gpu = (): Promise<GpuKernels> => import('../generated/gpu/sha256-truncated.js');
