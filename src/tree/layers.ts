import type { Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';

/** Up to this many hashes a layer is done sooner on the caller's thread than it is handed to another. */
const NARROW = 16;

/**
 * Hashes a layer of pairs into `out`: `2n x 32` bytes to `n x 32`, on the caller's thread when it is narrow.
 *
 * @throws {CambiumError} what the hasher throws; `ABORTED` when the signal fires within a wide layer.
 */
export async function hashLayer(
  hasher: Hasher,
  nodes: Uint8Array,
  out: Digest,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (nodes.length <= NARROW * 64) hasher.hashPairsSync(nodes, out);
  else await hasher.hashPairs(nodes, out, signal ? { signal } : {});
}
