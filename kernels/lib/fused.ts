import type { ModuleBuilder } from './module.ts';
import { unreachable } from './scalar.ts';
import type { V128 } from './value.ts';
import { f64x2, v128 } from './vector.ts';

/**
 * Makes a module trap at its start where relaxed multiply-adds round twice: a product of two factors 2^27 + 1 is
 * 2^54 + 2^28 + 1, which takes one bit more than a number has.
 */
export function requireFused(module: ModuleBuilder): void {
  // In memory: a compiler that computed with constants might fuse what the machine does not.
  const numbers = module.table(Float64Array.of(2 ** 27 + 1, 2 ** 54 + 2 ** 28));
  module.start((f) => {
    const factor = f.let(v128.load64Splat(numbers));
    const rounded = f.let(v128.load64Splat(numbers, 8));
    const assertEach = (result: V128, expected: number): void => {
      const off = v128.anyTrue(v128.xor(result, f64x2.const([expected, expected])));
      f.if(off, () => f.run(unreachable));
    };
    assertEach(f64x2.relaxedMadd(factor, factor, f64x2.neg(rounded)), 1);
    assertEach(f64x2.relaxedNmadd(factor, factor, rounded), -1);
  });
}
