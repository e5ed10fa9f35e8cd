/** Lets a limited number of jobs run at a time; the others wait in order. */
export class Gate {
  /** May be lowered while jobs run; it then holds for those that come next. */
  places: number;
  #inside = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.places = places;
  }

  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#inside < this.places) this.#inside++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await job();
    } finally {
      this.#inside--;
      this.#admit();
    }
  }

  #admit(): void {
    while (this.#waiting.length && this.#inside < this.places) {
      this.#inside++;
      this.#waiting.shift()!();
    }
  }
}
