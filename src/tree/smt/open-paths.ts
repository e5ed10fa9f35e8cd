/**
 * Openings: a leaf and the nodes beside its path.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { DIGEST_WORDS, wordsOf } from '../node-words.js';
import { ownLeaves } from './change.js';
import { heapIndex, meetingHeight, type Paths } from './layout.js';
import { type Found, readPaths, type SmtAt } from './read.js';
import type { LeafRecord } from './record.js';

/** One leaf and its path. */
export interface Opening {
  /** Undefined where the leaf is empty. */
  readonly leaf: LeafRecord | undefined;
  /** 32 bytes each, from the leaf upward. */
  readonly siblings: readonly Digest[];
}

/**
 * Opens ascending, distinct paths.
 *
 * @throws {CambiumError} `STORE_CORRUPT`; what the store throws.
 */
export async function openPaths(at: SmtAt, paths: Paths, isEmpty: boolean): Promise<Opening[]> {
  const found = await readPaths(at, paths, isEmpty);
  return ownLeaves(paths, found).map((leaf, path) => ({
    leaf,
    siblings: siblingsOf(at, paths, found, path),
  }));
}

function siblingsOf(
  { depth, bands, zeros }: SmtAt,
  { high, low }: Paths,
  found: Found,
  path: number,
): Digest[] {
  const [ownHigh, ownLow] = [high[path]!, low[path]!];
  const other = found.leaves[found.leafOf[path]!];
  // Below its slot, a leaf that is alone there is beside every other path at one height.
  const beside = other ? meetingHeight(other.high, other.low, ownHigh, ownLow) - 1 : -1;
  let band = bands.length - 1;
  return Array.from({ length: depth }, (_, height) => {
    if (height === bands[band]!.top) band--;
    const node = new Uint8Array(DIGEST_BYTES);
    const heights = bands[band]!;
    if (band < found.bandsRead[path]!) {
      const place = heapIndex(ownHigh, ownLow, height, heights) ^ 1;
      if (found.pages[band]![path]!.read(place, wordsOf(node), 0)) return node;
    } else if (height === beside) {
      wordsOf(node).set(other!.record.chain.subarray(height * DIGEST_WORDS, (height + 1) * DIGEST_WORDS));
      return node;
    }
    node.set(zeros[height]!);
    return node;
  });
}
