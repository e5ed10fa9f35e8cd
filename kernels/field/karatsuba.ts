import type { FunctionBuilder } from '../lib/function.ts';
import { i64 } from '../lib/scalar.ts';
import type { I64 } from '../lib/value.ts';

const BLOCK = 3;
const BLOCKS = [0, 1, 2] as const;

/** Column c of a product of two blocks. */
function blockColumn(c: number, x: (k: number) => I64, y: (k: number) => I64): I64 {
  const pairs = BLOCKS.filter((k) => k <= c && c - k < BLOCK);
  const [first, ...rest] = pairs.map((k) => i64.mul(x(k), y(c - k)));
  return i64.add(first!, ...rest);
}

/**
 * The columns of a product of nine limbs, by Karatsuba's rule over three blocks of three: 54 multiplications instead
 * of 81, of which most machines start only one at a time. Columns are the same sums as those of all products.
 */
export function karatsuba(f: FunctionBuilder, x: readonly I64[], y: readonly I64[]): (k: number) => I64 {
  const known = new Map<string, I64>();
  const once = (key: string, make: () => I64): I64 => {
    const value = known.get(key) ?? f.let(make());
    known.set(key, value);
    return value;
  };
  const limb = (v: readonly I64[], block: number, k: number): I64 => v[BLOCK * block + k]!;
  const sum = (name: string, v: readonly I64[], i: number, j: number, k: number): I64 =>
    once(`${name} ${i} ${j} ${k}`, () => i64.add(limb(v, i, k), limb(v, j, k)));
  const same = (i: number, c: number): I64 =>
    once(`same ${i} ${c}`, () =>
      blockColumn(
        c,
        (k) => limb(x, i, k),
        (k) => limb(y, i, k),
      ),
    );
  /** Blocks i and j with each other: the product of their sums, less that of each with itself. */
  const cross = (i: number, j: number, c: number): I64 => {
    const both = blockColumn(
      c,
      (k) => sum('x', x, i, j, k),
      (k) => sum('y', y, i, j, k),
    );
    return i64.sub(i64.sub(both, same(i, c)), same(j, c));
  };
  const parts = [
    (c: number) => same(0, c),
    (c: number) => cross(0, 1, c),
    (c: number) => i64.add(cross(0, 2, c), same(1, c)),
    (c: number) => cross(1, 2, c),
    (c: number) => same(2, c),
  ];
  return (k) => {
    const values = parts.flatMap((part, i) => {
      const c = k - BLOCK * i;
      return c >= 0 && c <= 2 * (BLOCK - 1) ? [part(c)] : [];
    });
    return i64.add(values[0]!, ...values.slice(1));
  };
}
