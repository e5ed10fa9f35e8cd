import type { FunctionBuilder } from '../lib/function.ts';
import type { ModuleBuilder } from '../lib/module.ts';
import { i32 } from '../lib/scalar.ts';
import type { I32 } from '../lib/value.ts';
import type { FieldForm } from './form.ts';

/** `x^5`. */
export interface Power5 {
  /** Bound of the results. */
  readonly bound: number;
  run(f: FunctionBuilder, to: I32, x: I32): void;
}

/** A function for `x^5`, x up to the form's bound for that. */
export function power5(module: ModuleBuilder, form: FieldForm): Power5 {
  const scratch = i32.const(module.reserve(form.bytes));
  let bound = 0;
  const call = module.function(`power5_x${form.lanes}`, { to: 'i32', x: 'i32' }, (f, { to, x }) => {
    const base = { at: x, bound: form.powerBound };
    const square = form.square(f, scratch, base);
    const fourth = form.square(f, scratch, square);
    bound = form.mul(f, to, fourth, base).bound;
  });
  return { bound, run: (f, to, x) => f.run(call({ to, x })) };
}
