/** Which messages go to the device together, in which pieces and in which order. Pure arithmetic. */

/**
 * Bytes that one dispatch hashes of one message at most: a lane works through them alone, while a watchdog waits.
 *
 * A multiple of the blocks of all hashes of bytes (56, 64, 128, 136 bytes).
 */
export const PIECE_BYTES: number = 2176 * 238;

export interface MessageLimits {
  /** Bytes and messages of one batch. */
  readonly bytes: number;
  readonly count: number;
}

/** Consecutive messages that are hashed together. */
export interface MessageBatch {
  readonly first: number;
  readonly end: number;
  /** Bytes of the messages before the first. */
  readonly offset: number;
  /** Bytes of the longest message. */
  readonly longest: number;
}

/** Cuts messages into batches of which each needs at most `bytes` on the device at a time. */
export function* planBatches(lengths: Uint32Array, limits: MessageLimits): Generator<MessageBatch> {
  let first = 0;
  let offset = 0;
  let total = 0;
  let held = 0;
  let longest = 0;
  for (let i = 0; i < lengths.length; i++) {
    const length = lengths[i]!;
    const piece = Math.min(length, PIECE_BYTES);
    if (i > first && (held + piece > limits.bytes || i - first === limits.count)) {
      yield { first, end: i, offset, longest };
      offset += total;
      first = i;
      total = held = longest = 0;
    }
    total += length;
    held += piece;
    longest = Math.max(longest, length);
  }
  if (first < lengths.length) yield { first, end: lengths.length, offset, longest };
}

/** What a hash is to the plan. */
export interface MessageShape {
  /** Compressions that a message of so many bytes takes. */
  readonly blocksOf: (length: number) => number;
  /** As in `GpuKernels`. */
  readonly flatBytes?: number | undefined;
}

/** How many messages of a batch get memory of their own: those hashed in pieces, and those that are not flat. */
export function countMemories(
  lengths: Uint32Array,
  { first, end }: MessageBatch,
  { flatBytes = PIECE_BYTES }: MessageShape,
): number {
  return lengths
    .subarray(first, end)
    .reduce((count, length) => count + (needsMemory(length, flatBytes) ? 1 : 0), 0);
}

const needsMemory = (length: number, flatBytes: number): boolean => length > Math.min(PIECE_BYTES, flatBytes);

/** What one round hashes of a batch. */
export interface MessagePieces {
  /** Four words a piece, as `shaders/kernel/messages.wgsl` reads them: offset, length, leaf, memory. */
  readonly table: Uint32Array<ArrayBuffer>;
  /** Where each piece lies among the messages, in the order of the packed bytes. */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
  readonly bytes: number;
  /** Compressions that they take. */
  readonly blocks: number;
  /** Messages that end in this round. */
  readonly ended: number;
}

/**
 * Lists the pieces from byte `start` on, of each message of a batch that has one.
 *
 * A message that is not longer than `start` has ended in a round before; an empty one is hashed in the first.
 */
export function listPieces(
  lengths: Uint32Array,
  batch: MessageBatch,
  start: number,
  { blocksOf, flatBytes = PIECE_BYTES }: MessageShape,
): MessagePieces {
  const most = batch.end - batch.first;
  const rows = { offset: new Uint32Array(most), leaf: new Uint32Array(most), memory: new Uint32Array(most) };
  const keys = new Uint32Array(most);
  const spans: { from: number; to: number }[] = [];
  let [count, bytes, blocks, ended, memories] = [0, 0, 0, 0, 0];
  let from = batch.offset;
  for (let leaf = batch.first; leaf < batch.end; leaf++) {
    const length = lengths[leaf]!;
    const memory = needsMemory(length, flatBytes) ? memories++ : 0;
    if (length > start || start === 0) {
      const size = Math.min(length - start, PIECE_BYTES);
      rows.offset[count] = bytes;
      rows.leaf[count] = leaf;
      rows.memory[count] = memory;
      keys[count++] = blocksOf(size);
      blocks += keys[count - 1]!;
      if (length <= start + PIECE_BYTES) ended++;
      const last = spans.at(-1);
      if (last?.to === from + start) last.to += size;
      else spans.push({ from: from + start, to: from + start + size });
      bytes += size;
    }
    from += length;
  }
  const table = new Uint32Array(4 * count);
  orderByKey(keys.subarray(0, count)).forEach((piece, row) => {
    const leaf = rows.leaf[piece]!;
    table[4 * row] = rows.offset[piece]!;
    table[4 * row + 1] = lengths[leaf]!;
    table[4 * row + 2] = leaf;
    table[4 * row + 3] = rows.memory[piece]!;
  });
  return { table, spans, bytes, blocks, ended };
}

/** Numbers 0 to `keys.length`, ordered by key: neighbours on the device then have equally much to do. */
export function orderByKey(keys: Uint32Array): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(keys.reduce((most, key) => Math.max(most, key), 0) + 2);
  for (const key of keys) starts[key + 1]!++;
  for (let key = 1; key < starts.length; key++) starts[key]! += starts[key - 1]!;
  const order = new Uint32Array(keys.length);
  keys.forEach((key, i) => {
    order[starts[key]!++] = i;
  });
  return order;
}
