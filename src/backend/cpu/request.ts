/** One block of work as it lies in a slot, and how any thread does it. */
import { DIGEST_BYTES } from '../../bytes.js';
import type { SyncEngine } from '../types.js';

export const PAIRS = 0;
export const MESSAGES = 1;
export const TREE = 2;
export const ROWS = 3;

/** All numbers, so that it fits into shared memory. */
export interface Request {
  /** Key of the engine in the pool. */
  readonly engine: number;
  readonly kind: typeof PAIRS | typeof MESSAGES | typeof TREE | typeof ROWS;
  /** Pairs, messages, leaves, or rows. */
  readonly count: number;
  /** `MESSAGES`: bytes of all messages; the input is their lengths, then they. `ROWS`: bytes of all rows. */
  readonly bytes: number;
  /** `TREE`: levels to fold; `count` is a multiple of 2^levels. */
  readonly levels: number;
  /** `ROWS`: elements of a row. */
  readonly rowElements: number;
}

/** Bytes of a request's input. */
export function inputBytes({ kind, count, bytes }: Request): number {
  if (kind === PAIRS) return count * 2 * DIGEST_BYTES;
  if (kind === TREE) return count * DIGEST_BYTES;
  return kind === ROWS ? bytes : count * 4 + bytes;
}

/** Bytes of a request's output. */
export function outputBytes({ kind, count, levels }: Request): number {
  return (kind === TREE ? count - (count >> levels) : count) * DIGEST_BYTES;
}

/** Levels 1 to `levels` of whole subtrees, one behind the other in `out`. */
export function foldLevels(engine: SyncEngine, leaves: Uint8Array, levels: number, out: Uint8Array): void {
  let nodes = leaves;
  let at = 0;
  for (let level = 0; level < levels; level++) {
    const parents = out.subarray(at, at + nodes.length / 2);
    engine.hashPairs(nodes, parents);
    at += parents.length;
    nodes = parents;
  }
}

/** Does the work of one slot. */
export function execute(engine: SyncEngine, request: Request, input: Uint8Array, output: Uint8Array): void {
  const { kind, count, levels, rowElements } = request;
  const content = input.subarray(0, inputBytes(request));
  const result = output.subarray(0, outputBytes(request));
  if (kind === PAIRS) engine.hashPairs(content, result);
  else if (kind === TREE) foldLevels(engine, content, levels, result);
  else if (kind === ROWS) engine.hashRows!(content, rowElements, result);
  else {
    const lengths = new Uint32Array(content.buffer, content.byteOffset, count);
    engine.hashMessages!(content.subarray(4 * count), lengths, result);
  }
}
