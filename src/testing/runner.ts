/**
 * What the exported suites need of a test runner: vitest, jest, Bun, Deno's `bdd` and `expect` have it.
 */
import { CambiumError, type ErrorCode } from '../errors.js';

export interface TestRunner {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>): void;
  expect(value: unknown): { toBe(expected: unknown): void; toEqual(expected: unknown): void };
}

/** The code, or the class name, of the error that `call` throws or rejects with; `nothing` when it does neither. */
export async function failureOf(call: () => unknown): Promise<ErrorCode | string> {
  try {
    await call();
  } catch (error) {
    return error instanceof CambiumError ? error.code : (error as Error).constructor.name;
  }
  return 'nothing';
}

/** A small repeatable generator of numbers from 0 to `below` - 1 (xorshift32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** `length` bytes from a generator of {@link randomNumbers}. */
export function randomBytes(random: (below: number) => number, length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, () => random(256));
}
