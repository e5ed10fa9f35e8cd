import type { Digest } from '../bytes.js';
import { reference } from '../hash/sha256.js';

const zeros: Digest[] = [];

/** Root of a subtree of zero chunks, `height` levels high, 32 bytes; not to be written to. */
export function zeroRoot(height: number): Digest {
  if (!zeros.length) zeros.push(new Uint8Array(32));
  // Constants of the hash, not work of a hasher: no counter moves.
  while (zeros.length <= height) zeros.push(reference.hashPair(zeros.at(-1)!, zeros.at(-1)!));
  return zeros[height]!;
}
