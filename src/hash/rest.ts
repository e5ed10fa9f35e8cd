/** Milliseconds after which others get a turn. */
const TURN_MS = 16;

/** Lets long derivations give way to the host, so that a page stays alive meanwhile. */
export class Rest {
  #began = performance.now();

  /** Waits for a turn of the host, if the last was too long ago. */
  async due(): Promise<void> {
    if (performance.now() - this.#began < TURN_MS) return;
    await new Promise<void>((resolve) => {
      setTimeout(resolve);
    });
    this.#began = performance.now();
  }
}
