import { CambiumError } from '../errors.js';
import type { Hasher } from '../hasher.js';
import { leafDigests } from '../leaf-digests.js';
import type { LeafFormat } from '../leaf-format.js';
import { InputError } from './exit.js';
import type { Input } from './input.js';

/**
 * The leaf digests of an input, in pieces of any size.
 *
 * @throws {InputError} where the input does not fit the format; it says in which input, and at which byte or line.
 */
export async function* inputLeaves(
  input: Input,
  format: LeafFormat,
  hasher: Pick<Hasher, 'hashMessages'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* leafDigests(input.pieces, format, hasher, signal);
  } catch (error) {
    if (!(error instanceof CambiumError && error.code === 'MALFORMED')) throw error;
    throw new InputError(`${input.name}: ${error.message}`, { cause: error });
  }
}
