import type { FunctionBuilder } from '../lib/function.ts';
import type { Call, ModuleBuilder } from '../lib/module.ts';
import type { I32 } from '../lib/value.ts';

/** Addresses of what a sum of products is made of. */
export interface DotPlaces {
  readonly to: I32;
  readonly products: readonly { readonly x: I32; readonly by: I32 }[];
  readonly element?: I32 | undefined;
  readonly constant?: I32 | undefined;
  readonly reduce?: boolean | undefined;
}

/** Sums of products: one function for each shape that is asked for, made when it is. */
export function dotFunctions(
  module: ModuleBuilder,
  suffix: string,
  body: (f: FunctionBuilder, places: DotPlaces) => void,
): (f: FunctionBuilder, places: DotPlaces) => void {
  const known = new Map<string, Call<Readonly<Record<string, 'i32'>>, void>>();
  return (f, { to, products, element, constant, reduce }) => {
    const values: Record<string, I32> = { to };
    products.forEach(({ x, by }, i) => {
      values[`x${i}`] = x;
      values[`by${i}`] = by;
    });
    if (element) values.element = element;
    if (constant) values.constant = constant;
    const keys = Object.keys(values);
    const parts = [
      `dot${products.length}`,
      element && 'element',
      constant && 'constant',
      reduce && 'reduce',
      suffix,
    ];
    const name = parts.filter(Boolean).join('_');
    let call = known.get(name);
    if (!call) {
      const parameters = Object.fromEntries(keys.map((key) => [key, 'i32'] as const));
      call = module.function(name, parameters, (inside, locals) =>
        body(inside, {
          to: locals.to as I32,
          products: products.map((_, i) => ({ x: locals[`x${i}`] as I32, by: locals[`by${i}`] as I32 })),
          element: locals.element as I32 | undefined,
          constant: locals.constant as I32 | undefined,
          reduce,
        }),
      );
      known.set(name, call);
    }
    f.run(call(values));
  };
}
