/** The leaf formats, as streams of digests: input of any size takes the memory of a few batches. */
import { concatBytes, DIGEST_BYTES } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { hashBatches, hashBlocks, type MessageBatch } from '../leaf-batches.js';
import { InputError } from './exit.js';
import type { Input } from './input.js';
import { type LeafFormat, MAX_LEAF_BYTES } from './leaf-format.js';

const NEWLINE = 10;
const RETURN = 13;

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
      return hashBlocks(input.pieces, format.bytes, hasher, signal);
    case 'lines':
      return hashBatches(cutLines(input), hasher, signal);
    case 'raw32':
      return checkWhole(input);
    case 'hex':
      return parseHex(input);
  }
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
