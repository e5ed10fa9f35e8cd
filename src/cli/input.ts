/** Files and standard input, as pieces of bytes that are read ahead while earlier ones are hashed. */
import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { InputError } from './exit.js';

/** Bytes that one read of a file asks for. */
const READ_BYTES = 4 * 2 ** 20;

/** Bytes to be read once. */
export interface Input {
  /** As messages call it. */
  readonly name: string;
  /** Where it is known beforehand. */
  readonly size: number | undefined;
  /** Bytes read so far. */
  readonly read: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Opens a file, or standard input for `-`.
 *
 * @throws {InputError} for what cannot be opened; the pieces throw it for what cannot be read.
 */
export async function openInput(path: string, signal: AbortSignal): Promise<Input> {
  if (path === '-') return new StreamInput('standard input', undefined, process.stdin, signal);
  try {
    const file = await open(path);
    const stat = await file.stat();
    if (stat.isDirectory()) {
      await file.close();
      throw new InputError(`${path}: it is a directory`);
    }
    const stream = file.createReadStream({ highWaterMark: READ_BYTES });
    return new StreamInput(path, stat.isFile() ? stat.size : undefined, stream, signal);
  } catch (error) {
    throw asInputError(path, error);
  }
}

/** All of a small input as text. */
export async function readText(input: Input): Promise<string> {
  return (await readBytes(input)).toString('utf8');
}

/** All of an input that fits in memory. */
export async function readBytes(input: Input): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of input.pieces) pieces.push(piece);
  return Buffer.concat(pieces);
}

class StreamInput implements Input {
  readonly name: string;
  readonly size: number | undefined;
  readonly pieces: AsyncIterable<Uint8Array>;
  read = 0;

  constructor(name: string, size: number | undefined, stream: Readable, signal: AbortSignal) {
    this.name = name;
    this.size = size;
    this.pieces = this.#count(addAbortSignal(signal, stream));
  }

  async *#count(stream: Readable): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of stream) {
        this.read += piece.length;
        yield piece;
      }
    } catch (error) {
      throw asInputError(this.name, error);
    }
  }
}

function asInputError(name: string, error: unknown): InputError {
  if (error instanceof InputError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new InputError(`${name}: ${code === 'ENOENT' ? 'no such file' : message}`, { cause: error });
}
