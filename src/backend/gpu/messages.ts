/** The leaf stage for byte messages. */
import { concatBytes } from '../../bytes.js';
import { type TakeBuffer, Usage } from './buffer-pool.js';
import type { HashOnGpu, Kernel } from './kernel.js';
import {
  countMemories,
  listPieces,
  type MessageBatch,
  type MessageShape,
  PIECE_BYTES,
  planBatches,
} from './message-plan.js';
import { dispatchItems, GROUP } from './plan.js';
import type { Range, Recorder } from './recorder.js';
import type { GpuBufferLike } from './types.js';

/** Messages one after the other. */
export interface Messages {
  readonly messages: Uint8Array;
  readonly lengths: Uint32Array;
}

export interface MessagesContext {
  readonly recorder: Recorder;
  readonly take: TakeBuffer;
  readonly kernel: Kernel;
  readonly shape: MessageShape;
}

/** How a hash's messages are planned. */
export const messageShape = ({ kernels, messageBlocks }: HashOnGpu): MessageShape => ({
  blocksOf: messageBlocks!,
  flatBytes: kernels.flatBytes,
});

/** Most bytes of messages on the device at a time. */
const BATCH_BYTES = 2 ** 25;
/** A kernel reads whole blocks and one word more, whatever follows a message. */
const SLACK_BYTES = 256;
/** Memory of one message, for the hash that keeps most. */
const MEMORY_BYTES = 1024;
/** Words of a row of the table of pieces. */
const ROW_WORDS = 4;
/** A pair is 64 bytes of message, give or take the padding. */
const BYTES_PER_HASH = 64;

interface BatchBuffers {
  readonly packed: GpuBufferLike;
  readonly pieces: GpuBufferLike;
  readonly memory: GpuBufferLike;
}

/** Hashes messages to `output`, in submits that stay within the time budget. */
export async function recordMessages(
  context: MessagesContext,
  source: Messages,
  output: Range,
): Promise<void> {
  const { recorder, take } = context;
  const { maxStorageBufferBindingSize: binding } = recorder.live.limits;
  const perSubmit = recorder.room;
  const limits = {
    bytes: Math.max(
      PIECE_BYTES,
      Math.min(BATCH_BYTES, binding - 2 * SLACK_BYTES, perSubmit * BYTES_PER_HASH),
    ),
    count: Math.min(dispatchItems(recorder.live.limits), Math.max(GROUP, perSubmit)),
  };
  const batches = [...planBatches(source.lengths, limits)];
  const count = batches.reduce((most, { first, end }) => Math.max(most, end - first), 0);
  const memories = batches.reduce(
    (most, batch) => Math.max(most, countMemories(source.lengths, batch, context.shape)),
    0,
  );
  const bytes = Math.min(source.messages.length, limits.bytes);
  const buffers: BatchBuffers = {
    packed: await take('messages', Usage.input, bytes + 4 + SLACK_BYTES),
    pieces: await take('pieces', Usage.input, count * ROW_WORDS * 4),
    memory: await take('memory', Usage.nodes, Math.max(1, memories) * MEMORY_BYTES),
  };
  for (const batch of batches) {
    for (let start = 0; start === 0 || start < batch.longest; start += PIECE_BYTES) {
      // The buffers are used again: what is recorded must be submitted before they are written.
      if (batch.first > 0 || start > 0) await recorder.flush();
      await recordRound(context, buffers, source, batch, start, output);
    }
  }
}

/** Hashes the next piece, from byte `start` on, of each message of a batch that has one. */
async function recordRound(
  { recorder, kernel, shape }: MessagesContext,
  buffers: BatchBuffers,
  { messages, lengths }: Messages,
  batch: MessageBatch,
  start: number,
  output: Range,
): Promise<void> {
  const { table, spans, bytes, blocks, ended } = listPieces(lengths, batch, start, shape);
  const parts = spans.map(({ from, to }) => messages.subarray(from, to));
  recorder.upload(buffers.packed, 0, parts.length === 1 ? parts[0]! : concatBytes(...parts));
  recorder.upload(buffers.pieces, 0, new Uint8Array(table.buffer));
  const count = table.length / ROW_WORDS;
  const all = (buffer: GpuBufferLike, size: number): Range => ({ buffer, offset: 0, size });
  await recorder.dispatch({
    kernel,
    storage: [
      all(buffers.packed, Math.ceil(bytes / 4) * 4 + SLACK_BYTES),
      output,
      all(buffers.pieces, table.byteLength),
      all(buffers.memory, buffers.memory.size),
    ],
    params: [count, start, PIECE_BYTES],
    groups: Math.ceil(count / GROUP),
    hashes: ended,
    cost: Math.ceil(blocks / 2),
  });
}
