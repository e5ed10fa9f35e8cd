/** One long task at a time: two would share the machine, and their figures would mean nothing. */
import { TaskError } from '../client.ts';

/** The buttons that start and end long tasks. */
export class Turns {
  readonly #starts: readonly HTMLButtonElement[];

  /** @param starts every button that starts a long task. */
  constructor(starts: readonly HTMLButtonElement[]) {
    this.#starts = starts;
  }

  /**
   * Runs a task with all start buttons off and `stop` on; who used `start` by keyboard finds the focus on `stop`, and
   * later back on `start`.
   *
   * @returns undefined when the user ended it.
   * @throws what the task throws otherwise.
   */
  async run<T>(
    start: HTMLButtonElement,
    stop: HTMLButtonElement,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const controller = new AbortController();
    const end = (): void => controller.abort();
    const hadFocus = document.activeElement === start;
    stop.addEventListener('click', end);
    stop.disabled = false;
    for (const button of this.#starts) button.disabled = true;
    if (hadFocus) stop.focus();
    try {
      return await work(controller.signal);
    } catch (error) {
      if (error instanceof TaskError && error.cancelled) return undefined;
      throw error;
    } finally {
      const back = document.activeElement === stop;
      stop.removeEventListener('click', end);
      stop.disabled = true;
      for (const button of this.#starts) button.disabled = false;
      if (back) start.focus();
    }
  }
}
