/** The levels above the shards. */
import { concatBytes, DIGEST_BYTES, type Digest, digestAt } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { hashLayer } from '../tree/layers.js';
import { zeroDigests } from '../tree/zeros.js';
import type { ShardPlan } from './plan.js';

/** The roots of the shards and every level above them, the root of the tree last. */
export async function foldShards(
  hasher: Hasher,
  { padding, height, depth }: Pick<ShardPlan, 'padding' | 'height' | 'depth'>,
  roots: Digest,
  signal?: AbortSignal,
): Promise<readonly Digest[]> {
  const zeros = padding === 'zero' ? await zeroDigests(hasher.spec, depth) : [];
  const layers = [roots];
  for (let level = height; level < depth; level++) {
    const nodes = layers.at(-1)!;
    const odd = (nodes.length / DIGEST_BYTES) % 2 === 1;
    const last = digestAt(nodes, nodes.length / DIGEST_BYTES - 1);
    if (odd && padding === 'promote') {
      const pairs = nodes.subarray(0, nodes.length - DIGEST_BYTES);
      layers.push(concatBytes(await parents(hasher, pairs, signal), last));
    } else {
      const beside = padding === 'zero' ? zeros[level]! : last;
      layers.push(await parents(hasher, odd ? concatBytes(nodes, beside) : nodes, signal));
    }
  }
  return layers;
}

async function parents(hasher: Hasher, nodes: Uint8Array, signal: AbortSignal | undefined): Promise<Digest> {
  const out = new Uint8Array(nodes.length / 2);
  await hashLayer(hasher, nodes, out, signal);
  return out;
}
