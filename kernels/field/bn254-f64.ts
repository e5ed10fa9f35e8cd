/**
 * The scalar field of BN254 in five signed limbs of 51 bits, whole numbers in `f64`, Montgomery form with R = 2^255:
 * two elements in the lanes of a vector, several vectors side by side. Needs multiply-adds that round once.
 *
 * Limbs lie in [-2^50, 2^50], the last one follows the value. Ranges: a product is at most `a b / 2.64 + 0.63` moduli,
 * and no element passes 2.6 moduli, so that its last limb stays below 2^51.
 */
import { fr } from '../../src/field/bn254.ts';
import type { FunctionBuilder } from '../lib/function.ts';
import type { ModuleBuilder } from '../lib/module.ts';
import { f64, i32, i64, memory } from '../lib/scalar.ts';
import type { I32, V128 } from '../lib/value.ts';
import { f64x2, v128 } from '../lib/vector.ts';
import { VectorConstants } from '../lib/vector-constants.ts';
import { readLimbs, writeLimbs } from './bn254-bytes.ts';
import { BITS, Columns, hotConstants, LIMB_MOST, type Limb, lowBits } from './bn254-f64-columns.ts';
import { dotFunctions } from './dot.ts';
import { assertBound, type FieldForm } from './form.ts';

const COUNT = 5;
const R = 2n ** BigInt(BITS * COUNT);
const VECTOR_BYTES = 16;
const NUMBER_BYTES = 8;
const STREAM_BYTES = VECTOR_BYTES * COUNT;

/** Signed limbs of an integer, lowest first; the last takes all that is left. */
function limbsOf(value: bigint): number[] {
  let rest = value;
  return Array.from({ length: COUNT }, (_, k) => {
    const limb = k < COUNT - 1 ? BigInt.asIntN(BITS, rest) : rest;
    rest = (rest - limb) >> BigInt(BITS);
    return Number(limb);
  });
}

/** `-1 / p` modulo 2^51, nearest to 0. */
const INVERSE = BigInt.asIntN(BITS, -inverseModulo(fr.modulus, BITS));
/** A multiple of the modulus, plus one, over 2^51: see `bn254-i64.ts`. */
const STEP = limbsOf((INVERSE * fr.modulus + 1n) >> BigInt(BITS));
const MODULUS = limbsOf(fr.modulus);
const RATIO = Number((R * 1000n) / fr.modulus) / 1000;
/** What the reduction adds: half a multiple in `STEP`, half a modulus in the last step. */
const REDUCTION = 0.63;
/** Elements stay below this, in moduli, so that their last limb stays below 2^51. */
const MOST = ((2 ** BITS - 2) * 2 ** (BITS * (COUNT - 1))) / Number(fr.modulus);
/** Elements up to this stay below `MOST` on their way to the fifth power. */
const POWER_BOUND = 2;
const TOP_MOST = 2 ** BITS - 1;
/** Moduli in a sum of sixteen elements and a constant: no sum may hold more. */
const SUM_MOST = 17 * MOST;
/** What a linear layer leaves: half a modulus, and what its estimate does not see. */
const REDUCED = 0.51;

/** The representative in (-p/2, p/2). */
function nearestToZero(value: bigint): bigint {
  const least = fr.reduce(value);
  return 2n * least < fr.modulus ? least : least - fr.modulus;
}

/** `1 / x` modulo 2^bits, for odd x. */
function inverseModulo(x: bigint, bits: number): bigint {
  let inverse = 1n;
  for (let known = 1; known < bits; known *= 2) inverse = BigInt.asUintN(bits, inverse * (2n - x * inverse));
  return inverse;
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Limbs of the stream at `at`, read where they are used. */
function load(at: I32, offset: number, most = LIMB_MOST): Limb[] {
  return range(COUNT).map((k) => ({
    value: v128.load(at, offset + VECTOR_BYTES * k),
    most: k < COUNT - 1 ? most : TOP_MOST,
  }));
}

/** Limbs of a constant. */
function loadConstant(at: I32): Limb[] {
  return range(COUNT).map((k) => ({
    value: v128.load64Splat(at, NUMBER_BYTES * k),
    most: k < COUNT - 1 ? LIMB_MOST : TOP_MOST,
  }));
}

/** Adds `x[i] y[k - i]` for all i. */
function convolve(columns: Columns, k: number, x: readonly Limb[], y: readonly Limb[]): void {
  x.forEach((limb, i) => {
    const other = y[k - i];
    if (other) columns.product(limb, other);
  });
}

/** Column k of a square. */
function square(columns: Columns, k: number, x: readonly Limb[], twice: readonly Limb[]): void {
  for (let i = Math.max(0, k - COUNT + 1); 2 * i < k; i++) columns.product(twice[i]!, x[k - i]!);
  if (k % 2 === 0 && x[k / 2]) columns.product(x[k / 2]!, x[k / 2]!);
}

/** What goes into the result of one stream. */
interface Summands {
  /** Adds products to column k. */
  readonly terms: (columns: Columns, k: number) => void;
  readonly addends?: readonly (readonly Limb[])[];
  /** How often the modulus is added. */
  readonly times?: Limb;
}

/** The bodies of functions over all streams. */
class Bodies {
  readonly streams: number;
  readonly #constants: VectorConstants;
  readonly #step: readonly Limb[];
  readonly #modulus: readonly Limb[];
  readonly #inverse: Limb;

  constructor(module: ModuleBuilder, streams: number) {
    this.streams = streams;
    const constants = new VectorConstants(module);
    const limb = (value: number): Limb => ({ value: constants.number(value), most: Math.abs(value) });
    this.#constants = constants;
    this.#step = STEP.map(limb);
    this.#modulus = MODULUS.map(limb);
    this.#inverse = limb(Number(INVERSE));
  }

  /** The summands of each stream, products divided by R. The streams take turns by column: one computes while the other waits for its carry. */
  montgomery(f: FunctionBuilder, to: I32, summands: (stream: number) => Summands): void {
    const hot = hotConstants(f, this.#constants);
    const all = range(this.streams).map((s) => ({
      columns: new Columns(f, this.#constants, hot),
      digits: [] as Limb[],
      limbs: [] as V128[],
      addends: [] as readonly (readonly Limb[])[],
      ...summands(s),
    }));
    for (let k = 0; k < 2 * COUNT; k++) {
      for (const { columns, digits, terms, addends, times, limbs } of all) {
        terms(columns, k);
        convolve(columns, k - 1, digits.slice(0, COUNT - 1), this.#step);
        if (k < COUNT - 1) digits.push(columns.next());
        // The last digit takes a multiple of the modulus itself, or the result would have six limbs.
        if (k === COUNT - 1) digits.push(columns.remainder(columns.digit(), this.#inverse));
        if (k >= COUNT - 1) convolve(columns, k - COUNT + 1, digits.slice(COUNT - 1), this.#modulus);
        if (k === COUNT - 1) columns.drop();
        if (k >= COUNT) {
          for (const addend of addends) columns.limb(lowBits(f, this.#constants, addend[k - COUNT]!));
          if (times) columns.product(times, this.#modulus[k - COUNT]!);
        }
        if (k >= COUNT) limbs.push(k < 2 * COUNT - 1 ? columns.next().value : columns.top());
      }
    }
    for (const [s, { limbs }] of all.entries()) storeLimbs(f, to, s * STREAM_BYTES, limbs);
  }

  /** Products of elements and constants, plus addends, as an estimate of how often the modulus goes into the result. */
  timesOf(
    f: FunctionBuilder,
    products: readonly (readonly [readonly Limb[], readonly Limb[]])[],
    addends: readonly (readonly Limb[])[],
  ): Limb {
    const last = (limbs: readonly Limb[]): V128 => limbs[COUNT - 1]!.value;
    const [first, ...rest] = products.map(([x, y]) => f64x2.mul(last(x), last(y)));
    // The last limbs of both, 2^408 in all, over R, in units of a last limb.
    const sum = f64x2.mul(f64x2.add(first!, ...rest), this.#constants.number(2 ** -BITS));
    return this.#quotient(f, [sum, ...addends.map(last)]);
  }

  /** Minus the number of moduli nearest to a sum of elements, by their last limbs. */
  #quotient(f: FunctionBuilder, last: readonly V128[]): Limb {
    const estimate = f64x2.mul(
      f64x2.add(last[0]!, ...last.slice(1)),
      this.#constants.number(-1 / MODULUS[COUNT - 1]!),
    );
    return { value: f.let(f64x2.nearest(estimate), 'times'), most: Math.ceil(SUM_MOST) };
  }

  /** Rows of small integers times elements, plus constants, less the nearest multiple of the modulus. */
  linear(f: FunctionBuilder, matrix: readonly (readonly bigint[])[], to: I32, x: I32, constants: I32): void {
    const hot = hotConstants(f, this.#constants);
    const bytes = this.streams * STREAM_BYTES;
    for (const s of range(this.streams)) {
      const inputs = matrix[0]!.map((_, i) => load(x, i * bytes + s * STREAM_BYTES));
      const raw = inputs.map((limbs) => limbs.map((limb) => lowBits(f, this.#constants, limb)));
      const tops = inputs.map((limbs) => f.let(limbs[COUNT - 1]!.value, 'top'));
      matrix.forEach((row, r) => {
        const addend = loadConstant(i32.add(constants, r * NUMBER_BYTES * COUNT));
        const terms = row.map((c, i) =>
          c === 1n ? tops[i]! : f64x2.mul(tops[i]!, this.#constants.number(Number(c))),
        );
        const times = this.#quotient(f, [addend[COUNT - 1]!.value, ...terms]);
        const columns = new Columns(f, this.#constants, hot);
        const limbs = range(COUNT).map((k) => {
          for (const [i, c] of row.entries()) columns.limb(raw[i]![k]!, c);
          columns.limb(lowBits(f, this.#constants, addend[k]!));
          columns.product(times, this.#modulus[k]!);
          return k < COUNT - 1 ? columns.next().value : columns.top();
        });
        storeLimbs(f, to, r * bytes + s * STREAM_BYTES, limbs);
      });
    }
  }
}

function storeLimbs(f: FunctionBuilder, to: I32, offset: number, limbs: readonly V128[]): void {
  f.run(...limbs.map((limb, k) => v128.store(to, limb, offset + VECTOR_BYTES * k)));
}

/** Bound of a product of elements, and of what is added to it. */
function productBound(a: number, b: number, addend = 0): number {
  const bound = (a * b) / RATIO + REDUCTION + addend;
  assertBound({ bound }, MOST);
  return bound;
}

/** Functions that move one lane between bytes and limbs. */
function laneFunctions(module: ModuleBuilder) {
  const parameters = { lane: 'i32', bytes: 'i32' } as const;
  const unpack = module.function('unpack_f64', parameters, (f, { lane, bytes }) => {
    readLimbs(f, { address: bytes, offset: 0 }, BITS, COUNT).forEach((limb, k) => {
      f.run(f64.store(lane, f64.convert(limb), VECTOR_BYTES * k));
    });
  });
  const pack = module.function('pack_f64', parameters, (f, { lane, bytes }) => {
    const limbs = range(COUNT).map((k) => i64.truncate(f64.load(lane, VECTOR_BYTES * k)));
    writeLimbs(f, limbs, BITS, { address: bytes, offset: 0 });
  });
  return { unpack, pack };
}

/** The field in vectors of two numbers, `streams` of them side by side. */
export function vectorForm(module: ModuleBuilder, streams: number): FieldForm {
  const bodies = new Bodies(module, streams);
  const bytes = streams * STREAM_BYTES;
  const limbs = (at: I32, s: number): Limb[] => load(at, s * STREAM_BYTES);

  const mul = module.function('mul_f64', { to: 'i32', a: 'i32', b: 'i32' }, (f, { to, a, b }) =>
    bodies.montgomery(f, to, (s) => ({
      terms: (columns, k) => convolve(columns, k, limbs(a, s), limbs(b, s)),
    })),
  );
  const squared = module.function('square_f64', { to: 'i32', a: 'i32' }, (f, { to, a }) =>
    bodies.montgomery(f, to, (s) => {
      const x = limbs(a, s);
      const twice = x.map(({ value, most }) => ({ value: f.let(f64x2.add(value, value)), most: 2 * most }));
      return { terms: (columns, k) => square(columns, k, x, twice) };
    }),
  );
  const dot = dotFunctions(module, 'f64', (f, { to, products, element, constant, variant }) =>
    bodies.montgomery(f, to, (s) => {
      const factors = products.map(({ x, by }) => {
        // Wide enough for limbs that come from bytes, without a sign.
        return [load(x, s * STREAM_BYTES, 2 * LIMB_MOST), loadConstant(by)] as const;
      });
      const addends = [
        ...(element ? [limbs(element, s)] : []),
        ...(constant ? [loadConstant(constant)] : []),
      ];
      return {
        terms(columns, k) {
          for (const [x, y] of factors) convolve(columns, k, x, y);
        },
        addends,
        ...(variant === 'reduce' && { times: bodies.timesOf(f, factors, addends) }),
      };
    }),
  );
  const { unpack, pack } = laneFunctions(module);
  const table = (value: bigint): I32 => i32.const(module.table(Float64Array.from(limbsOf(value))));
  const toMontgomery = table(nearestToZero(R ** 2n));
  const fromMontgomery = table(1n);
  const scratch = module.reserve(bytes);
  const lane = (i: number): I32 => i32.const(scratch + (i >> 1) * STREAM_BYTES + (i % 2) * NUMBER_BYTES);

  return {
    lanes: 2 * streams,
    bytes,
    constantBytes: NUMBER_BYTES * COUNT,
    factorBytes: NUMBER_BYTES * COUNT,
    constantBound: REDUCED,
    elementBound: MOST,
    powerBound: POWER_BOUND,
    mul(f, to, a, b) {
      f.run(mul({ to, a: a.at, b: b.at }));
      return { at: to, bound: productBound(a.bound, b.bound) };
    },
    square(f, to, a) {
      f.run(squared({ to, a: a.at }));
      return { at: to, bound: productBound(a.bound, a.bound) };
    },
    dot(f, to, products, { element, constant } = {}) {
      for (const operand of [...products.map(([x]) => x), ...(element ? [element] : [])]) {
        assertBound(operand, MOST);
      }
      const addends = (element?.bound ?? 0) + (constant ? REDUCED : 0);
      const sum =
        products.reduce((total, [x, , most = REDUCED]) => total + x.bound * most, 0) / RATIO + addends;
      assertBound({ bound: sum }, SUM_MOST);
      const reduce = sum + REDUCTION > POWER_BOUND;
      const places = products.map(([x, by]) => ({ x: x.at, by }));
      dot(f, {
        to,
        products: places,
        element: element?.at,
        constant,
        variant: reduce ? 'reduce' : undefined,
      });
      return { at: to, bound: (reduce ? REDUCED : sum) + REDUCTION };
    },
    scale(f, to, x, factor, addends) {
      return this.dot(f, to, [[x, factor]], addends);
    },
    linear(name, matrix, bound) {
      assertBound({ bound }, MOST);
      const parameters = { to: 'i32', x: 'i32', constants: 'i32' } as const;
      const call = module.function(`${name}_f64`, parameters, (f, { to, x, constants }) =>
        bodies.linear(f, matrix, to, x, constants),
      );
      return { bound: REDUCED, run: (f, to, x, constants) => f.run(call({ to, x, constants })) };
    },
    read(f, to, places, addends) {
      places.forEach(({ address, offset }, i) => {
        f.run(unpack({ lane: lane(i), bytes: i32.add(address, offset) }));
      });
      return this.dot(f, to, [[{ at: i32.const(scratch), bound: 1 }, toMontgomery, 0.5]], addends);
    },
    write(f, a, places) {
      // Times one, over R: less than a modulus away from zero.
      this.dot(f, i32.const(scratch), [[a, fromMontgomery]]);
      places.forEach(({ address, offset }, i) => {
        f.run(pack({ lane: lane(i), bytes: i32.add(address, offset) }));
      });
    },
    keep(f, to, a) {
      f.run(...range(COUNT).map((k) => f64.store(to, f64.load(a.at, VECTOR_BYTES * k), NUMBER_BYTES * k)));
    },
    keepFactor: (f, to, constant) => f.run(memory.copy(to, constant, NUMBER_BYTES * COUNT)),
    spread(f, to, constant) {
      for (const s of range(streams)) {
        const values = loadConstant(constant).map(({ value }) => value);
        storeLimbs(f, to, s * STREAM_BYTES, values);
      }
      return { at: to, bound: REDUCED };
    },
  };
}
