/**
 * The scalar field of BN254 in nine limbs of 29 bits, Montgomery form with R = 2^261: one element in 64-bit integers.
 *
 * Elements are not negative, below `bound` moduli, and their limbs are carried. Ranges: a product is below
 * `a b / 169 + 1.5` moduli; columns hold sums below 2^64.
 */
import { fr } from '../../src/field/bn254.ts';
import type { FunctionBuilder } from '../lib/function.ts';
import type { ModuleBuilder } from '../lib/module.ts';
import { i32, i64, memory } from '../lib/scalar.ts';
import type { I32, I64 } from '../lib/value.ts';
import { limbsOf, readLimbs, writeLimbs } from './bn254-bytes.ts';
import { dotFunctions } from './dot.ts';
import { assertBound, type FieldForm } from './form.ts';

const BITS = 29;
const COUNT = 9;
const LIMB_BYTES = 4;
const BYTES = LIMB_BYTES * COUNT;
const R = 2n ** BigInt(BITS * COUNT);
const LIMB_MAX = 2n ** BigInt(BITS) - 1n;
/** `-1 / p` modulo 2^29: the modulus is 2^28 + 1 there, its own inverse. */
const INVERSE = 2n ** 29n - (fr.modulus % 2n ** 29n);
/**
 * A multiple of the modulus, plus one, over 2^29: adding `q N` one column up takes a digit q away without a product
 * that finds the digit. In the last step its result would be too long.
 */
const SHIFTED = (INVERSE * fr.modulus + 1n) >> BigInt(BITS);
/** R over the modulus. */
const RATIO = Number(R / fr.modulus);
/** What the reduction adds to a product, in moduli. */
const REDUCTION = 1.51;
/** What is left of a sum behind its reduction by an estimate. */
const REDUCED = 1.01;
/** Elements stay below this, so that they fit nine limbs. */
const MOST = RATIO - 2;

/** A value, and the greatest that it can be. */
interface Limb {
  readonly value: I64;
  readonly most: bigint;
}

const constant = (value: bigint): Limb => ({ value: i64.const(value), most: value });
const MODULUS = limbsOf(fr.modulus, BITS, COUNT).map(constant);
const STEP = limbsOf(SHIFTED, BITS, COUNT).map(constant);
const MASK = i64.const(LIMB_MAX);
const WIDTH = i64.const(BigInt(BITS));

/** Sums column by column, from the lowest up. */
class Columns {
  readonly #f: FunctionBuilder;
  #sum: I64 = i64.const(0n);
  #most = 0n;
  #shift = i64.shrU;

  constructor(f: FunctionBuilder) {
    this.#f = f;
  }

  add({ value, most }: Limb): void {
    this.#sum = this.#most ? i64.add(this.#sum, value) : value;
    this.#most += most;
    if (this.#most >= 2n ** 64n) throw new RangeError('column: its sum may pass 64 bits');
  }

  product(a: Limb, b: Limb): void {
    this.add({ value: i64.mul(a.value, b.value), most: a.most * b.most });
  }

  /** The column so far. */
  sum(): I64 {
    const sum = this.#f.let(this.#sum, 'sum');
    this.#sum = sum;
    return sum;
  }

  /** Takes a product away: from here on, sums may be negative. */
  less(times: I64, { value }: Limb): void {
    if (this.#most >= 2n ** 63n) throw new RangeError('column: its sum may pass 63 bits');
    this.#sum = i64.sub(this.#sum, i64.mul(times, value));
    this.#shift = i64.shrS;
  }

  /** The lowest bits of the column; the rest goes to the next one. */
  next(): Limb {
    const value = this.#f.let(i64.and(this.sum(), MASK), 'digit');
    this.drop();
    return { value, most: LIMB_MAX };
  }

  /** Goes to the next column without the lowest bits of this one. */
  drop(): void {
    this.#sum = this.#shift(this.#sum, WIDTH);
    this.#most >>= BigInt(BITS);
  }
}

function load(f: FunctionBuilder, at: I32): Limb[] {
  return Array.from({ length: COUNT }, (_, i) => ({
    value: f.let(i64.load32U(at, LIMB_BYTES * i), 'limb'),
    most: LIMB_MAX,
  }));
}

function store(f: FunctionBuilder, to: I32, limbs: readonly I64[]): void {
  f.run(...limbs.map((limb, i) => i64.store32(to, limb, LIMB_BYTES * i)));
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
  if (k % 2 === 0) columns.product(x[k / 2]!, x[k / 2]!);
}

/** How often the modulus goes into a sum of elements, by their last limbs: never too often, and at most once too few. */
function quotient(f: FunctionBuilder, last: readonly I64[]): I64 {
  const factor = 2n ** 40n / (MODULUS[COUNT - 1]!.most + 1n);
  const estimate = i64.mul(i64.add(last[0]!, ...last.slice(1)), i64.const(factor));
  return f.let(i64.shrU(estimate, i64.const(40n)), 'times');
}

/** What `terms` puts into the columns, divided by R, plus `addends`, less `times` the modulus. */
function montgomery(
  f: FunctionBuilder,
  terms: (columns: Columns, k: number) => void,
  addends: readonly (readonly Limb[])[] = [],
  times?: I64,
): I64[] {
  const columns = new Columns(f);
  const digits: Limb[] = [];
  for (let k = 0; k < COUNT; k++) {
    terms(columns, k);
    convolve(columns, k - 1, digits, STEP);
    if (k < COUNT - 1) digits.push(columns.next());
  }
  const digit = f.let(i64.and(i64.mul(columns.sum(), i64.const(INVERSE)), MASK), 'digit');
  const last = { value: digit, most: LIMB_MAX };
  const limbs: I64[] = [];
  for (let k = COUNT - 1; k < 2 * COUNT - 1; k++) {
    if (k >= COUNT) {
      terms(columns, k);
      convolve(columns, k - 1, digits, STEP);
      for (const addend of addends) columns.add(addend[k - COUNT]!);
    }
    columns.product(last, MODULUS[k - COUNT + 1]!);
    if (times && k >= COUNT) columns.less(times, MODULUS[k - COUNT]!);
    if (k >= COUNT) limbs.push(columns.next().value);
    else columns.drop();
  }
  for (const addend of addends) columns.add(addend[COUNT - 1]!);
  if (times) columns.less(times, MODULUS[COUNT - 1]!);
  return [...limbs, columns.sum()];
}

/** Rows of small integers times elements, plus constants, less a multiple of the modulus. */
function linearBody(
  f: FunctionBuilder,
  matrix: readonly (readonly bigint[])[],
  { to, x, constants }: { readonly to: I32; readonly x: I32; readonly constants: I32 },
): void {
  const inputs = matrix[0]!.map((_, i) => load(f, i32.add(x, i * BYTES)));
  matrix.forEach((row, r) => {
    const sums = load(f, i32.add(constants, r * BYTES)).map(({ value }, k) =>
      f.let(i64.add(value, ...row.map((c, i) => i64.mul(inputs[i]![k]!.value, i64.const(c))))),
    );
    const times = quotient(f, [sums[COUNT - 1]!]);
    let carry: I64 | undefined;
    const limbs = sums.map((sum, k) => {
      const rest = i64.sub(sum, i64.mul(times, MODULUS[k]!.value));
      const limb = f.let(carry ? i64.add(rest, carry) : rest);
      carry = i64.shrS(limb, WIDTH);
      return k < COUNT - 1 ? i64.and(limb, MASK) : limb;
    });
    store(f, i32.add(to, r * BYTES), limbs);
  });
}

/** Bound of a product of elements, and of what is added to it. */
function productBound(a: number, b: number, addend = 0): number {
  const bound = (a * b) / RATIO + REDUCTION + addend;
  assertBound({ bound }, MOST);
  return bound;
}

/** The field in 64-bit integers. */
export function scalarForm(module: ModuleBuilder): FieldForm {
  const binary = { to: 'i32', a: 'i32', b: 'i32' } as const;
  const mul = module.function('mul_i64', binary, (f, { to, a, b }) => {
    const [x, y] = [load(f, a), load(f, b)];
    const terms = (columns: Columns, k: number): void => convolve(columns, k, x, y);
    store(f, to, montgomery(f, terms));
  });
  const squared = module.function('square_i64', { to: 'i32', a: 'i32' }, (f, { to, a }) => {
    const x = load(f, a);
    const twice = x.map(({ value, most }) => ({ value: f.let(i64.add(value, value)), most: 2n * most }));
    const terms = (columns: Columns, k: number): void => square(columns, k, x, twice);
    store(f, to, montgomery(f, terms));
  });
  const dot = dotFunctions(module, 'i64', (f, { to, products, element, constant, reduce }) => {
    const factors = products.map(({ x, by }) => [load(f, x), load(f, by)] as const);
    const addends = [element, constant].flatMap((at) => (at ? [load(f, at)] : []));
    const terms = (columns: Columns, k: number): void => {
      for (const [x, y] of factors) convolve(columns, k, x, y);
    };
    const last = addends.map((limbs) => limbs[COUNT - 1]!.value);
    store(f, to, montgomery(f, terms, addends, reduce ? quotient(f, last) : undefined));
  });
  const table = (value: bigint): I32 =>
    i32.const(module.table(Uint32Array.from(limbsOf(value, BITS, COUNT), Number)));
  const toMontgomery = table(R ** 2n % fr.modulus);
  const fromMontgomery = table(1n);
  const scratch = i32.const(module.reserve(BYTES));

  return {
    lanes: 1,
    bytes: BYTES,
    constantBytes: BYTES,
    constantBound: REDUCED,
    elementBound: MOST,
    powerBound: 8,
    mul(f, to, a, b) {
      f.run(mul({ to, a: a.at, b: b.at }));
      return { at: to, bound: productBound(a.bound, b.bound) };
    },
    square(f, to, a) {
      f.run(squared({ to, a: a.at }));
      return { at: to, bound: productBound(a.bound, a.bound) };
    },
    dot(f, to, products, { element, constant, reduce } = {}) {
      const places = products.map(([x, by]) => ({ x: x.at, by }));
      dot(f, { to, products: places, element: element?.at, constant, reduce });
      const sum = (element?.bound ?? 0) + (constant ? REDUCED : 0);
      assertBound({ bound: sum }, MOST);
      const product = products.reduce((total, [x, , most = REDUCED]) => total + x.bound * most, 0);
      return { at: to, bound: productBound(product, 1, reduce ? REDUCED : sum) };
    },
    linear(name, matrix, bound) {
      for (const row of matrix) {
        const sum = Number(row.reduce((total, c) => total + c)) * bound + REDUCED;
        assertBound({ bound: sum }, RATIO);
      }
      const parameters = { to: 'i32', x: 'i32', constants: 'i32' } as const;
      const call = module.function(`${name}_i64`, parameters, (f, places) => linearBody(f, matrix, places));
      return { bound: REDUCED, run: (f, to, x, constants) => f.run(call({ to, x, constants })) };
    },
    read(f, to, [place], addends) {
      store(f, scratch, readLimbs(f, place!, BITS, COUNT));
      return this.dot(f, to, [[{ at: scratch, bound: 1 }, toMontgomery]], addends);
    },
    write(f, a, [place]) {
      // Times one, over R: below 1.51 moduli, so that one subtraction is enough.
      f.run(mul({ to: scratch, a: a.at, b: fromMontgomery }));
      const limbs = load(f, scratch).map(({ value }, k) => i64.sub(value, MODULUS[k]!.value));
      writeLimbs(f, limbs, BITS, place!);
    },
    keep: (f, to, a) => f.run(memory.copy(to, a.at, BYTES)),
    spread(f, to, constant) {
      f.run(memory.copy(to, constant, BYTES));
      return { at: to, bound: REDUCED };
    },
  };
}
