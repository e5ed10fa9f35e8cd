/** Constants in memory: canonical bytes come in once, each form keeps them as its products read them. */
import type { FunctionBuilder } from '../lib/function.ts';
import type { ModuleBuilder } from '../lib/module.ts';
import { i32 } from '../lib/scalar.ts';
import type { I32 } from '../lib/value.ts';
import { placesAt } from '../lib/words.ts';
import type { FieldForm } from './form.ts';

const ELEMENT_BYTES = 32;

/** Room for constants of one form. */
export interface Constants {
  readonly form: FieldForm;
  at(index: number): I32;
  /** How many of the first constants are kept as factors, too. */
  readonly factors: number;
  factor(index: number): I32;
}

/** Keeps room for `count` constants; the first `factors` of them are also kept as factors. */
export function reserveConstants(
  module: ModuleBuilder,
  form: FieldForm,
  count: number,
  factors = 0,
): Constants {
  const room = (many: number, bytes: number): Constants['at'] => {
    const first = module.reserve(many * bytes);
    return (index) => i32.const(first + index * bytes);
  };
  return { form, at: room(count, form.constantBytes), factors, factor: room(factors, form.factorBytes) };
}

/**
 * Exports `load(input, elements)`: takes over constants from canonical bytes.
 *
 * @param count where their number is kept.
 */
export function exportLoad(module: ModuleBuilder, all: readonly Constants[], count: number): void {
  const parameters = { input: 'i32', elements: 'i32' } as const;
  const stages = all.map(({ form, at, factors, factor }, i) => {
    const scratch = i32.const(module.reserve(form.bytes));
    const zero = i32.const(module.reserve(form.constantBytes));
    const reduced = form.linear(`constant_${i}`, [[1n]], form.elementBound);
    return module.function(`load_${i}`, parameters, (f, { input, elements }) => {
      const to = f.let(at(0), 'to');
      f.while(elements, () => {
        const places = placesAt(new Array<I32>(form.lanes).fill(input));
        const element = form.read(f, scratch, places);
        reduced.run(f, scratch, scratch, zero);
        form.keep(f, to, element);
        f.set(input, i32.add(input, ELEMENT_BYTES));
        f.set(to, i32.add(to, form.constantBytes));
        f.set(elements, i32.sub(elements, 1));
      });
      for (let k = 0; k < factors; k++) form.keepFactor(f, factor(k), at(k));
    });
  });
  const load = (f: FunctionBuilder, values: { readonly input: I32; readonly elements: I32 }): void =>
    f.run(i32.store(count, values.elements), ...stages.map((stage) => stage(values)));
  module.function('load', parameters, load, { export: true });
}
