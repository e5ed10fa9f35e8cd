/**
 * The Goldilocks field in two signed limbs, `low + 2^32 high`, whole numbers in `f64`: the elements of two states in the
 * lanes of two vectors. Needs multiply-adds that round once.
 *
 * With `x = 2^32` the modulus is `x^2 - x + 1`, so that what passes 2^64 folds by one addition and one subtraction.
 * Ranges: products of limbs stay below 2^83, where a multiply-add with 1.5 * 2^84 keeps the multiple of 2^32 nearest to
 * them; sums stay below 2^53.
 */
import type { FunctionBuilder } from '../lib/function.ts';
import type { ModuleBuilder } from '../lib/module.ts';
import { i64 } from '../lib/scalar.ts';
import type { V128 } from '../lib/value.ts';
import { f64x2, i64x2, v128 } from '../lib/vector.ts';
import { VectorConstants } from '../lib/vector-constants.ts';
import type { Place } from '../lib/words.ts';
import {
  type GoldilocksForm,
  type Halves,
  magnitude,
  RANGE,
  type Ranged,
  rangeOf,
  type Term,
} from './goldilocks.ts';
import { scalarForm, writeCanonical } from './goldilocks-i64.ts';

const VECTOR_BYTES = 16;
const NUMBER_BYTES = 8;
const WORD = 2 ** 32;
const DOWN = 2 ** -32;
/** Neighbours of this number lie 2^32 apart. */
const SPLIT = 1.5 * 2 ** 84;
const PRODUCT_MOST = 2 ** 83;
const SUM_MOST = 2 ** 53;
/** What is left after the nearest multiple of 2^32. */
const REST = WORD / 2;
/** Numbers from 2^52 to 2^53 show a whole number in their low bits. */
const WHOLE = 1.5 * 2 ** 52;
const WHOLE_BITS = new BigInt64Array(Float64Array.of(WHOLE).buffer)[0]!;

/** One limb of both lanes: a multiple of `2^-fraction`. */
export interface Limb extends Ranged {
  readonly value: V128;
  readonly fraction: number;
}

type Limbs = Halves<Limb>;

/** Both parts of a product; the high one, a multiple of 2^32, with its sign changed. */
interface Split {
  readonly minusHigh: V128;
  readonly rest: V128;
}

const around = (most: number): Ranged => ({ least: -most, most });

class F64Form implements GoldilocksForm<Limbs, Limb> {
  readonly lanes = 2;
  readonly bytes: number = 2 * VECTOR_BYTES;
  readonly constantBytes: number = 2 * NUMBER_BYTES;
  readonly #constants: VectorConstants;
  readonly #hot = new WeakMap<FunctionBuilder, Map<number, V128>>();

  constructor(module: ModuleBuilder) {
    this.#constants = new VectorConstants(module);
  }

  constants(values: readonly bigint[]): Float64Array {
    return Float64Array.from(
      values.flatMap((value) => [value % 2n ** 32n, value >> 32n]),
      Number,
    );
  }

  constant(f: FunctionBuilder, { address, offset }: Place): Limbs {
    const limb = (at: number): Limb => ({
      value: f.let(v128.load64Splat(address, at)),
      fraction: 0,
      least: 0,
      most: WORD,
    });
    return [limb(offset), limb(offset + NUMBER_BYTES)];
  }

  load(f: FunctionBuilder, { address, offset }: Place, most: number = RANGE.carried): Limbs {
    const limb = (at: number): Limb => ({
      value: f.let(v128.load(address, at)),
      fraction: 0,
      ...around(most),
    });
    return [limb(offset), limb(offset + VECTOR_BYTES)];
  }

  store(f: FunctionBuilder, { address, offset }: Place, a: Limbs, most: number = RANGE.carried): void {
    const [low, high] = Math.max(...a.map(magnitude)) > most ? this.#carried(f, a) : a;
    f.run(v128.store(address, low.value, offset), v128.store(address, high.value, offset + VECTOR_BYTES));
  }

  square(f: FunctionBuilder, x: Limbs): Limbs {
    const [a, b] = x.map(magnitude) as [number, number];
    if (Math.max(a, b) ** 2 >= PRODUCT_MOST || b * (2 * a + b) >= PRODUCT_MOST) {
      return this.square(f, this.#carried(f, x));
    }
    const [low, high] = x;
    const down = this.#hotNumber(f, DOWN);
    const difference = f.let(f64x2.sub(low.value, high.value));
    const sum = f.let(f64x2.add(low.value, high.value));
    const first = this.#product(f, difference, sum);
    const second = this.#product(f, high.value, f.let(f64x2.add(low.value, sum)));
    const highs = f64x2.add(first.minusHigh, second.minusHigh);
    return [
      this.#limb(f, f64x2.relaxedMadd(second.minusHigh, down, first.rest), REST + (b * (2 * a + b)) / WORD),
      this.#limb(f, f64x2.relaxedNmadd(highs, down, second.rest), REST + (a * (a + 2 * b)) / WORD),
    ];
  }

  mul(f: FunctionBuilder, x: Limbs, y: Limbs): Limbs {
    const [a, b, c, d] = [...x, ...y].map(magnitude) as [number, number, number, number];
    if ((a + b) * (c + d) >= PRODUCT_MOST) {
      return a + b > c + d ? this.mul(f, this.#carried(f, x), y) : this.mul(f, x, this.#carried(f, y));
    }
    const down = this.#hotNumber(f, DOWN);
    const sum = ([low, high]: Limbs): V128 => f.let(f64x2.add(low.value, high.value));
    const [sumX, sumY] = [sum(x), sum(y)];
    const lows = this.#product(f, x[0].value, y[0].value);
    const highs = this.#product(f, x[1].value, y[1].value);
    const all = this.#product(f, sumX, sumY);
    const low = f64x2.relaxedMadd(
      f64x2.sub(all.minusHigh, lows.minusHigh),
      down,
      f64x2.sub(lows.rest, highs.rest),
    );
    const high = f64x2.relaxedNmadd(
      f64x2.sub(all.minusHigh, highs.minusHigh),
      down,
      f64x2.sub(all.rest, lows.rest),
    );
    return [
      this.#limb(f, low, 2 * REST + (a * d + b * c + b * d) / WORD),
      this.#limb(f, high, 2 * REST + (a * c + a * d + b * c) / WORD),
    ];
  }

  halves(_: FunctionBuilder, x: Limbs): Limbs {
    return x;
  }

  /** Limbs that lost bits below one get them back above: `2^-k = 2^(32 - k) (1 - 2^32)`. */
  element(f: FunctionBuilder, x: Limbs): Limbs {
    const [low, high] = x;
    if (low.fraction === 0 && high.fraction === 0) return x;
    const word = this.#hotNumber(f, WORD);
    const [wholeLow, wholeHigh] = [f.let(f64x2.nearest(low.value)), f.let(f64x2.nearest(high.value))];
    const [restLow, restHigh] = [f64x2.sub(low.value, wholeLow), f64x2.sub(high.value, wholeHigh)];
    const rest = f.let(restLow);
    return [
      this.#limb(f, f64x2.relaxedMadd(f64x2.add(rest, restHigh), word, wholeLow), magnitude(low) + WORD),
      this.#limb(f, f64x2.relaxedNmadd(rest, word, wholeHigh), magnitude(high) + REST),
    ];
  }

  sum(f: FunctionBuilder, terms: readonly Term<Limb>[]): Limb {
    let value: V128 | undefined;
    for (const [{ value: limb }, factor] of terms) {
      if (!value) value = factor === 1 ? limb : f64x2.mul(limb, this.#constants.number(factor));
      else if (factor === 1) value = f64x2.add(value, limb);
      else if (factor === -1) value = f64x2.sub(value, limb);
      else value = f64x2.relaxedMadd(limb, this.#constants.number(factor), value);
    }
    const fraction = Math.max(...terms.map(([limb]) => limb.fraction));
    return this.#exact({ value: f.let(value!), fraction, ...rangeOf(terms) });
  }

  divide(f: FunctionBuilder, x: Limbs, bits: number): Limbs {
    const factor = 2 ** -bits;
    return x.map(({ value, fraction, least, most }) =>
      this.#exact({
        value: f.let(f64x2.mul(value, this.#constants.number(factor))),
        fraction: fraction + bits,
        least: least * factor,
        most: most * factor,
      }),
    ) as [Limb, Limb];
  }

  read(f: FunctionBuilder, [a, b]: readonly Place[]): Limbs {
    const words = f.let(
      i64x2.replaceLane(v128.load64Splat(a!.address, a!.offset), 1, i64.load(b!.address, b!.offset)),
    );
    const base = this.#constants.number(2 ** 52);
    const limb = (bits: V128): Limb => ({
      value: f.let(f64x2.sub(v128.or(bits, base), base)),
      fraction: 0,
      least: 0,
      most: WORD,
    });
    return [limb(v128.and(words, this.#constants.bits(2n ** 32n - 1n))), limb(i64x2.shrU(words, 32))];
  }

  write(f: FunctionBuilder, x: Limbs, places: readonly Place[]): void {
    const limbs = this.#carried(f, x);
    const bits = limbs.map(({ value }) => f.let(f64x2.add(value, this.#constants.number(WHOLE))));
    places.forEach((place, lane) => {
      const halves = limbs.map(({ least, most }, i) => ({
        value: f.let(i64.sub(i64x2.extractLane(bits[i]!, lane), i64.const(WHOLE_BITS))),
        least,
        most,
      }));
      const [low, high] = halves as [(typeof halves)[0], (typeof halves)[0]];
      writeCanonical(f, scalarForm.element(f, [low, high]), place);
    });
  }

  /** A number that the function keeps at hand from its start. */
  #hotNumber(f: FunctionBuilder, value: number): V128 {
    let known = this.#hot.get(f);
    if (!known) {
      known = new Map();
      this.#hot.set(f, known);
    }
    let local = known.get(value);
    if (!local) {
      local = f.first(this.#constants.number(value), 'hot');
      known.set(value, local);
    }
    return local;
  }

  /** Exact: both parts together are the product. */
  #product(f: FunctionBuilder, a: V128, b: V128): Split {
    const split = this.#hotNumber(f, SPLIT);
    const minusHigh = f.let(f64x2.sub(split, f64x2.relaxedMadd(a, b, split)));
    return { minusHigh, rest: f.let(f64x2.relaxedMadd(a, b, minusHigh)) };
  }

  /** Both limbs near 2^31 at most. */
  #carried(f: FunctionBuilder, x: Limbs): Limbs {
    const [low, high] = this.element(f, x);
    const split = this.#hotNumber(f, SPLIT);
    const down = this.#hotNumber(f, DOWN);
    // A multiple of 2^64 is worth its 2^-32 in both limbs.
    const fold = this.#hotNumber(f, DOWN - 1);
    const nearest = (value: V128): V128 => f.let(f64x2.sub(f64x2.add(value, split), split));
    const first = nearest(low.value);
    const rest = f.let(f64x2.sub(low.value, first));
    const top = f.let(f64x2.relaxedMadd(first, down, high.value));
    const second = nearest(top);
    const most = REST + (magnitude(high) + magnitude(low) / WORD) / WORD;
    return [
      this.#limb(f, f64x2.relaxedNmadd(second, down, rest), most),
      this.#limb(f, f64x2.relaxedMadd(second, fold, top), most),
    ];
  }

  /** A whole limb, with room for the roundings in its bound. */
  #limb(f: FunctionBuilder, value: V128, most: number): Limb {
    return this.#exact({ value: f.let(value), fraction: 0, ...around(Math.ceil(most) + 4) });
  }

  #exact(limb: Limb): Limb {
    if (magnitude(limb) * 2 ** limb.fraction > SUM_MOST) throw new RangeError('limb: it may pass 2^53');
    return limb;
  }
}

/** The field in vectors of two numbers. */
export function vectorForm(module: ModuleBuilder): GoldilocksForm<Limbs, Limb> {
  return new F64Form(module);
}
