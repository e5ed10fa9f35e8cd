/** The emitter: what it writes is what the machine computes. */
import { describe, expect, it } from 'vitest';
import { assemble } from '../../kernels/lib/assemble.ts';
import type { FunctionBuilder } from '../../kernels/lib/function.ts';
import { ModuleBuilder } from '../../kernels/lib/module.ts';
import { f64, i32, i64, memory } from '../../kernels/lib/scalar.ts';
import type { Value } from '../../kernels/lib/value.ts';
import { f64x2, i8x16, i32x4, i64x2, v128 } from '../../kernels/lib/vector.ts';

type Exports = Record<string, (...values: number[]) => unknown> & {
  memory: WebAssembly.Memory;
  heap: WebAssembly.Global;
};

function load(module: ModuleBuilder, passes: string[] = []): Exports {
  const bytes = assemble(module.toText(), passes);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports as Exports;
}

/** What a function without parameters returns. */
function evaluate(body: (f: FunctionBuilder, module: ModuleBuilder) => Value): unknown {
  const module = new ModuleBuilder();
  module.function('run', {}, (f) => body(f, module), { export: true });
  return load(module).run!();
}

describe('numbers', () => {
  it.each<[string, Value, unknown]>([
    ['i32', i32.add(i32.mul(6, 7), i32.shl(1, 4), i32.rotr(1, 31)), 60],
    ['i32 compare', i32.select(i32.ltU(-1, 1), 5, i32.select(i32.ltS(-1, 1), 6, 7)), 6],
    ['i32 bits', i32.xor(i32.or(0x10, i32.and(0xff, 0x0f)), i32.shrU(-1, 28), i32.shrS(-16, 4)), ~16],
    ['i64', i64.mul(i64.const(0xffffffffn), i64.const(0x100000001n)), -1n],
    [
      'i64 shifts',
      i64.sub(i64.shrS(i64.const(-256n), i64.const(4n)), i64.rotl(i64.const(1n), i64.const(63n))),
      2n ** 63n - 16n,
    ],
    ['i64 to i32', i32.wrap(i64.shrU(i64.extendU(i32.const(-1)), i64.const(4n))), 0x0fffffff],
    [
      'f64',
      f64.add(f64.mul(f64.const(1.5), f64.const(2 ** 52)), f64.neg(f64.nearest(f64.const(2.5)))),
      1.5 * 2 ** 52 - 2,
    ],
    ['f64 bits', i64.fromBits(f64.const(1)), 0x3ffn << 52n],
    ['f64 to i64', i64.truncate(f64.convert(i64.const(-5n))), -5n],
  ])('%s', (_, value, right) => {
    expect(evaluate(() => value)).toBe(right);
  });
});

describe('vectors', () => {
  const lane0 = (vector: Value<'v128'>) => i32x4.extractLane(vector, 0);

  it.each<[string, Value, unknown]>([
    ['i32x4', i32x4.extractLane(i32x4.add(i32x4.const([1, 2, 3, 4]), i32x4.splat(0xffffffff)), 3), 3],
    ['i32x4 shifts', lane0(v128.xor(i32x4.shl(i32x4.splat(3), 4), i32x4.shrU(i32x4.splat(-1), 31))), 49],
    ['i64x2', i64x2.extractLane(i64x2.mul(i64x2.const([3n, -5n]), i64x2.splat(i64.const(7n))), 1), -35n],
    ['i64x2 shifts', i64x2.extractLane(i64x2.shrS(i64x2.const([-64n, 1n]), 3), 0), -8n],
    ['f64x2', f64x2.extractLane(f64x2.sub(f64x2.const([1, 2]), f64x2.splat(f64.const(0.5))), 1), 1.5],
    [
      'shuffle',
      lane0(i8x16.shuffle(i32x4.splat(0x11223344), i32x4.splat(0), [3, 2, 1, 0, ...Array(12).fill(16)])),
      0x44332211,
    ],
    [
      'swizzle',
      lane0(i8x16.swizzle(i32x4.splat(0x11223344), i8x16.const([3, 2, 1, 0, ...Array(12).fill(255)]))),
      0x44332211,
    ],
    ['andnot', lane0(v128.andnot(i32x4.splat(0xff), i32x4.splat(0x0f))), 0xf0],
    ['bitselect', lane0(v128.bitselect(i32x4.splat(0xaa), i32x4.splat(0x55), i32x4.splat(0xf0))), 0xa5],
  ])('%s', (_, value, right) => {
    expect(evaluate(() => value)).toBe(right);
  });

  it('assembles relaxed instructions, whether or not this machine runs them', () => {
    const module = new ModuleBuilder();
    module.function('run', {}, () => {
      const x = f64x2.const([2, 3]);
      const fused = f64x2.relaxedNmadd(x, x, f64x2.relaxedMadd(x, x, x));
      return f64x2.extractLane(
        i8x16.relaxedSwizzle(fused, i8x16.const(Array.from({ length: 16 }, (_, i) => i))),
        0,
      );
    });
    expect(assemble(module.toText()).length).toBeGreaterThan(60);
  });
});

describe('modules', () => {
  it('hold tables, scratch space and a heap behind them', () => {
    const module = new ModuleBuilder();
    const table = module.table(Uint32Array.of(7, 8, 9));
    const scratch = module.reserve(100);
    module.function('sum', {}, () => i32.add(i32.load(table), i32.load(table, 4), i32.load(table + 8)), {
      export: true,
    });
    module.function(
      'blank',
      {},
      (f) => {
        f.run(
          memory.fill(scratch, 1, 8),
          memory.copy(scratch + 8, table, 4),
          i32.store8(scratch, i32.const(0xff)),
        );
        return i32.add(i32.load(scratch + 8), i32.load8U(scratch));
      },
      { export: true },
    );
    const { sum, blank, heap } = load(module);
    expect(sum!()).toBe(24);
    expect(blank!()).toBe(7 + 255);
    expect(heap.value).toBeGreaterThanOrEqual(scratch + 100);
    expect((heap.value as number) % 64).toBe(0);
  });

  it('call, branch and loop', () => {
    const module = new ModuleBuilder();
    const square = module.function('square', { x: 'i32' }, (_, { x }) => i32.mul(x, x));
    module.function(
      'sumOfSquares',
      { below: 'i32' },
      (f, { below }) => {
        const total = f.local('i32');
        const x = f.local('i32');
        f.while(i32.ltU(x, below), () => {
          f.if(
            i32.eqz(i32.and(x, 1)),
            () => f.set(total, i32.add(total, square({ x }))),
            () => f.set(total, i32.sub(total, 1)),
          );
          f.set(x, i32.add(x, 1));
        });
        f.for(0, 30, 10, (i) => f.set(total, i32.add(total, i)));
        return total;
      },
      { export: true },
    );
    for (const passes of [[], ['local-cse', 'simplify-locals']]) {
      const { sumOfSquares } = load(module, passes);
      expect(sumOfSquares!(0)).toBe(30);
      expect(sumOfSquares!(7)).toBe(0 + 4 + 16 + 36 - 3 + 30);
    }
  });

  it('refuse what does not validate', () => {
    const module = new ModuleBuilder();
    module.function('wrong', {}, () => ({ type: 'i32', text: '(f64.const 1)' }));
    expect(() => assemble(module.toText())).toThrow();
  });
});
