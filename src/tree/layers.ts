import { DIGEST_BYTES, type Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';

/** Layers that take less, in milliseconds, are done sooner on the caller's thread than they are handed to another. */
const LEAST_SPLIT = 0.06;
/** Most pairs that are worth measuring; wider layers go to threads or GPU whatever they take. */
const NARROW = 64;
/** As long as the time of a pair is not known. */
const FIRST_GUESS = 16;

/** Milliseconds of one pair hash, the least seen; hashes differ by a factor of thousands. */
const pairTimes: WeakMap<Hasher, number> = /* @__PURE__ */ new WeakMap();

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
  const count = out.length / DIGEST_BYTES;
  const known = pairTimes.get(hasher);
  const most = known === undefined ? FIRST_GUESS : Math.min(NARROW, LEAST_SPLIT / known);
  // A single pair leaves others nothing to do.
  if (count > 1 && count > most) {
    await hasher.hashPairs(nodes, out, signal ? { signal } : {});
    return;
  }
  const began = performance.now();
  hasher.hashPairsSync(nodes, out);
  const each = (performance.now() - began) / count;
  // Clocks of browsers stand still for a while.
  if (each > 0) pairTimes.set(hasher, Math.min(each, known ?? each));
}
