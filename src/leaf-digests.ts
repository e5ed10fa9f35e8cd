/** The leaf formats, as streams of digests: input of any size takes the memory of a few batches. */
import { concatBytes, DIGEST_BYTES } from './bytes.js';
import { CambiumError } from './errors.js';
import type { Hasher } from './hasher.js';
import { hashBatches, hashBlocks, type MessageBatch } from './leaf-batches.js';
import { type LeafFormat, MAX_LEAF_BYTES } from './leaf-format.js';

const NEWLINE = 10;
const RETURN = 13;

/** Value of each hexadecimal digit by its character; 255 for all others. */
const DIGITS = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, character) => {
  const value = Number.parseInt(String.fromCharCode(character), 16);
  return Number.isNaN(value) ? 255 : value;
});

/**
 * The leaf digests of a file or another source of bytes, in pieces of any size: a {@link LeafSource}. The command line
 * cuts its files with it, so their roots are the same everywhere.
 *
 * @param pieces the bytes: a file's read stream in Node, `file.stream()` where the browser can iterate over it.
 * @throws {CambiumError} while it is read: `MALFORMED` where the bytes do not fit the format, with the byte or line.
 * @throws {TypeError} while it is read: for `blocks` and `lines` with a hash that has no form for bytes.
 * @example
 * ```ts
 * const format = parseLeafFormat('blocks:1024')!;
 * const root = await merkleRoot(hasher, leafDigests(file.stream(), format, hasher));
 * ```
 */
export function leafDigests(
  pieces: AsyncIterable<Uint8Array>,
  format: LeafFormat,
  hasher: Pick<Hasher, 'hashMessages'>,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  switch (format.kind) {
    case 'blocks':
      return hashBlocks(pieces, format.bytes, hasher, signal);
    case 'lines':
      return hashBatches(cutLines(pieces), hasher, signal);
    case 'raw32':
      return checkWhole(pieces);
    case 'hex':
      return parseHex(pieces);
  }
}

/** Runs of whole lines, each with its `\n` but perhaps the last one of the input. */
async function* wholeLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let kept: Uint8Array[] = [];
  let held = 0;
  let offset = 0;
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end) {
      yield concatBytes(...kept, piece.subarray(0, end));
      kept = [];
      held = 0;
    }
    const rest = piece.subarray(end);
    if (rest.length) kept.push(rest);
    held += rest.length;
    offset += piece.length;
    if (held > MAX_LEAF_BYTES) {
      throw malformed(`the line at byte offset ${offset - held} is longer than ${MAX_LEAF_BYTES} bytes`);
    }
  }
  if (held) yield concatBytes(...kept);
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

async function* cutLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<MessageBatch> {
  for await (const lines of wholeLines(pieces)) {
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

async function* checkWhole(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    yield piece;
  }
  const over = bytes % DIGEST_BYTES;
  if (over) {
    throw malformed(
      `${bytes} bytes are no multiple of 32, the digest at byte offset ${bytes - over} has only ${over}`,
    );
  }
}

async function* parseHex(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let line = 0;
  for await (const lines of wholeLines(pieces)) {
    const ranges = [...lineRanges(lines)];
    const digests = new Uint8Array(ranges.length * DIGEST_BYTES);
    for (const [i, [start, end]] of ranges.entries()) {
      line++;
      const digits = lines.subarray(start + (hasPrefix(lines, start, end) ? 2 : 0), end);
      if (!readDigest(digits, digests, i * DIGEST_BYTES)) {
        throw malformed(`line ${line}: ${hexComplaint(digits)}`);
      }
    }
    yield digests;
  }
}

/** Whether a line begins with `0x` or `0X`. */
function hasPrefix(lines: Uint8Array, start: number, end: number): boolean {
  return end - start >= 2 && lines[start] === 0x30 && (lines[start + 1]! | 0x20) === 0x78;
}

/** Reads 64 digits into 32 bytes; false for anything else. */
function readDigest(digits: Uint8Array, out: Uint8Array, at: number): boolean {
  if (digits.length !== 2 * DIGEST_BYTES) return false;
  let all = 0;
  for (let i = 0; i < DIGEST_BYTES; i++) {
    const high = DIGITS[digits[2 * i]!]!;
    const low = DIGITS[digits[2 * i + 1]!]!;
    all |= high | low;
    out[at + i] = (high << 4) | low;
  }
  return all < 16;
}

function hexComplaint(digits: Uint8Array): string {
  const bad = digits.findIndex((character) => DIGITS[character] === 255);
  return bad < 0
    ? `expected ${2 * DIGEST_BYTES} hexadecimal digits, got ${digits.length}`
    : `${JSON.stringify(String.fromCharCode(digits[bad]!))} at digit ${bad + 1} is no hexadecimal digit`;
}

function malformed(what: string): CambiumError {
  return new CambiumError('MALFORMED', what);
}
