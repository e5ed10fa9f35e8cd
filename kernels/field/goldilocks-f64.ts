/**
 * The Goldilocks field in two signed limbs, `low + 2^32 high`, whole numbers in `f64`: the elements of two states in the
 * lanes of a vector for each limb, several such streams side by side. Needs multiply-adds that round once.
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

/** One vector per stream. */
type Vectors = readonly V128[];

/** One limb of all lanes: a multiple of `2^-fraction`. */
export interface Limb extends Ranged {
  readonly value: Vectors;
  readonly fraction: number;
}

type Limbs = Halves<Limb>;

/** Both parts of a product; the high one, a multiple of 2^32, with its sign changed. */
interface Split {
  readonly minusHigh: Vectors;
  readonly rest: Vectors;
}

/** An operation on each stream, kept in locals: neighbours in the code do not wait for each other. */
type Each = (operation: (...operands: V128[]) => V128, ...operands: readonly (Vectors | V128)[]) => Vectors;

const around = (most: number): Ranged => ({ least: -most, most });

function exact(limb: Limb): Limb {
  if (magnitude(limb) * 2 ** limb.fraction > SUM_MOST) throw new RangeError('limb: it may pass 2^53');
  return limb;
}

/** A whole limb, with room for the roundings in its bound. */
const whole = (value: Vectors, most: number): Limb =>
  exact({ value, fraction: 0, ...around(Math.ceil(most) + 4) });

class F64Form implements GoldilocksForm<Limbs, Limb> {
  readonly streams: number;
  readonly lanes: number;
  readonly bytes: number;
  readonly constantBytes: number = 2 * NUMBER_BYTES;
  readonly #constants: VectorConstants;
  readonly #hot = new WeakMap<FunctionBuilder, Map<number, V128>>();

  constructor(module: ModuleBuilder, streams: number) {
    this.streams = streams;
    this.lanes = 2 * streams;
    this.bytes = 2 * VECTOR_BYTES * streams;
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
      value: new Array<V128>(this.streams).fill(f.let(v128.load64Splat(address, at))),
      fraction: 0,
      least: 0,
      most: WORD,
    });
    return [limb(offset), limb(offset + NUMBER_BYTES)];
  }

  load(f: FunctionBuilder, place: Place, most: number = RANGE.carried): Limbs {
    return [this.loadHalf(f, place, 0, most), this.loadHalf(f, place, 1, most)];
  }

  loadHalf(f: FunctionBuilder, { address, offset }: Place, half: 0 | 1, most: number = RANGE.carried): Limb {
    const at = offset + (half * this.bytes) / 2;
    return {
      value: this.#streams.map((s) => f.let(v128.load(address, at + s * VECTOR_BYTES))),
      fraction: 0,
      ...around(most),
    };
  }

  store(f: FunctionBuilder, { address, offset }: Place, a: Limbs, most: number = RANGE.carried): void {
    const limbs = Math.max(...a.map(magnitude)) > most ? this.#carried(f, a) : a;
    const vectors = limbs.flatMap(({ value }) => value);
    f.run(...vectors.map((vector, i) => v128.store(address, vector, offset + i * VECTOR_BYTES)));
  }

  square(f: FunctionBuilder, x: Limbs): Limbs {
    const [a, b] = x.map(magnitude) as [number, number];
    if (Math.max(a, b) ** 2 >= PRODUCT_MOST || b * (2 * a + b) >= PRODUCT_MOST) {
      return this.square(f, this.#carried(f, x));
    }
    const [low, high] = x;
    const each = this.#each(f);
    const difference = each(f64x2.sub, low.value, high.value);
    const sum = each(f64x2.add, low.value, high.value);
    const first = this.#product(f, difference, sum);
    // In one step, because squarings wait for each other: an addition to the sum would come later.
    const twice = each(f64x2.relaxedMadd, low.value, this.#hotNumber(f, 2), high.value);
    const second = this.#product(f, high.value, twice);
    const highs = each(f64x2.add, first.minusHigh, second.minusHigh);
    const down = this.#hotNumber(f, DOWN);
    return [
      whole(each(f64x2.relaxedMadd, second.minusHigh, down, first.rest), REST + (b * (2 * a + b)) / WORD),
      whole(each(f64x2.relaxedNmadd, highs, down, second.rest), REST + (a * (a + 2 * b)) / WORD),
    ];
  }

  mul(f: FunctionBuilder, x: Limbs, y: Limbs): Limbs {
    const [a, b, c, d] = [...x, ...y].map(magnitude) as [number, number, number, number];
    if ((a + b) * (c + d) >= PRODUCT_MOST) {
      return a + b > c + d ? this.mul(f, this.#carried(f, x), y) : this.mul(f, x, this.#carried(f, y));
    }
    const each = this.#each(f);
    const sum = ([low, high]: Limbs): Vectors => each(f64x2.add, low.value, high.value);
    const lows = this.#product(f, x[0].value, y[0].value);
    const highs = this.#product(f, x[1].value, y[1].value);
    const all = this.#product(f, sum(x), sum(y));
    const low = each(f64x2.sub, all.minusHigh, lows.minusHigh);
    const high = each(f64x2.sub, all.minusHigh, highs.minusHigh);
    const restLow = each(f64x2.sub, lows.rest, highs.rest);
    const restHigh = each(f64x2.sub, all.rest, lows.rest);
    const down = this.#hotNumber(f, DOWN);
    return [
      whole(each(f64x2.relaxedMadd, low, down, restLow), 2 * REST + (a * d + b * c + b * d) / WORD),
      whole(each(f64x2.relaxedNmadd, high, down, restHigh), 2 * REST + (a * c + a * d + b * c) / WORD),
    ];
  }

  halves(_: FunctionBuilder, x: Limbs): Limbs {
    return x;
  }

  /** Limbs that lost bits below one get them back above: `2^-k = 2^(32 - k) (1 - 2^32)`. */
  element(f: FunctionBuilder, x: Limbs): Limbs {
    const [low, high] = x;
    if (low.fraction === 0 && high.fraction === 0) return x;
    const each = this.#each(f);
    const word = this.#hotNumber(f, WORD);
    const nearest = [low, high].map(({ value }) => each(f64x2.nearest, value)) as [Vectors, Vectors];
    const rest = each(f64x2.sub, low.value, nearest[0]);
    const rests = each(f64x2.add, rest, each(f64x2.sub, high.value, nearest[1]));
    return [
      whole(each(f64x2.relaxedMadd, rests, word, nearest[0]), magnitude(low) + WORD),
      whole(each(f64x2.relaxedNmadd, rest, word, nearest[1]), magnitude(high) + REST),
    ];
  }

  sum(f: FunctionBuilder, terms: readonly Term<Limb>[]): Limb {
    const each = this.#each(f);
    let value: Vectors | undefined;
    for (const [{ value: limb }, factor] of terms) {
      const constant = this.#constants.number(factor);
      if (!value) value = factor === 1 ? limb : each(f64x2.mul, limb, constant);
      else if (factor === 1) value = each(f64x2.add, value, limb);
      else if (factor === -1) value = each(f64x2.sub, value, limb);
      else value = each(f64x2.relaxedMadd, limb, constant, value);
    }
    const fraction = Math.max(...terms.map(([limb]) => limb.fraction));
    return exact({ value: value!, fraction, ...rangeOf(terms) });
  }

  divide(f: FunctionBuilder, x: Limbs, bits: number): Limbs {
    const factor = 2 ** -bits;
    return x.map(({ value, fraction, least, most }) =>
      exact({
        value: this.#each(f)(f64x2.mul, value, this.#constants.number(factor)),
        fraction: fraction + bits,
        least: least * factor,
        most: most * factor,
      }),
    ) as [Limb, Limb];
  }

  read(f: FunctionBuilder, places: readonly Place[]): Limbs {
    const each = this.#each(f);
    const words = this.#streams.map((s) => {
      const [a, b] = [places[2 * s]!, places[2 * s + 1]!];
      return f.let(
        i64x2.replaceLane(v128.load64Splat(a.address, a.offset), 1, i64.load(b.address, b.offset)),
      );
    });
    const base = this.#constants.number(2 ** 52);
    const limb = (half: (word: V128) => V128): Limb => ({
      value: each((word) => f64x2.sub(v128.or(half(word!), base), base), words),
      fraction: 0,
      least: 0,
      most: WORD,
    });
    const mask = this.#constants.bits(2n ** 32n - 1n);
    return [limb((word) => v128.and(word, mask)), limb((word) => i64x2.shrU(word, 32))];
  }

  write(f: FunctionBuilder, x: Limbs, places: readonly Place[]): void {
    const integers = this.#carried(f, x).map(({ value, ...range }) => {
      const bits = this.#each(f)(f64x2.add, value, this.#constants.number(WHOLE));
      return { bits, range };
    });
    places.forEach((place, lane) => {
      const [low, high] = integers.map(({ bits, range }) => ({
        value: f.let(i64.sub(i64x2.extractLane(bits[lane >> 1]!, lane % 2), i64.const(WHOLE_BITS))),
        ...range,
      }));
      writeCanonical(f, scalarForm.element(f, [low!, high!]), place);
    });
  }

  get #streams(): number[] {
    return Array.from({ length: this.streams }, (_, i) => i);
  }

  #each(f: FunctionBuilder): Each {
    return (operation, ...operands) =>
      this.#streams.map((s) => f.let(operation(...operands.map((x) => ('text' in x ? x : x[s]!)))));
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
  #product(f: FunctionBuilder, a: Vectors, b: Vectors): Split {
    const each = this.#each(f);
    const split = this.#hotNumber(f, SPLIT);
    const minusHigh = each(f64x2.sub, split, each(f64x2.relaxedMadd, a, b, split));
    return { minusHigh, rest: each(f64x2.relaxedMadd, a, b, minusHigh) };
  }

  /** Both limbs near 2^31 at most. */
  #carried(f: FunctionBuilder, x: Limbs): Limbs {
    const [low, high] = this.element(f, x);
    const each = this.#each(f);
    const split = this.#hotNumber(f, SPLIT);
    const down = this.#hotNumber(f, DOWN);
    // A multiple of 2^64 is worth its 2^-32 in both limbs.
    const fold = this.#hotNumber(f, DOWN - 1);
    const nearest = (value: Vectors): Vectors => each(f64x2.sub, each(f64x2.add, value, split), split);
    const [first, second] = [nearest(low.value), nearest(high.value)];
    const most = REST + (magnitude(low) + magnitude(high)) / WORD;
    return [
      whole(each(f64x2.relaxedNmadd, second, down, each(f64x2.sub, low.value, first)), most),
      whole(each(f64x2.relaxedMadd, first, down, each(f64x2.relaxedMadd, second, fold, high.value)), most),
    ];
  }
}

/** The field in vectors of two numbers, `streams` of them side by side. */
export function vectorForm(module: ModuleBuilder, streams: number): GoldilocksForm<Limbs, Limb> {
  return new F64Form(module, streams);
}
