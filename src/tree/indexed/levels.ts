/**
 * The levels of one change: one layer of pairs for each, whatever it is made of.
 */
import type { JobOptions } from '../../backend/types.js';
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { throwIfAborted } from '../../errors.js';
import type { Hasher } from '../../hasher.js';
import { hashLayer } from '../layers.js';
import { bytesOf, DIGEST_WORDS, wordsOf } from '../node-words.js';
import type { Changes } from './changes.js';
import type { PageSet } from './pages.js';
import type { Steps } from './steps.js';

/** Leaves to rewrite one after the other, and after them leaves that change all at once. */
export interface LevelJob extends JobOptions {
  readonly steps: Steps;
  readonly changes: Changes;
  readonly pages: PageSet;
  readonly depth: number;
  /** What progress counts: the values that are inserted. */
  readonly total: number;
  /** Called when the steps have left their nodes of a level in the pages, and the changes have not yet. */
  readonly onSteps?: (level: number) => void;
}

/**
 * Hashes all levels and leaves their nodes in the pages; the root, undefined where nothing was to be done.
 *
 * Steps and changes share their layers: on each level the changes see the last nodes of the steps beside them, and the
 * steps never see those of the changes.
 *
 * @throws {CambiumError} `ABORTED`; what the hasher throws.
 */
export async function hashLevels(hasher: Hasher, job: LevelJob): Promise<Digest | undefined> {
  const { steps, changes, pages, depth, total, signal, onProgress, onSteps } = job;
  if (steps.count + changes.pairs === 0) return undefined;
  const most = steps.pairs(0) + changes.pairs;
  // One memory for all levels: no level is wider than the lowest, and its nodes are in the pairs before others follow.
  const memory = {
    pairs: new Uint32Array(2 * most * DIGEST_WORDS),
    parents: new Uint8Array(most * DIGEST_BYTES),
  };
  for (let level = 0; level < depth; level++) {
    throwIfAborted(signal);
    const ofSteps = steps.pairs(level);
    const count = ofSteps + changes.pairs;
    const pairs = memory.pairs.subarray(0, 2 * count * DIGEST_WORDS);
    const parents = memory.parents.subarray(0, count * DIGEST_BYTES);
    steps.fill(level, pages, pairs);
    onSteps?.(level);
    changes.fill(level, pages, pairs.subarray(2 * ofSteps * DIGEST_WORDS));
    await hashLayer(hasher, bytesOf(pairs), parents, signal);
    const words = wordsOf(parents);
    steps.take(level + 1, words.subarray(0, ofSteps * DIGEST_WORDS));
    changes.take(words.subarray(ofSteps * DIGEST_WORDS));
    onProgress?.({ done: Math.floor((total * (level + 1)) / depth), total, phase: 'levels' });
  }
  return bytesOf((changes.root ?? steps.root).slice() as Uint32Array<ArrayBuffer>);
}
