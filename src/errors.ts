/**
 * Stable codes of {@link CambiumError}.
 *
 * Wrong arguments are plain `TypeError` or `RangeError`; everything that can go wrong with right arguments has a
 * code here.
 */
export type ErrorCode =
  | 'BACKEND_UNAVAILABLE'
  | 'DEVICE_LOST'
  | 'OUT_OF_DEVICE_MEMORY'
  | 'KERNEL_COMPILE'
  | 'KERNEL_SELF_TEST'
  | 'CROSS_CHECK_MISMATCH'
  | 'NOT_CANONICAL'
  | 'MALFORMED'
  | 'TREE_FULL'
  | 'KEY_EXISTS'
  | 'KEY_ABSENT'
  | 'STORE_FAILED'
  | 'STORE_CORRUPT'
  | 'STORE_LOCKED'
  | 'SOURCE_CHANGED'
  | 'VERSION_MISMATCH'
  | 'ABORTED'
  | 'CLOSED';

/**
 * An error with a stable `code`, and the error that caused it as `cause`.
 *
 * @example
 * ```ts
 * try {
 *   await createHasher('sha256', { backend: 'gpu' });
 * } catch (error) {
 *   if (error instanceof CambiumError && error.code === 'BACKEND_UNAVAILABLE') console.log('no GPU here');
 *   else throw error;
 * }
 * ```
 */
export class CambiumError extends Error {
  override readonly name = 'CambiumError';
  readonly code: ErrorCode;
  /** `NOT_CANONICAL`: position of the offending element in its input. */
  readonly index?: number;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; index?: number } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    if (options.index !== undefined) this.index = options.index;
  }
}

/** Whether `error` is a {@link CambiumError} with this code. */
export function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof CambiumError && error.code === code;
}

/** Rejects with `ABORTED` once the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CambiumError('ABORTED', 'the work was aborted', { cause: signal.reason });
}
