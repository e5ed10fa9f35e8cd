/** Slips in the WASM of hashes over BN254: what the self-test, or the module itself, refuses. */
import { describe, expect, it } from 'vitest';
import { kernels } from '../../kernels/hash/poseidon2-bn254.ts';
import { assemble } from '../../kernels/lib/assemble.ts';
import { openEngine } from '../../src/backend/cpu/engine.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import type { CpuKernels, WasmFeature } from '../../src/hash/types.ts';
import { compile } from '../support/kernels.ts';

const spec = hashSpec('poseidon2-bn254');
const textOf = (feature: WasmFeature): string =>
  kernels.builds.find((build) => build.feature === feature)!.text;

/** Opens one build of the hash, made from `text`. */
async function open(feature: WasmFeature, text: string, constants?: CpuKernels['constants']) {
  // Fused multiply-adds may be behind a flag, which this sets.
  compile(textOf(feature));
  const builds = [{ feature, bytes: () => assemble(text) }];
  const cpu = async (): Promise<CpuKernels> => ({
    ...(await spec.cpu!()),
    builds,
    ...(constants && { constants }),
  });
  const opened = await openEngine({ ...spec, cpu }, await spec.load(), {
    features: [feature],
    native: false,
  });
  return opened.engine;
}

/** The text with the first of what fits changed, in one function. */
function changed(text: string, where: string, from: string, to: string): string {
  const body = text.indexOf(`(func $${where} `);
  const at = text.indexOf(from, body);
  expect(body, where).toBeGreaterThan(0);
  expect(text.slice(body + 1, at), from).not.toContain('(func ');
  return text.slice(0, at) + to + text.slice(at + from.length);
}

type Slip = readonly [name: string, where: string, from: string, to: string];
const SLIPS: Readonly<Record<'relaxed-simd' | 'scalar', readonly Slip[]>> = {
  scalar: [
    ['a limb of the modulus', 'square_i64', '(i64.const 240920116)', '(i64.const 240920117)'],
    ['a limb of the step', 'dot1_element_i64', '(i64.const 257786165)', '(i64.const 257786164)'],
    ['the inverse of the modulus', 'square_i64', '(i64.const 268435455)', '(i64.const 268435453)'],
    ['a mask of one bit less', 'dot1_i64', '(i64.const 536870911)', '(i64.const 268435455)'],
    ['a carry by one bit more', 'sum_i64', '(i64.const 29)', '(i64.const 30)'],
    ['rows of a factor that are missed', 'dot1_element_scale_i64', '(i32.const 108)', '(i32.const 144)'],
    ['a coefficient of a linear layer', 'external_i64', '(i64.const 7)', '(i64.const 6)'],
    ['a partial round less', 'permute_x1', '(i32.const 2016)', '(i32.const 1980)'],
    ['two elements that change places', 'permute_x1', '(i32.const 4516)', '(i32.const 4840)'],
  ],
  'relaxed-simd': [
    ['a product without its low part', 'square_f64', 'f64x2.relaxed_madd', 'f64x2.relaxed_nmadd'],
    ['a carry by one bit less', 'dot1_element_f64', '(i32.const 51)', '(i32.const 50)'],
    ['a partial round less', 'permute_x4', '(i32.const 2240)', '(i32.const 2200)'],
    ['two elements that change places', 'permute_x4', '(i32.const 4776)', '(i32.const 4816)'],
  ],
};

describe.each(['relaxed-simd', 'scalar'] as const)('a slip in the %s build', (feature) => {
  it('none: the build runs', async () => {
    expect((await open(feature, textOf(feature))).name).toBe(`wasm ${feature}`);
  });

  it.each(SLIPS[feature])('%s', async (_, where, from, to) => {
    await expect(open(feature, changed(textOf(feature), where, from, to))).rejects.toMatchObject({
      code: 'KERNEL_SELF_TEST',
    });
  });

  it('a bit of one constant', async () => {
    const { constants } = await spec.cpu!();
    const table = constants!(2).slice();
    // The round constant of the last partial round.
    table[table.length - 1]! ^= 1;
    await expect(open(feature, textOf(feature), () => table)).rejects.toMatchObject({
      code: 'KERNEL_SELF_TEST',
    });
  });
});

it('a module whose multiply-adds round twice does not start', async () => {
  const twice = (name: string, factor: string): string =>
    `(func $${name} (param v128 v128 v128) (result v128)
      (f64x2.add (f64x2.mul ${factor} (local.get 1)) (local.get 2)))`;
  const functions = [twice('twice', '(local.get 0)'), twice('negative', '(f64x2.neg (local.get 0))')].join(
    '\n',
  );
  const text = textOf('relaxed-simd')
    .replaceAll('(f64x2.relaxed_madd', '(call $twice')
    .replaceAll('(f64x2.relaxed_nmadd', '(call $negative')
    .replace('(func $start', `${functions}\n(func $start`);
  expect(() => new WebAssembly.Instance(compile(text))).toThrow(WebAssembly.RuntimeError);
  await expect(open('relaxed-simd', text)).rejects.toMatchObject({ code: 'KERNEL_SELF_TEST' });
});
