/** Leaves that are hashed from a stream of bytes: any number of them in the memory of a few batches. */
import { concatBytes } from './bytes.js';
import type { Hasher } from './hasher.js';

/** Bytes of messages that are hashed at a time, unless one message alone is longer. */
const BATCH_BYTES = 8 * 2 ** 20;

/** Messages one behind the other, with their lengths in bytes. */
export interface MessageBatch {
  readonly messages: Uint8Array;
  readonly lengths: Uint32Array;
}

type MessageHasher = Pick<Hasher, 'hashMessages'>;

/** Hashes batch after batch; while one is hashed, the next is read and handed over too. */
export async function* hashBatches(
  batches: AsyncIterable<MessageBatch>,
  hasher: MessageHasher,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let earlier: Promise<Uint8Array> | undefined;
  for await (const { messages, lengths } of batches) {
    const digests = hasher.hashMessages(messages, lengths, signal ? { signal } : {});
    // It may fail while the one before it is awaited, and is awaited itself in the next round.
    digests.catch(() => {});
    if (earlier) yield await earlier;
    earlier = digests;
  }
  if (earlier) yield await earlier;
}

/** The digests of runs of `blockBytes` bytes; the last run may be shorter. */
export function hashBlocks(
  pieces: AsyncIterable<Uint8Array>,
  blockBytes: number,
  hasher: MessageHasher,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  return hashBatches(cutBlocks(pieces, blockBytes), hasher, signal);
}

async function* cutBlocks(
  pieces: AsyncIterable<Uint8Array>,
  blockBytes: number,
): AsyncGenerator<MessageBatch> {
  for await (const messages of wholeUnits(pieces, blockBytes)) {
    const lengths = new Uint32Array(Math.ceil(messages.length / blockBytes)).fill(blockBytes);
    lengths[lengths.length - 1] = messages.length - (lengths.length - 1) * blockBytes;
    yield { messages, lengths };
  }
}

/** Batches of whole units but for the end of the stream, each in memory of its own. */
async function* wholeUnits(pieces: AsyncIterable<Uint8Array>, unit: number): AsyncGenerator<Uint8Array> {
  const bytes = Math.max(1, Math.floor(BATCH_BYTES / unit)) * unit;
  let kept: Uint8Array[] = [];
  let held = 0;
  for await (const piece of pieces) {
    let rest = piece;
    while (held + rest.length >= bytes) {
      const needed = bytes - held;
      yield concatBytes(...kept, rest.subarray(0, needed));
      rest = rest.subarray(needed);
      kept = [];
      held = 0;
    }
    if (rest.length) kept.push(rest);
    held += rest.length;
  }
  if (held) yield concatBytes(...kept);
}
