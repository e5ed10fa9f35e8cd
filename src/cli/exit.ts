/** How a command ends: exit codes, and what is said on standard error. */
import { CambiumError, type ErrorCode } from '../errors.js';

export const EXIT = {
  fine: 0,
  proofFalse: 1,
  input: 2,
  backend: 3,
  /** A bug, as in sysexits.h. */
  internal: 70,
  interrupted: 130,
} as const;

/** The user's files or arguments are wrong; the message says what and where. */
export class InputError extends Error {}

/** What the library says of leaves that came from a file; its other argument errors would be our own bugs. */
const ABOUT_LEAVES = /^(leaves|messages): /;

/** What the user's own input can lead to. */
const INPUT_CODES: ReadonlySet<ErrorCode> = new Set([
  'MALFORMED',
  'NOT_CANONICAL',
  'TREE_FULL',
  'KEY_EXISTS',
  'KEY_ABSENT',
]);

/** Says what went wrong, and gives the exit code for it. */
export function reportFailure(error: unknown, signal: AbortSignal): number {
  // Whatever failed after an interruption failed because of it.
  if (signal.aborted) return say('interrupted', EXIT.interrupted);
  if (error instanceof InputError) return say(error.message, EXIT.input);
  if (error instanceof CambiumError) {
    const exit = INPUT_CODES.has(error.code) ? EXIT.input : EXIT.backend;
    return say(`${error.message} (${error.code})`, exit);
  }
  if ((error instanceof RangeError || error instanceof TypeError) && ABOUT_LEAVES.test(error.message)) {
    return say(error.message, EXIT.input);
  }
  return say(error instanceof Error ? `${error.stack}` : String(error), EXIT.internal);
}

function say(message: string, code: number): number {
  process.stderr.write(`cambium: ${message}\n`);
  return code;
}
