/** Constants in memory: canonical bytes come in once, each form keeps them as its products read them. */
import type { ModuleBuilder } from '../lib/module.ts';
import { i32 } from '../lib/scalar.ts';
import type { I32 } from '../lib/value.ts';
import { placesAt } from '../lib/words.ts';
import type { Element, FieldForm } from './form.ts';

const ELEMENT_BYTES = 32;

/** Room for constants, and zero: memory that nothing writes. */
export interface Constants {
  readonly form: FieldForm;
  readonly zero: Element;
  at(index: number): I32;
  readonly bytes: number;
}

/** Keeps room for `count` constants. */
export function reserveConstants(module: ModuleBuilder, form: FieldForm, count: number): Constants {
  const first = module.reserve(count * form.constantBytes);
  const zero = { at: i32.const(module.reserve(form.bytes)), bound: 0 };
  return {
    form,
    zero,
    at: (index) => i32.const(first + index * form.constantBytes),
    bytes: form.constantBytes,
  };
}

/** Exports `load(input, elements)`: takes over constants from canonical bytes. */
export function exportLoad(module: ModuleBuilder, all: readonly Constants[]): void {
  const parameters = { input: 'i32', elements: 'i32' } as const;
  const stages = all.map(({ form, zero, at }, i) => {
    const scratch = i32.const(module.reserve(form.bytes));
    return module.function(`load_${i}`, parameters, (f, { input, elements }) => {
      const to = f.let(at(0), 'to');
      f.while(elements, () => {
        const places = placesAt(new Array<I32>(form.lanes).fill(input));
        form.keep(f, to, form.read(f, scratch, places, zero));
        f.set(input, i32.add(input, ELEMENT_BYTES));
        f.set(to, i32.add(to, form.constantBytes));
        f.set(elements, i32.sub(elements, 1));
      });
    });
  });
  module.function('load', parameters, (f, values) => f.run(...stages.map((stage) => stage(values))), {
    export: true,
  });
}
