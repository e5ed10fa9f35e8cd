/** Whether a shard's bytes are those that its submitter saw: their number, and a digest of some or all of them. */
import { createHash, type Hash } from 'node:crypto';
import { CambiumError } from '../errors.js';
import type { Shard } from './plan.js';
import type { SourceReader } from './source.js';

/** `sample`: the first, middle and last bytes of each shard; `full`: all, which the submitter must read beforehand. */
export type SourceCheck = 'sample' | 'full';

/** Bytes of each of the three samples. */
const SAMPLE = 4096;

/** Ranges of a shard that are digested: ascending, apart. */
function windows({ from, to }: Shard, check: SourceCheck): { from: number; to: number }[] {
  if (check === 'full' || to - from <= 3 * SAMPLE) return [{ from, to }];
  const middle = from + Math.floor((to - from) / 2 / SAMPLE) * SAMPLE;
  return [from, middle, to - SAMPLE].map((start) => ({ from: start, to: start + SAMPLE }));
}

/** The digest of an unread shard, hexadecimal. */
export async function fingerprint(
  reader: SourceReader,
  shard: Shard,
  check: SourceCheck,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256');
  for (const { from, to } of windows(shard, check)) {
    for await (const piece of reader.read(from, to, signal)) hash.update(piece);
  }
  return hash.digest('hex');
}

/** Passes a shard's bytes on, and refuses them at their end unless they are the submitter's. */
export async function* checkedBytes(
  pieces: AsyncIterable<Uint8Array>,
  shard: Shard,
  check: SourceCheck,
  expected: string,
  name: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const wanted = windows(shard, check);
  let at = shard.from;
  for await (const piece of pieces) {
    for (const window of wanted) digestOverlap(hash, piece, at, window);
    at += piece.length;
    yield piece;
  }
  if (at !== shard.to) {
    throw new CambiumError(
      'SOURCE_CHANGED',
      `${name}: expected ${shard.to - shard.from} bytes from ${shard.from} on, got ${at - shard.from}`,
    );
  }
  if (hash.digest('hex') !== expected) {
    throw new CambiumError('SOURCE_CHANGED', `${name}: bytes ${shard.from} to ${shard.to} are others now`);
  }
}

function digestOverlap(
  hash: Hash,
  piece: Uint8Array,
  at: number,
  window: { readonly from: number; readonly to: number },
): void {
  const start = Math.max(window.from, at);
  const end = Math.min(window.to, at + piece.length);
  if (start < end) hash.update(piece.subarray(start - at, end - at));
}
