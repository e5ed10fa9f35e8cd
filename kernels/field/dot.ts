import type { FunctionBuilder } from '../lib/function.ts';
import type { Call, ModuleBuilder } from '../lib/module.ts';
import type { I32 } from '../lib/value.ts';

export interface DotProduct {
  readonly x: I32;
  readonly by: I32;
}

/** Addresses of what a sum of products is made of. */
export interface DotPlaces {
  readonly to: I32;
  readonly products: readonly DotProduct[];
  readonly element?: I32 | undefined;
  readonly constant?: I32 | undefined;
  /** What the body does beside; each variant has functions of its own. */
  readonly variant?: string | undefined;
}

/** Sums of products: one function for each shape that is asked for, made when it is. */
export function dotFunctions(
  module: ModuleBuilder,
  suffix: string,
  body: (f: FunctionBuilder, places: DotPlaces) => void,
): (f: FunctionBuilder, places: DotPlaces) => void {
  const known = new Map<string, Call<Readonly<Record<string, 'i32'>>, void>>();
  return (f, { to, products, element, constant, variant }) => {
    const values: Record<string, I32> = { to };
    products.forEach(({ x, by }, i) => {
      values[`x${i}`] = x;
      values[`by${i}`] = by;
    });
    if (element) values.element = element;
    if (constant) values.constant = constant;
    const keys = Object.keys(values);
    const parts = [`dot${products.length}`, element && 'element', constant && 'constant', variant, suffix];
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
          variant,
        }),
      );
      known.set(name, call);
    }
    f.run(call(values));
  };
}
