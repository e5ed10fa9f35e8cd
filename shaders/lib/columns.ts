/**
 * Sums of limb products, column by column, whose bounds are proved while the text is written.
 *
 * WGSL has 32-bit words only. A column adds up products of two limbs; here every addend comes with its greatest value,
 * and a column that could pass 32 bits is split: its high part joins the next column's carry early.
 */

/** An addend and the greatest value that it can have. */
export interface Term {
  readonly text: string;
  readonly max: bigint;
}

const WORD_MAX = 2n ** 32n - 1n;

/** The product of two bounded values. */
export const product = (a: Term, b: Term): Term => ({ text: `${a.text} * ${b.text}`, max: a.max * b.max });

/** Writes the columns of one number, lowest first, and hands each carry to the next. */
export class Columns {
  readonly lines: string[] = [];
  readonly #bits: bigint;
  readonly #mask: bigint;
  #carry: Term[] = [];
  #index = 0;

  constructor(limbBits: number) {
    this.#bits = BigInt(limbBits);
    this.#mask = (1n << this.#bits) - 1n;
  }

  /** Declares the sum of the carry and `terms`. What was split off goes to `high`. */
  #sum(terms: readonly Term[], headroom: bigint, high: Term[]): Term {
    const all = [...this.#carry, ...terms];
    let name = '';
    let part: string[] = [];
    let max = 0n;
    const declare = (): void => {
      name = `t${this.#index}${'_'.repeat(high.length)}`;
      this.lines.push(`let ${name} = ${part.join(' + ') || '0u'};`);
    };
    for (const term of all) {
      if (max + term.max + headroom > WORD_MAX) {
        declare();
        high.push({ text: `(${name} >> ${this.#bits}u)`, max: max >> this.#bits });
        part = [`(${name} & ${this.#mask}u)`];
        max = this.#mask;
      }
      part.push(term.text);
      max += term.max;
      if (max + headroom > WORD_MAX) throw new Error(`column ${this.#index}: ${term.text} passes 32 bits`);
    }
    declare();
    return { text: name, max };
  }

  #next(carry: Term, high: readonly Term[]): void {
    const name = `c${this.#index}`;
    this.lines.push(`let ${name} = ${[carry, ...high].map(({ text }) => text).join(' + ')};`);
    this.#carry = [{ text: name, max: [carry, ...high].reduce((sum, { max }) => sum + max, 0n) }];
    this.#index++;
  }

  /** A column that stays: the limb is its low bits, to be masked where it is used. */
  limb(terms: readonly Term[]): string {
    const high: Term[] = [];
    const { text, max } = this.#sum(terms, 0n, high);
    this.#next({ text: `(${text} >> ${this.#bits}u)`, max: max >> this.#bits }, high);
    return text;
  }

  /**
   * A column that a multiple of a modulus clears whose lowest limb is 1 (a Montgomery step).
   *
   * @returns the digit that the modulus is taken times.
   */
  cleared(terms: readonly Term[]): Term {
    const high: Term[] = [];
    const { text, max } = this.#sum(terms, this.#mask, high);
    const digit = `q${this.#index}`;
    this.lines.push(`let ${digit} = (0u - ${text}) & ${this.#mask}u;`);
    // sum + digit is the next multiple of 2^bits.
    this.#next(
      { text: `((${text} + ${this.#mask}u) >> ${this.#bits}u)`, max: (max + this.#mask) >> this.#bits },
      high,
    );
    return { text: digit, max: this.#mask };
  }

  /** The highest column: no carry leaves it, by the bound on the whole number. */
  top(terms: readonly Term[]): string {
    return this.#sum(terms, 0n, []).text;
  }
}
