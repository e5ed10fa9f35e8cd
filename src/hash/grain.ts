/** The Grain LFSR from which the Poseidon family draws its constants (Poseidon paper, appendix F). */

/** What a permutation seeds its constants with; prime field, S-box `x^5`. */
export interface GrainSeed {
  /** Bits of the modulus. */
  readonly fieldBits: number;
  readonly width: number;
  readonly fullRounds: number;
  readonly partialRounds: number;
}

const STATE_BITS = 80;
const BUFFER_BITS = 1 << 12;

/** Draws numbers of `fieldBits` bits, most significant bit first, from the self-shrunk stream of its seed. */
export class Grain {
  /** The register is the 80 bits from `#at` on: it slides along the buffer instead of being shifted. */
  readonly #bits: Uint8Array = new Uint8Array(BUFFER_BITS);
  readonly #fieldBits: number;
  #at = 0;

  constructor(seed: GrainSeed) {
    this.#fieldBits = seed.fieldBits;
    const fields: readonly (readonly [value: number, bits: number])[] = [
      [1, 2], // a prime field
      [0, 4], // the S-box x^alpha
      [seed.fieldBits, 12],
      [seed.width, 12],
      [seed.fullRounds, 10],
      [seed.partialRounds, 10],
      [2 ** 30 - 1, 30],
    ];
    const text = fields.map(([value, bits]) => value.toString(2).padStart(bits, '0')).join('');
    this.#bits.set(Uint8Array.from(text, Number));
    for (let i = 0; i < 160; i++) this.#step();
  }

  #step(): number {
    const bits = this.#bits;
    if (this.#at + STATE_BITS === BUFFER_BITS) {
      bits.copyWithin(0, this.#at);
      this.#at = 0;
    }
    const s = this.#at++;
    const next = bits[s + 62]! ^ bits[s + 51]! ^ bits[s + 38]! ^ bits[s + 23]! ^ bits[s + 13]! ^ bits[s]!;
    bits[s + STATE_BITS] = next;
    return next;
  }

  /** Any number of `fieldBits` bits: it may be at or above the modulus. */
  draw(): bigint {
    let text = '';
    while (text.length < this.#fieldBits) {
      const keep = this.#step();
      const bit = this.#step();
      if (keep) text += bit;
    }
    return BigInt(`0b${text}`);
  }

  /** A number below `modulus`, by rejection. */
  drawBelow(modulus: bigint): bigint {
    for (;;) {
      const value = this.draw();
      if (value < modulus) return value;
    }
  }
}
