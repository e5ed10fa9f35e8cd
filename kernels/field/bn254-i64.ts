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
import { type DotPlaces, type DotProduct, dotFunctions } from './dot.ts';
import { assertBound, type FieldForm } from './form.ts';
import { karatsuba } from './karatsuba.ts';

const BITS = 29;
const COUNT = 9;
/** Columns of a product. */
const COLUMNS = 2 * COUNT - 1;
/** Products whose columns stay below 2^64 together, the reduction's included. */
const MOST_PRODUCTS = 6;
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
/** The last limb of the modulus, in units of 2^29. */
const TOP = Number(fr.modulus >> BigInt(BITS * (COUNT - 1))) / 2 ** BITS;
/** What is left of a sum behind its reduction by an estimate. */
const REDUCED = 1.01;
/** Elements stay below this, so that they fit nine limbs. */
const MOST = RATIO - 2;
/** The fifth power takes elements up to this; sums of sixteen of them stay below R. */
const POWER_BOUND = 10.4;
/** A factor d is a row of limbs of `d 2^(29 (i + 1))` for each limb i that it meets. */
const FACTOR_BYTES = COUNT * BYTES;
/** Rows of a factor in one turn of the loop over them. */
const ROWS_A_TURN = 3;

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

/** Greatest sum of products in column k. */
const mostIn = (k: number): bigint => BigInt(Math.min(k, COLUMNS - 1 - k) + 1) * LIMB_MAX ** 2n;

/** Sums column by column, from the lowest up. */
class Columns {
  readonly #f: FunctionBuilder;
  #sum: I64 | undefined;
  /** What came over from the last column; it joins at the end, so that the sum need not wait for it. */
  #carry: I64 | undefined;
  #most = 0n;

  constructor(f: FunctionBuilder) {
    this.#f = f;
  }

  add({ value, most }: Limb): void {
    this.#sum = this.#sum ? i64.add(this.#sum, value) : value;
    this.#most += most;
    if (this.#most >= 2n ** 64n) throw new RangeError('column: its sum may pass 64 bits');
  }

  product(a: Limb, b: Limb): void {
    this.add({ value: i64.mul(a.value, b.value), most: a.most * b.most });
  }

  /** The column so far. */
  sum(): I64 {
    const parts = [this.#sum, this.#carry].flatMap((part) => part ?? []);
    const sum = this.#f.let(i64.add(parts[0]!, ...parts.slice(1)), 'sum');
    this.#sum = sum;
    this.#carry = undefined;
    return sum;
  }

  /** The lowest bits of the column; the rest goes to the next one. */
  next(): Limb {
    const value = this.#f.let(i64.and(this.sum(), MASK), 'digit');
    this.drop();
    return { value, most: LIMB_MAX };
  }

  /** Goes to the next column without the lowest bits of this one. */
  drop(): void {
    this.#carry = i64.shrU(this.sum(), WIDTH);
    this.#sum = undefined;
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

/** Adds what belongs into column k. */
type Terms = (columns: Columns, k: number) => void;

/** `x y`, by Karatsuba's rule: the same as `convolve`. */
function productTerms(f: FunctionBuilder, x: readonly I64[], y: readonly I64[]): Terms {
  const column = karatsuba(f, x, y);
  return (columns, k) => columns.add({ value: column(k), most: mostIn(k) });
}

/** `x x`. */
function squareTerms(f: FunctionBuilder, at: I32): Terms {
  const x = load(f, at);
  const twice = x.map(({ value, most }) => ({ value: f.let(i64.add(value, value)), most: 2n * most }));
  return (columns, k) => {
    for (let i = Math.max(0, k - COUNT + 1); 2 * i < k; i++) columns.product(twice[i]!, x[k - i]!);
    if (k % 2 === 0) columns.product(x[k / 2]!, x[k / 2]!);
  };
}

/** How often the modulus itself makes the lowest bits of the column zero. */
function lastDigit(f: FunctionBuilder, columns: Columns): Limb {
  const value = f.let(i64.and(i64.mul(columns.sum(), i64.const(INVERSE)), MASK), 'digit');
  return { value, most: LIMB_MAX };
}

/** What `terms` puts into the columns, divided by R, plus `addends`. */
function montgomery(f: FunctionBuilder, terms: Terms, addends: readonly (readonly Limb[])[] = []): I64[] {
  const columns = new Columns(f);
  const digits: Limb[] = [];
  for (let k = 0; k < COUNT; k++) {
    terms(columns, k);
    convolve(columns, k - 1, digits, STEP);
    if (k < COUNT - 1) digits.push(columns.next());
  }
  const last = lastDigit(f, columns);
  columns.product(last, MODULUS[0]!);
  columns.drop();
  const limbs: I64[] = [];
  for (let k = COUNT; k < COLUMNS; k++) {
    terms(columns, k);
    convolve(columns, k - 1, digits, STEP);
    columns.product(last, MODULUS[k - COUNT + 1]!);
    for (const addend of addends) columns.add(addend[k - COUNT]!);
    limbs.push(columns.next().value);
  }
  for (const addend of addends) columns.add(addend[COUNT - 1]!);
  return [...limbs, columns.sum()];
}

const times = (limb: I64, factor: bigint): I64 => (factor === 1n ? limb : i64.mul(limb, i64.const(factor)));

/** Rows of small integers times elements, plus constants, less a multiple of the modulus. */
function linearBody(
  f: FunctionBuilder,
  matrix: readonly (readonly bigint[])[],
  { to, x, constants }: { readonly to: I32; readonly x: I32; readonly constants: I32 },
): void {
  const inputs = matrix[0]!.map((_, i) => load(f, i32.add(x, i * BYTES)));
  matrix.forEach((row, r) => {
    const sums = load(f, i32.add(constants, r * BYTES)).map(({ value }, k) =>
      f.let(i64.add(value, ...row.map((c, i) => times(inputs[i]![k]!.value, c)))),
    );
    // From the last limb alone, rounded down: never too often, and at most once too few.
    const estimate = i64.mul(sums[COUNT - 1]!, i64.const(2n ** 40n / (MODULUS[COUNT - 1]!.most + 1n)));
    const moduli = f.let(i64.shrU(estimate, i64.const(40n)), 'moduli');
    let carry: I64 | undefined;
    const limbs = sums.map((sum, k) => {
      const rest = i64.sub(sum, i64.mul(moduli, MODULUS[k]!.value));
      const limb = f.let(carry ? i64.add(rest, carry) : rest);
      carry = i64.shrS(limb, WIDTH);
      return k < COUNT - 1 ? i64.and(limb, MASK) : limb;
    });
    store(f, i32.add(to, r * BYTES), limbs);
  });
}

/**
 * `x d`, plus addends, as the sum of all `x[i] D[i]`: 91 multiplications instead of 136, since one step of the reduction
 * makes a sum of elements short enough.
 */
function scaleBody(f: FunctionBuilder, { to, products, element, constant }: DotPlaces): void {
  const [{ x, by }] = products as [DotProduct];
  const addends = [element, constant].flatMap((at) => (at ? [load(f, at)] : []));
  const sums = Array.from({ length: COUNT }, () => f.local('i64', 'sum'));
  const limbs = f.let(x, 'limbs');
  // A loop, because Node 20 moves loads to the front: 81 of them would not find registers.
  f.for(0, FACTOR_BYTES, ROWS_A_TURN * BYTES, (row) => {
    const factors = f.let(i32.add(by, row), 'factors');
    for (let i = 0; i < ROWS_A_TURN; i++) {
      const limb = f.let(i64.load32U(limbs, LIMB_BYTES * i), 'limb');
      sums.forEach((sum, k) => {
        f.set(sum, i64.add(sum, i64.mul(limb, i64.load32U(factors, i * BYTES + LIMB_BYTES * k))));
      });
    }
    f.set(limbs, i32.add(limbs, ROWS_A_TURN * LIMB_BYTES));
  });
  store(f, to, oneStep(f, sums, addends));
}

/** One step of the reduction: sums of nine products over 2^29, plus addends. */
function oneStep(f: FunctionBuilder, sums: readonly I64[], addends: readonly (readonly Limb[])[]): I64[] {
  const most = BigInt(COUNT) * LIMB_MAX ** 2n;
  const columns = new Columns(f);
  columns.add({ value: sums[0]!, most });
  const digit = lastDigit(f, columns);
  columns.product(digit, MODULUS[0]!);
  columns.drop();
  const limbs: I64[] = [];
  for (let k = 1; k < COUNT; k++) {
    columns.add({ value: sums[k]!, most });
    columns.product(digit, MODULUS[k]!);
    for (const addend of addends) columns.add(addend[k - 1]!);
    limbs.push(columns.next().value);
  }
  for (const addend of addends) columns.add(addend[COUNT - 1]!);
  return [...limbs, columns.sum()];
}

/** Bound of a product of elements, and of what is added to it. */
function productBound(a: number, b: number, addend = 0): number {
  const bound = (a * b) / RATIO + REDUCTION + addend;
  assertBound({ bound }, MOST);
  return bound;
}

/**
 * Functions for sums of products. All but the last product only go into columns in memory: in one body, several would
 * not find registers. The last one shares its body with the reduction, which alone would mostly wait for itself.
 */
function sumsOfProducts(module: ModuleBuilder) {
  const columnsAt = module.reserve(8 * COLUMNS);
  const values = (f: FunctionBuilder, at: I32): I64[] => load(f, at).map(({ value }) => value);
  const [multiply, multiplyAdd] = [false, true].map((add) =>
    module.function(add ? 'multiply_add_i64' : 'multiply_i64', { a: 'i32', b: 'i32' }, (f, { a, b }) => {
      const column = karatsuba(f, values(f, a), values(f, b));
      for (let k = 0; k < COLUMNS; k++) {
        const sum = add ? i64.add(column(k), i64.load(columnsAt, 8 * k)) : column(k);
        f.run(i64.store(columnsAt, sum, 8 * k));
      }
    }),
  );
  const last = dotFunctions(module, 'i64', (f, { to, products, element, constant, variant }) => {
    const [{ x, by }] = products as [DotProduct];
    const product = productTerms(f, values(f, x), values(f, by));
    const addends = [element, constant].flatMap((at) => (at ? [load(f, at)] : []));
    const terms: Terms = (columns, k) => {
      product(columns, k);
      if (variant !== 'sums') return;
      const most = BigInt(MOST_PRODUCTS - 1) * mostIn(k);
      columns.add({ value: i64.load(columnsAt, 8 * k), most });
    };
    store(f, to, montgomery(f, terms, addends));
  });
  return (f: FunctionBuilder, { to, products, element, constant }: Omit<DotPlaces, 'variant'>): void => {
    if (products.length > MOST_PRODUCTS) {
      throw new RangeError(`products: expected at most ${MOST_PRODUCTS}, got ${products.length}`);
    }
    products.slice(0, -1).forEach(({ x, by }, i) => {
      f.run((i === 0 ? multiply! : multiplyAdd!)({ a: x, b: by }));
    });
    const variant = products.length > 1 ? 'sums' : undefined;
    last(f, { to, products: products.slice(-1), element, constant, variant });
  };
}

/** A function that makes a factor of a constant. */
function factorFunction(module: ModuleBuilder, dot: ReturnType<typeof sumsOfProducts>) {
  const powers = module.table(
    Uint32Array.from(
      Array.from({ length: COUNT }, (_, i) => 2n ** BigInt(BITS * (i + 1)) % fr.modulus).flatMap((power) =>
        limbsOf(power, BITS, COUNT).map(Number),
      ),
    ),
  );
  const zeros = i32.const(module.reserve(BYTES));
  return module.function('factor_i64', { to: 'i32', constant: 'i32' }, (f, { to, constant }) => {
    for (let i = 0; i < COUNT; i++) {
      const row = f.let(i32.add(to, i * BYTES), 'row');
      dot(f, { to: row, products: [{ x: constant, by: i32.const(powers + i * BYTES) }] });
      linearBody(f, [[1n]], { to: row, x: row, constants: zeros });
    }
  });
}

/** The field in 64-bit integers. */
export function scalarForm(module: ModuleBuilder): FieldForm {
  const dot = sumsOfProducts(module);
  const squared = module.function('square_i64', { to: 'i32', a: 'i32' }, (f, { to, a }) =>
    store(f, to, montgomery(f, squareTerms(f, a))),
  );
  const table = (value: bigint): I32 =>
    i32.const(module.table(Uint32Array.from(limbsOf(value, BITS, COUNT), Number)));
  const toMontgomery = table(R ** 2n % fr.modulus);
  const fromMontgomery = table(1n);
  const scratch = i32.const(module.reserve(BYTES));
  const scaled = dotFunctions(module, 'scale_i64', scaleBody);
  const keepFactor = factorFunction(module, dot);

  return {
    lanes: 1,
    bytes: BYTES,
    constantBytes: BYTES,
    constantBound: REDUCED,
    elementBound: MOST,
    factorBytes: FACTOR_BYTES,
    powerBound: POWER_BOUND,
    mul(f, to, a, b) {
      dot(f, { to, products: [{ x: a.at, by: b.at }] });
      return { at: to, bound: productBound(a.bound, b.bound) };
    },
    square(f, to, a) {
      f.run(squared({ to, a: a.at }));
      return { at: to, bound: productBound(a.bound, a.bound) };
    },
    dot(f, to, products, { element, constant } = {}) {
      const places = products.map(([x, by]) => ({ x: x.at, by }));
      dot(f, { to, products: places, element: element?.at, constant });
      const sum = (element?.bound ?? 0) + (constant ? REDUCED : 0);
      assertBound({ bound: sum }, MOST);
      const product = products.reduce((total, [x, , most = REDUCED]) => total + x.bound * most, 0);
      return { at: to, bound: productBound(product, 1, sum) };
    },
    scale(f, to, x, factor, { element, constant } = {}) {
      assertBound(x, MOST);
      scaled(f, { to, products: [{ x: x.at, by: factor }], element: element?.at, constant });
      const addends = (element?.bound ?? 0) + (constant ? REDUCED : 0);
      // What the limbs of x are at most, in units of 2^29, and one modulus more for the digit.
      const bound = REDUCED * (COUNT - 1 + x.bound * TOP) + 1 + addends;
      assertBound({ bound }, POWER_BOUND);
      return { at: to, bound };
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
      dot(f, { to: scratch, products: [{ x: a.at, by: fromMontgomery }] });
      const limbs = load(f, scratch).map(({ value }, k) => i64.sub(value, MODULUS[k]!.value));
      writeLimbs(f, limbs, BITS, place!);
    },
    keepFactor: (f, to, constant) => f.run(keepFactor({ to, constant })),
    keep: (f, to, a) => f.run(memory.copy(to, a.at, BYTES)),
    spread(f, to, constant) {
      f.run(memory.copy(to, constant, BYTES));
      return { at: to, bound: REDUCED };
    },
  };
}
