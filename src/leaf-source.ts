/**
 * Leaves in every form that a tree takes, cut into chunks that a backend can hold.
 */
import { type GpuBufferLike, isGpuBuffer } from './backend/gpu/types.js';
import type { ChunkSource } from './backend/types.js';
import { assertBytes, assertMultiple, DIGEST_BYTES } from './bytes.js';
import { throwIfAborted } from './errors.js';
import { type ColumnsSource, type MatrixHash, matrixLeaves, type RowsSource } from './leaf-matrix.js';

/**
 * Leaves of a tree:
 *
 * - `n x 32` bytes of digests, in memory, or in a GPU buffer of the hasher's device
 * - messages, one after the other, with their lengths in bytes: hashed to leaves first
 * - rows or columns of field elements, in memory or on the device: each row is hashed to a leaf
 * - a stream of digests, in pieces of any size; 32 bytes may span two pieces
 */
export type LeafSource =
  | Uint8Array
  | GpuBufferLike
  | { readonly messages: Uint8Array; readonly lengths: Uint32Array }
  | RowsSource
  | ColumnsSource
  | AsyncIterable<Uint8Array>;

/** Leaves cut into chunks; `count` is absent for streams. */
export interface ChunkedLeaves {
  readonly count?: number;
  /** Compressions that the leaves themselves cost, before any level: 0 for digests. */
  readonly leafHashes: number;
  /** Chunks of exactly `chunkLeaves` leaves, and a last one that may be shorter; none when there are no leaves. */
  chunks(chunkLeaves: number): AsyncIterable<LeafChunk> | Iterable<LeafChunk>;
  /** Most leaves that one chunk may have, given what the backend takes: messages can be long. */
  chunkLeaves(wanted: number): number;
}

export interface LeafChunk {
  readonly source: ChunkSource;
  readonly leafCount: number;
  /** Leaves of the source before it; default 0. */
  readonly firstLeaf?: number;
  /** Tells the source that the chunk is done with, so that its memory may hold another. */
  readonly release?: () => void;
}

/** Bytes of messages that one chunk holds at most, when more than one message is in it. */
const MESSAGE_CHUNK_BYTES = 64 * 2 ** 20;

/** What a source of leaves needs to know of the hash. */
export interface LeafHash extends MatrixHash {
  readonly messageBlocks: ((length: number) => number) | undefined;
}

/**
 * Checks a leaf source and makes it chunkable.
 *
 * @throws {TypeError} when it is none of the known forms. @throws {RangeError} on a length that does not fit.
 */
export function chunkLeaves(
  source: LeafSource,
  hash: LeafHash,
  signal: AbortSignal | undefined,
): ChunkedLeaves {
  if (source instanceof Uint8Array) return digestLeaves(source);
  if (isGpuBuffer(source)) return deviceLeaves(source);
  if (typeof source === 'object' && source !== null) {
    if ('messages' in source) return messageLeaves(source.messages, source.lengths, hash.messageBlocks);
    if ('rows' in source || 'columns' in source) return matrixLeaves(source, hash);
    if (Symbol.asyncIterator in source) return streamedLeaves(source, signal);
  }
  throw new TypeError(
    `leaves: expected a Uint8Array, a GPU buffer, { messages, lengths }, { rows, rowElements }, { columns } or an async iterable, got ${typeof source}`,
  );
}

/** Digests in memory. */
export function digestLeaves(digests: Uint8Array): ChunkedLeaves {
  assertMultiple(digests, DIGEST_BYTES, 'leaves');
  const count = digests.length / DIGEST_BYTES;
  return {
    count,
    leafHashes: 0,
    chunkLeaves: (wanted) => wanted,
    *chunks(size) {
      for (let first = 0; first < count; first += size) {
        const leafCount = Math.min(size, count - first);
        const part = digests.subarray(first * DIGEST_BYTES, (first + leafCount) * DIGEST_BYTES);
        yield { source: { kind: 'digests', digests: part }, leafCount };
      }
    },
  };
}

function deviceLeaves(buffer: GpuBufferLike): ChunkedLeaves {
  if (buffer.size % DIGEST_BYTES) {
    throw new RangeError(`leaves: expected a GPU buffer of a multiple of 32 bytes, got ${buffer.size}`);
  }
  const count = buffer.size / DIGEST_BYTES;
  return {
    count,
    leafHashes: 0,
    chunkLeaves: (wanted) => wanted,
    *chunks(size) {
      for (let first = 0; first < count; first += size) {
        yield {
          source: { kind: 'device', buffer, byteOffset: first * DIGEST_BYTES },
          leafCount: Math.min(size, count - first),
        };
      }
    },
  };
}

/**
 * Checks messages against their lengths.
 *
 * @returns compressions that they cost.
 * @throws {TypeError} on other types, or for a hash without a byte form. @throws {RangeError} when the lengths do not add up.
 */
export function checkMessages(
  messages: unknown,
  lengths: unknown,
  messageBlocks: ((length: number) => number) | undefined,
): number {
  assertBytes(messages, 'messages');
  if (!(lengths instanceof Uint32Array)) throw new TypeError('lengths: expected a Uint32Array');
  if (!messageBlocks) throw new TypeError('messages: this hash has no form for bytes');
  let bytes = 0;
  let blocks = 0;
  for (const length of lengths) {
    bytes += length;
    blocks += messageBlocks(length);
  }
  if (bytes !== messages.length) {
    throw new RangeError(`lengths: they add up to ${bytes} bytes, but messages has ${messages.length}`);
  }
  return blocks;
}

function messageLeaves(
  messages: Uint8Array,
  lengths: Uint32Array,
  messageBlocks: ((length: number) => number) | undefined,
): ChunkedLeaves {
  const leafHashes = checkMessages(messages, lengths, messageBlocks);
  return {
    count: lengths.length,
    leafHashes,
    chunkLeaves(wanted) {
      // Aligned runs of messages, halved until each holds few enough bytes.
      let size = wanted;
      while (size > 1 && heaviestRun(lengths, size) > MESSAGE_CHUNK_BYTES) size /= 2;
      return size;
    },
    *chunks(size) {
      let at = 0;
      for (let first = 0; first < lengths.length; first += size) {
        const part = lengths.subarray(first, first + size);
        const bytes = part.reduce((sum, length) => sum + length, 0);
        yield {
          source: { kind: 'messages', messages: messages.subarray(at, at + bytes), lengths: part },
          leafCount: part.length,
        };
        at += bytes;
      }
    },
  };
}

/** Most bytes in any aligned run of `size` messages. */
function heaviestRun(lengths: Uint32Array, size: number): number {
  let heaviest = 0;
  for (let first = 0; first < lengths.length; first += size) {
    let bytes = 0;
    const end = Math.min(first + size, lengths.length);
    for (let i = first; i < end; i++) bytes += lengths[i]!;
    heaviest = Math.max(heaviest, bytes);
  }
  return heaviest;
}

function streamedLeaves(stream: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): ChunkedLeaves {
  return {
    leafHashes: 0,
    chunkLeaves: (wanted) => wanted,
    async *chunks(size) {
      const bytes = size * DIGEST_BYTES;
      const free: Uint8Array<ArrayBuffer>[] = [];
      let buffer = new Uint8Array(0);
      let filled = 0;
      const chunk = (memory: Uint8Array<ArrayBuffer>): LeafChunk => ({
        source: { kind: 'digests', digests: memory.subarray(0, filled) },
        leafCount: filled / DIGEST_BYTES,
        release: () => void free.push(memory),
      });
      for await (const piece of stream) {
        throwIfAborted(signal);
        assertBytes(piece, 'a piece of the leaf stream');
        for (let at = 0; at < piece.length; ) {
          if (filled === buffer.length) buffer = grown(buffer, filled + piece.length - at, bytes);
          const part = piece.subarray(at, at + buffer.length - filled);
          buffer.set(part, filled);
          filled += part.length;
          at += part.length;
          if (filled === bytes) {
            yield chunk(buffer);
            // The chunk may still be in use. Left to the garbage collector, those that are done with would pile up.
            buffer = free.pop() ?? new Uint8Array(bytes);
            filled = 0;
          }
        }
      }
      if (filled % DIGEST_BYTES) {
        throw new RangeError(`leaves: the stream ended ${filled % DIGEST_BYTES} bytes into a digest`);
      }
      if (filled) yield chunk(buffer);
    },
  };
}

/** A larger copy: doubled, at least `least` and at most `most` bytes, so that short streams take little memory. */
function grown(buffer: Uint8Array, least: number, most: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(most, Math.max(least, 2 * buffer.length)));
  larger.set(buffer);
  return larger;
}
