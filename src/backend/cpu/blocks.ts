/** Jobs cut into blocks. */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import type { SyncEngine } from '../types.js';
import { foldLevels, MESSAGES, PAIRS, type Request, TREE } from './request.js';
import { SLOT_INPUT_BYTES, SLOT_OUTPUT_BYTES } from './ring.js';
import type { Block } from './run-blocks.js';

const PAIR_BYTES = 2 * DIGEST_BYTES;
/** Most pairs of a block: a third of a millisecond of native code, so that handing it over costs little. */
export const MOST_PAIRS = 8192;
/** Most leaves of a subtree: with all levels, what a second-level cache holds. */
export const MOST_LEAVES: number = MOST_PAIRS;
