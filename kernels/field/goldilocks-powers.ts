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

/**
 * A function that replaces each element by its seventh root: 63 squarings and 9 products, in passes over the lanes.
 * With `u^k` short for the power that is k ones in binary, spread three bits apart:
 * `t2 = x^4`, `t3 = t2^9`, `t4 = t3^(2^6 + 1)`, `t5 = t4^(2^12 + 1)`, `t6 = t5^(2^6) t3`, `t7 = t6^(2^31 + 1)`, and the root is
 * `(t7^2 t6)^4 x^7`, where `x^7 = x x^2 x^4`.
 */
export function seventhRoots<E, N extends Ranged>(state: GoldilocksState<E, N>): () => Statement {
  const { module, form, address } = state;
  const [third, factors, running] = [state.reserve(), state.reserve(), state.reserve()];
  const parameters = { to: 'i32', from: 'i32', factor: 'i32' } as const;
  const at = (f: FunctionBuilder, base: I32, offset: I32): Place => ({
    address: f.let(i32.add(base, offset)),
    offset: 0,
  });

  /** `x^(2^squarings)`, times a factor or not. */
  const raise = (squarings: number, multiplied: boolean) => {
    const name = `raise${squarings}${multiplied ? '_mul' : ''}_x${form.lanes}`;
    const call = module.function(name, parameters, (f, { to, from, factor }) =>
      state.forLanes(f, (offset) => {
        let x = form.load(f, at(f, from, offset));
        for (let i = 0; i < squarings; i++) x = form.square(f, x);
        if (multiplied) x = form.mul(f, x, form.load(f, at(f, factor, offset)));
        form.store(f, at(f, to, offset), x);
      }),
    );
    return (to: number, from: number, by = 0): Statement =>
      call({ to: i32.const(to), from: i32.const(from), factor: i32.const(by) });
  };
  const raise4 = raise(4, false);
  const [raise2Mul, raise3Mul, raise4Mul] = [raise(2, true), raise(3, true), raise(4, true)];

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
  const call = module.function(`root7_x${form.lanes}`, {}, (f) => {
    f.run(
      begin({}),
      raise3Mul(third, factors, factors),
      raise4(running, third),
      raise2Mul(factors, running, third),
      raise4(running, factors),
      raise4(running, running),
      raise4Mul(factors, running, factors),
      raise4(running, factors),
      raise2Mul(factors, running, third),
      raise4(running, factors),
    );
    f.for(0, 6, 1, () => f.run(raise4(running, running)));
    f.run(raise3Mul(running, running, factors), end({}));
  });
  return () => call({});
}
