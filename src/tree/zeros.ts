/**
 * Zero digests: what stands for a whole subtree of empty leaves.
 */
import type { Digest } from '../bytes.js';
import type { HashSpec } from '../hash/types.js';

const known: WeakMap<HashSpec, Digest[]> = /* @__PURE__ */ new WeakMap();

/**
 * Zero digests of levels 0 to `level`, and perhaps more; not to be written to.
 *
 * Made by the reference code and kept: they are constants of the hash, not work of a hasher, so no counter moves.
 */
export async function zeroDigests(spec: HashSpec, level: number): Promise<readonly Digest[]> {
  const { hashPair } = await spec.load();
  const zeros = known.get(spec) ?? [spec.zero];
  known.set(spec, zeros);
  while (zeros.length <= level) zeros.push(hashPair(zeros.at(-1)!, zeros.at(-1)!));
  return zeros;
}
