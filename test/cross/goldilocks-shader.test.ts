import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LinkedShader, linkWgsl } from '../../scripts/generate/wgsl-linker.ts';
import { gl, pow7, root7 } from '../../src/field/goldilocks.ts';
import { parse, readVectors } from '../support/goldilocks-vectors.ts';
import { openDevice, runShader } from '../support/run-shader.ts';

const shaders = fileURLToPath(new URL('../../shaders', import.meta.url));
const { modulus: p } = gl;
const EDGES = [
  0n,
  1n,
  2n,
  p - 1n,
  p,
  p + 1n,
  2n ** 64n - 1n,
  2n ** 64n - 2n,
  2n ** 32n - 1n,
  2n ** 32n,
].concat(
  Array.from({ length: 64 }, (_, bit) => 1n << BigInt(bit)),
  // Each limb of either form at its greatest, alone and with all others.
  [11n, 22n, 32n, 43n, 54n, 16n, 48n].flatMap((bit) => [2n ** 64n - (1n << bit), (1n << bit) - 1n]),
);

/** Numbers of 64 bits without a pattern. */
function* noise(): Generator<bigint> {
  for (let state = 1n; ; ) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    yield BigInt.asUintN(64, state ^ (state >> 29n) ^ (state << 17n));
  }
}

let device: GPUDevice;
beforeAll(async () => {
  device = await openDevice();
});
afterAll(() => device.destroy());

describe.each(['goldilocks', 'goldilocks-halves'])('[gpu] field/%s', (form) => {
  const link = (...modules: string[]): Promise<LinkedShader> =>
    linkWgsl(shaders, modules, { 'field/goldilocks': `field/${form}` });

  /** Runs `body`, which makes elements of `x` (the inputs of this invocation) in `y`. */
  async function run(
    { wgsl }: LinkedShader,
    inputs: readonly bigint[],
    [ins, outs]: readonly [number, number],
    body: string,
  ): Promise<bigint[]> {
    const count = inputs.length / ins;
    const output = await runShader(device, {
      wgsl: `${wgsl}
@group(0) @binding(0) var<storage, read> input: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec2<u32>>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= ${count}u) { return; }
  var x: array<gl_Element, ${ins}>;
  for (var i = 0u; i < ${ins}u; i += 1u) { x[i] = gl_from_words(input[id.x * ${ins}u + i]); }
  var y: array<gl_Element, ${outs}>;
  ${body}
  for (var i = 0u; i < ${outs}u; i += 1u) { output[id.x * ${outs}u + i] = gl_to_words(y[i]); }
}`,
      inputs: [new Uint32Array(BigUint64Array.from(inputs).buffer)],
      outputWords: 2 * outs * count,
      invocations: count,
    });
    return [...new BigUint64Array(output.buffer)];
  }

  it('multiplies and squares: all edges with all, and 10^5 random pairs, results taken on unreduced', async () => {
    const pairs = EDGES.flatMap((a) => EDGES.flatMap((b) => [a, b]));
    for (const value of noise()) {
      if (pairs.push(value) >= 200_000 + 2 * EDGES.length ** 2) break;
    }
    const found = await run(
      await link('field/goldilocks'),
      pairs,
      [2, 4],
      'y[0] = gl_mul(x[0], x[1]); y[1] = gl_square(x[0]); y[2] = gl_mul(y[0], y[1]); y[3] = gl_square(gl_square(y[0]));',
    );
    for (let i = 0; i < pairs.length / 2; i++) {
      const [a, b] = [gl.reduce(pairs[2 * i]!), gl.reduce(pairs[2 * i + 1]!)];
      const [product, square] = [gl.mul(a, b), gl.square(a)];
      const expected = [product, square, gl.mul(product, square), gl.pow(product, 4n)];
      for (const [k, value] of expected.entries()) {
        // Compared by hand, because 10^5 assertions take longer than the work.
        if (found[4 * i + k] !== value)
          expect([pairs[2 * i], pairs[2 * i + 1], k, found[4 * i + k]]).toBe(value);
      }
    }
  });

  it('takes part sums: reductions of 128 bits, sums, halves of the greatest sums', async () => {
    const { reduce128 } = readVectors<{ reduce128: [string, string][] }>('field');
    const mask = 2n ** 64n - 1n;
    const found = await run(
      await link('field/goldilocks'),
      reduce128.flatMap(([wide]) => [BigInt(wide) >> 64n, BigInt(wide) & mask]),
      [2, 3],
      `// 2^64 = 2^32 - 1
       let fold = gl_from_words(vec2<u32>(0xffffffffu, 0u));
       y[0] = gl_from_parts(gl_to_parts(gl_mul(x[0], fold)) + gl_to_parts(x[1]));
       y[1] = gl_from_parts(gl_to_parts(x[0]) * 200u + gl_to_parts(x[1]) * 56u);
       y[2] = gl_from_parts(gl_carry_parts(gl_to_parts(x[0]) * 500u));`,
    );
    reduce128.forEach(([wide, reduced], i) => {
      const [high, low] = [BigInt(wide) >> 64n, BigInt(wide) & mask];
      expect(found.slice(3 * i, 3 * i + 3)).toEqual([
        BigInt(reduced),
        gl.reduce(200n * high + 56n * low),
        gl.reduce(500n * high),
      ]);
    });
  });

  it('does the published unary operations', async () => {
    const { unary } = readVectors<{ unary: Record<string, string>[] }>('field');
    const inputs = unary.map(({ a }) => BigInt(a!)).concat(EDGES);
    const found = await run(
      await link('field/goldilocks-powers'),
      inputs,
      [1, 3],
      'y[0] = x[0]; y[1] = gl_power(x[0], false); y[2] = gl_power(x[0], true);',
    );
    inputs.forEach((input, i) => {
      const a = gl.reduce(input);
      expect(found.slice(3 * i, 3 * i + 3)).toEqual([a, pow7(a), root7(a)]);
    });
    unary.forEach((row, i) => {
      expect(found.slice(3 * i, 3 * i + 3)).toEqual(parse([row.canonical!, row.exp7!, row.exp_inv7!]));
    });
  });

  it('multiplies by the matrices of RPO and Poseidon, at the edges of the reduction too', async () => {
    type Cases = { in: string[]; out: string[] }[];
    const rpo = readVectors<{ mds_only: Cases; mds_reduction_edge: { cases: Cases } }>('rpo_permutation');
    const poseidon = readVectors<{ mds_only: Cases }>('poseidon_plonky2');
    const parts = 'var s: state_Parts; for (var i = 0u; i < 12u; i += 1u) { s[i] = gl_to_parts(x[i]); }';
    const back = 'for (var i = 0u; i < 12u; i += 1u) { y[i] = gl_from_parts(s[i]); }';
    for (const [module, multiply, cases] of [
      ['lib/rescue-state', 's = rescue_multiply(s);', [...rpo.mds_only, ...rpo.mds_reduction_edge.cases]],
      ['lib/poseidon-plonky2', 's = poseidon_multiply(s);', poseidon.mds_only],
    ] as const) {
      const inputs = cases.flatMap((row) => parse(row.in));
      const found = await run(await link(module), inputs, [12, 12], `${parts} ${multiply} ${back}`);
      expect(found).toEqual(cases.flatMap((row) => parse(row.out)));
    }
  });
});
