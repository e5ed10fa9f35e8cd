/** Power maps over the Goldilocks field. */
import type { FunctionBuilder } from '../lib/function.ts';
import { i32 } from '../lib/scalar.ts';
import type { I32, Statement } from '../lib/value.ts';
import type { Place } from '../lib/words.ts';
import { type GoldilocksForm, RANGE, type Ranged } from './goldilocks.ts';
import type { GoldilocksState } from './goldilocks-state.ts';

/** `x^7`. */
export function pow7<E, N extends Ranged>(f: FunctionBuilder, form: GoldilocksForm<E, N>, x: E): E {
  const second = form.square(f, x);
  return form.mul(f, form.mul(f, second, x), form.square(f, second));
}

/** One pass over all lanes, from one row of elements to another. */
type Pass = (to: number, from: number) => Statement;

interface Passes {
  /** Four squarings. */
  readonly four: (to: number, from: number) => readonly Statement[];
  /** Two squarings, of which `times` takes the result. */
  readonly two: Pass;
  /** Some squarings, none or one, and a product with a row of factors. */
  times(squarings: 0 | 1, factors: number): Pass;
}

/**
 * Short passes: the fewer instructions a lane takes, the more lanes are under way at once. Two squarings leave limbs
 * below 2^35, and two more need no carry before them.
 */
function passes<E, N extends Ranged>(state: GoldilocksState<E, N>): Passes {
  const { module, form } = state;
  const grown = 2 ** 35;
  const parameters = { to: 'i32', from: 'i32', factors: 'i32' } as const;
  const pass = (
    name: string,
    change: (f: FunctionBuilder, load: (base: I32, most?: number) => E, row: I32, factors: I32) => E,
    most?: number,
  ) =>
    module.function(`${name}_x${form.lanes}`, parameters, (f, { to, from, factors }) =>
      state.forLanes(f, (offset) => {
        const at = (base: I32): Place => ({ address: i32.add(base, offset), offset: 0 });
        const result = change(f, (base, range) => form.load(f, at(base), range), from, factors);
        form.store(f, at(to), result, most);
      }),
    );
  const twice = (f: FunctionBuilder, x: E): E => form.square(f, form.square(f, x));
  const first = pass('square2', (f, load, row) => twice(f, load(row)), grown);
  const second = pass('square4', (f, load, row) => twice(f, load(row, grown)));
  const products = ([0, 1] as const).map((squarings) =>
    pass(`times${squarings}`, (f, load, row, factors) => {
      const x = load(row, grown);
      return form.mul(f, squarings ? form.square(f, x) : x, load(factors));
    }),
  );
  const values = (to: number, from: number, factors = 0) => ({
    to: i32.const(to),
    from: i32.const(from),
    factors: i32.const(factors),
  });
  return {
    two: (to, from) => first(values(to, from)),
    four: (to, from) => [first(values(to, from)), second(values(to, to))],
    times: (squarings, factors) => (to, from) => products[squarings]!(values(to, from, factors)),
  };
}

/**
 * A function that replaces each element by its seventh root, with 63 squarings and 9 products:
 * `t2 = x^4`, `t3 = t2^(2^3 + 1)`, `t4 = t3^(2^6 + 1)`, `t5 = t4^(2^12 + 1)`, `t6 = t5^(2^6) t3`, `t7 = t6^(2^31 + 1)`, and the
 * root is `(t7^2 t6)^4 x x^2 x^4`.
 */
export function seventhRoots<E, N extends Ranged>(state: GoldilocksState<E, N>): () => Statement {
  const { module, form, address } = state;
  const [third, factors, running] = [state.reserve(), state.reserve(), state.reserve()];
  const { two, four, times } = passes(state);

  const begin = module.function(`root7_begin_x${form.lanes}`, {}, (f) =>
    state.forLanes(f, (offset) => {
      const x = form.load(f, { address: offset, offset: address });
      const square = form.square(f, x);
      const fourth = form.square(f, square);
      form.store(f, { address: offset, offset: factors }, fourth);
      form.store(f, { address: offset, offset: address }, form.mul(f, form.mul(f, square, x), fourth));
    }),
  );
  const end = module.function(`root7_end_x${form.lanes}`, {}, (f) =>
    state.forLanes(f, (offset) => {
      const load = (base: number): E => form.load(f, { address: offset, offset: base });
      const odd = form.mul(f, form.square(f, load(running)), load(factors));
      const power = form.square(f, form.square(f, odd));
      form.store(f, { address: offset, offset: address }, form.mul(f, power, load(address)), RANGE.loose);
    }),
  );
  const six = (from: number): readonly Statement[] => [...four(running, from), two(running, running)];
  const call = module.function(`root7_x${form.lanes}`, {}, (f) => {
    f.run(begin({}), two(running, factors), times(1, factors)(third, running));
    f.run(...six(third), times(0, third)(factors, running));
    f.run(...four(running, factors), ...four(running, running), ...four(running, running));
    f.run(times(0, factors)(factors, running));
    f.run(...six(factors), times(0, third)(factors, running));
    f.run(...four(running, factors));
    f.for(0, 6, 1, () => f.run(...four(running, running)));
    f.run(two(running, running), times(1, factors)(running, running), end({}));
  });
  return () => call({});
}
