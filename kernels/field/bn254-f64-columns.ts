/**
 * Sums of products of 51-bit limbs, exact, from `f64` multiply-adds that round once.
 *
 * `h = a b + C` keeps the multiple of 2^51 nearest to `a b`, and `a b - (h - C)` is what is left. Both land in the low
 * bits of their representation, so that columns are summed as integers; what the representations add to a column is
 * known and taken away at its end. Exact while products are at most 2^102 and columns stay below 2^60: the builder
 * follows the greatest values and throws where they could be passed.
 */
import type { FunctionBuilder, Local } from '../lib/function.ts';
import type { V128 } from '../lib/value.ts';
import { f64x2, i64x2, v128 } from '../lib/vector.ts';
import type { VectorConstants } from '../lib/vector-constants.ts';

export const BITS = 51;
/** Limbs are signed: digits lie in [-2^50, 2^50). */
export const LIMB_MOST: number = 2 ** (BITS - 1);

/** Neighbours of this number lie 2^51 apart. */
const HIGH = 1.5 * 2 ** 103;
/** Numbers from 2^52 to 2^53 show a whole number in their low bits. */
const LOW = 1.5 * 2 ** 52;
const bitsOf = (value: number): bigint => new BigUint64Array(Float64Array.of(value).buffer)[0]!;
const HIGH_BITS = bitsOf(HIGH);
const LOW_BITS = bitsOf(LOW);

/** Greatest product that leaves `HIGH` between its powers of two. */
const PRODUCT_MOST = 2 ** 102;
/** A column is made positive by this much, so that a logical shift carries. */
const LIFT_BITS = 60n;

/** A value, and the greatest that it can be, either sign. */
export interface Limb {
  readonly value: V128;
  readonly most: number;
}

/** What every product needs at hand. */
export interface Hot {
  readonly high: Local<'v128'>;
  /** `high + LOW`, from which the high part of a product is taken. */
  readonly both: Local<'v128'>;
  readonly mask: Local<'v128'>;
}

/** Locals for what every product needs at hand. */
export function hotConstants(f: FunctionBuilder, constants: VectorConstants): Hot {
  return {
    high: f.let(constants.number(HIGH), 'high'),
    both: f.let(constants.number(HIGH + LOW), 'both'),
    mask: f.let(constants.bits(2n ** BigInt(BITS) - 1n), 'mask'),
  };
}

/** Sums of one stream, column by column, from the lowest up. */
export class Columns {
  readonly #f: FunctionBuilder;
  readonly #constants: VectorConstants;
  readonly #hot: Hot;
  #column = new Sum();
  #next = new Sum();

  constructor(f: FunctionBuilder, constants: VectorConstants, hot: Hot) {
    this.#f = f;
    this.#constants = constants;
    this.#hot = hot;
  }

  product(a: Limb, b: Limb): void {
    const most = a.most * b.most;
    if (most > PRODUCT_MOST) throw new RangeError('product of limbs: it may pass 2^102');
    const f = this.#f;
    const { high, both } = this.#hot;
    const [x, y] = [f.let(a.value), f.let(b.value)];
    const h = f.let(f64x2.relaxedMadd(x, y, high), 'h');
    this.#column.add(f, f64x2.relaxedMadd(x, y, f64x2.sub(both, h)), LOW_BITS, LIMB_MOST);
    this.#next.add(f, h, HIGH_BITS, most / 2 ** BITS + 1);
  }

  /** Adds a limb, given in the low bits of its representation, `times` times. */
  limb({ value, most }: Limb, times = 1n): void {
    for (let bit = 0; times >> BigInt(bit); bit++) {
      if (!((times >> BigInt(bit)) & 1n)) continue;
      const part = bit ? i64x2.shl(value, bit) : value;
      this.#column.add(this.#f, part, LOW_BITS << BigInt(bit), most * 2 ** bit);
    }
  }

  /** What is left of a digit times `factor` after the multiple of 2^51 nearest to it. */
  remainder({ value, most }: Limb, factor: Limb): Limb {
    if (most * factor.most > PRODUCT_MOST) throw new RangeError('product of limbs: it may pass 2^102');
    const { high } = this.#hot;
    const h = this.#f.let(f64x2.relaxedMadd(value, factor.value, high), 'h');
    const rest = f64x2.relaxedMadd(value, factor.value, f64x2.sub(high, h));
    return { value: this.#f.let(rest, 'rest'), most: LIMB_MOST };
  }

  /** The lowest bits of the column, signed. */
  digit(): Limb {
    return this.#digitOf(this.#lifted());
  }

  /** Goes to the next column. */
  drop(): void {
    this.#carry(this.#lifted());
  }

  /** The lowest bits of the column; the rest goes to the next one. */
  next(): Limb {
    const lifted = this.#lifted();
    this.#carry(lifted);
    return this.#digitOf(lifted);
  }

  /** All that is left, as a last limb: the bound of the element must keep it below 2^51. */
  top(): V128 {
    const { value, bias } = this.#column;
    const { value: above, bias: aboveBias } = this.#next;
    const all = above ? i64x2.add(value!, i64x2.shl(above, BITS)) : value!;
    const known = bias + (aboveBias << BigInt(BITS));
    const low = i64x2.add(all, this.#constants.bits(LOW_BITS - known));
    return this.#f.let(f64x2.sub(low, this.#constants.number(LOW)), 'top');
  }

  /** The column made positive, half a unit up: its low bits are the signed digit plus 2^50. */
  #lifted(): V128 {
    const { value, bias, most } = this.#column;
    if (most >= 2 ** Number(LIFT_BITS) - 2 ** BITS) throw new RangeError('column: its sum may pass 2^60');
    const lift = 2n ** LIFT_BITS + BigInt(LIMB_MOST) - bias;
    return this.#f.let(i64x2.add(value!, this.#constants.bits(lift)), 'lifted');
  }

  #digitOf(lifted: V128): Limb {
    const value = v128.or(v128.and(lifted, this.#hot.mask), this.#constants.number(2 ** 52));
    const digit = f64x2.sub(value, this.#constants.number(2 ** 52 + LIMB_MOST));
    return { value: this.#f.let(digit, 'digit'), most: LIMB_MOST };
  }

  #carry(lifted: V128): void {
    const most = this.#column.most / 2 ** BITS + 1;
    this.#column = this.#next;
    this.#next = new Sum();
    this.#column.add(this.#f, i64x2.shrU(lifted, BITS), 2n ** (LIFT_BITS - BigInt(BITS)), most);
  }
}

/** Shifts a limb to the low bits of its representation. */
export function lowBits(f: FunctionBuilder, constants: VectorConstants, { value, most }: Limb): Limb {
  if (most >= 2 ** BITS) throw new RangeError('limb: it may pass 2^51');
  return { value: f.let(f64x2.add(value, constants.number(LOW)), 'raw'), most };
}

/** A sum of integers that each carry a known bias. */
class Sum {
  value: Local<'v128'> | undefined;
  bias = 0n;
  most = 0;

  add(f: FunctionBuilder, value: V128, bias: bigint, most: number): void {
    if (this.value) f.set(this.value, i64x2.add(this.value, value));
    else this.value = f.let(value, 'sum');
    this.bias += bias;
    this.most += most;
  }
}
