/** The leaf formats, as streams of digests: input of any size takes the memory of a few batches. */
import { concatBytes, DIGEST_BYTES } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { InputError } from './exit.js';
import type { Input } from './input.js';
import { type LeafFormat, MAX_LEAF_BYTES } from './leaf-format.js';

/** Bytes of messages that are hashed at a time, unless one message alone is longer. */
const BATCH_BYTES = 8 * 2 ** 20;
const NEWLINE = 10;
const RETURN = 13;

interface MessageBatch {
  readonly messages: Uint8Array;
  readonly lengths: Uint32Array;
}

/**
 * The leaf digests of an input, in pieces of any size.
 *
 * @throws {InputError} where the input does not fit the format; it says at which byte or line.
 */
export function leafDigests(
  input: Input,
  format: LeafFormat,
  hasher: Pick<Hasher, 'hashMessages'>,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  switch (format.kind) {
    case 'blocks':
      return hashed(cutBlocks(input, format.bytes), hasher, signal);
    case 'lines':
      return hashed(cutLines(input), hasher, signal);
    case 'raw32':
      return checkWhole(input);
    case 'hex':
      return parseHex(input);
  }
}

/** Hashes batch after batch; while one is hashed, the next is read and handed over too. */
async function* hashed(
  batches: AsyncIterable<MessageBatch>,
  hasher: Pick<Hasher, 'hashMessages'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let earlier: Promise<Uint8Array> | undefined;
  for await (const { messages, lengths } of batches) {
    const digests = hasher.hashMessages(messages, lengths, { signal });
    // It may fail while the one before it is awaited, and is awaited itself in the next round.
    digests.catch(() => {});
    if (earlier) yield await earlier;
    earlier = digests;
  }
  if (earlier) yield await earlier;
}

async function* cutBlocks(input: Input, blockBytes: number): AsyncGenerator<MessageBatch> {
  for await (const messages of batches(input, blockBytes)) {
    const lengths = new Uint32Array(Math.ceil(messages.length / blockBytes)).fill(blockBytes);
    lengths[lengths.length - 1] = messages.length - (lengths.length - 1) * blockBytes;
    yield { messages, lengths };
  }
}

/** Pieces of whole units but for the end of the input, each in memory of its own. */
async function* batches(input: Input, unit: number): AsyncGenerator<Uint8Array> {
  const bytes = Math.max(1, Math.floor(BATCH_BYTES / unit)) * unit;
  let pieces: Uint8Array[] = [];
  let held = 0;
  for await (const piece of input.pieces) {
    let rest = piece;
    while (held + rest.length >= bytes) {
      const needed = bytes - held;
      yield concatBytes(...pieces, rest.subarray(0, needed));
      rest = rest.subarray(needed);
      pieces = [];
      held = 0;
    }
    if (rest.length) pieces.push(rest);
    held += rest.length;
  }
  if (held) yield concatBytes(...pieces);
}

/** Runs of whole lines, each with its `\n` but perhaps the last one of the input. */
async function* wholeLines(input: Input): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let held = 0;
  let offset = 0;
  for await (const piece of input.pieces) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end) {
      yield concatBytes(...pieces, piece.subarray(0, end));
      pieces = [];
      held = 0;
    }
    const rest = piece.subarray(end);
    if (rest.length) pieces.push(rest);
    held += rest.length;
    offset += piece.length;
    if (held > MAX_LEAF_BYTES) {
      throw new InputError(
        `${input.name}: the line at byte offset ${offset - held} is longer than ${MAX_LEAF_BYTES} bytes`,
      );
    }
  }
  if (held) yield concatBytes(...pieces);
}

/** First and last byte of each line, without its end: `\n` or `\r\n`. */
function* lineRanges(lines: Uint8Array): Generator<readonly [start: number, end: number]> {
  for (let start = 0; start < lines.length; ) {
    const newline = lines.indexOf(NEWLINE, start);
    const next = newline < 0 ? lines.length : newline + 1;
    let end = newline < 0 ? lines.length : newline;
    if (newline > start && lines[newline - 1] === RETURN) end--;
    yield [start, end];
    start = next;
  }
}

async function* cutLines(input: Input): AsyncGenerator<MessageBatch> {
  for await (const lines of wholeLines(input)) {
    const lengths: number[] = [];
    let filled = 0;
    for (const [start, end] of lineRanges(lines)) {
      lines.copyWithin(filled, start, end);
      filled += end - start;
      lengths.push(end - start);
    }
    yield { messages: lines.subarray(0, filled), lengths: Uint32Array.from(lengths) };
  }
}

async function* checkWhole(input: Input): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of input.pieces) {
    bytes += piece.length;
    yield piece;
  }
  const over = bytes % DIGEST_BYTES;
  if (over) {
    throw new InputError(
      `${input.name}: ${bytes} bytes are no multiple of 32, the digest at byte offset ${bytes - over} has only ${over}`,
    );
  }
}

async function* parseHex(input: Input): AsyncGenerator<Uint8Array> {
  let line = 0;
  for await (const lines of wholeLines(input)) {
    const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
    const ranges = [...lineRanges(lines)];
    const digests = Buffer.alloc(ranges.length * DIGEST_BYTES);
    for (const [i, [start, end]] of ranges.entries()) {
      line++;
      const digits = text.toString('latin1', start, end).replace(/^0x/i, '');
      // `write` stops at the first character that is no digit.
      const whole = digits.length === 2 * DIGEST_BYTES && digests.write(digits, i * DIGEST_BYTES, 'hex');
      if (whole !== DIGEST_BYTES)
        throw new InputError(`${input.name}: line ${line}: ${hexComplaint(digits)}`);
    }
    yield digests;
  }
}

function hexComplaint(digits: string): string {
  const bad = digits.search(/[^0-9a-f]/i);
  return bad < 0
    ? `expected ${2 * DIGEST_BYTES} hexadecimal digits, got ${digits.length}`
    : `${JSON.stringify(digits[bad])} at digit ${bad + 1} is no hexadecimal digit`;
}
