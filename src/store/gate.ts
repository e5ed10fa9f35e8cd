/**
 * What every store does around its database: refuses calls after `close`, waits for commits under way, and gives
 * errors their codes.
 */
import { CambiumError } from '../errors.js';

/** Whether a database's error says that another process holds it, or that it was closed. */
export type ClassifyError = (error: unknown) => 'STORE_LOCKED' | 'CLOSED' | 'STORE_FAILED';

const MESSAGES = {
  STORE_LOCKED: 'another process holds the database',
  CLOSED: 'the database is closed',
  STORE_FAILED: 'the database failed',
} as const;

/** Stands before a database. */
export class Gate {
  readonly #classify: ClassifyError;
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(classify: ClassifyError) {
    this.#classify = classify;
  }

  /** @throws {CambiumError} `CLOSED` after {@link close}. */
  assertOpen(): void {
    if (this.#closing) throw new CambiumError('CLOSED', 'the store is closed');
  }

  /** The error that a caller sees for one that the database threw. */
  wrap(error: unknown): CambiumError {
    if (error instanceof CambiumError) return error;
    const code = this.#classify(error);
    const detail = error instanceof Error ? error.message : String(error);
    return new CambiumError(code, `${MESSAGES[code]}: ${detail}`, { cause: error });
  }

  /** Runs a synchronous call. */
  sync<T>(call: () => T): T {
    this.assertOpen();
    try {
      return call();
    } catch (error) {
      throw this.wrap(error);
    }
  }

  /** Runs an asynchronous call that {@link close} waits for. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = call();
    this.#underWay.add(running);
    try {
      return await running;
    } catch (error) {
      throw this.wrap(error);
    } finally {
      this.#underWay.delete(running);
    }
  }

  /** Refuses further calls, waits for those under way, then runs `release` once. */
  close(release: () => Promise<void>): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.allSettled(this.#underWay);
      try {
        await release();
      } catch (error) {
        throw this.wrap(error);
      }
    })();
    return this.#closing;
  }
}
