/** The Goldilocks field of the CPU kernels, in both forms: products, quotients, matrices, ranges. */
import { randomFillSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type GoldilocksForm, RANGE, type Ranged } from '../../kernels/field/goldilocks.ts';
import { circulant } from '../../kernels/field/goldilocks-circulant.ts';
import { vectorForm } from '../../kernels/field/goldilocks-f64.ts';
import { scalarForm } from '../../kernels/field/goldilocks-i64.ts';
import type { FunctionBuilder } from '../../kernels/lib/function.ts';
import { ModuleBuilder } from '../../kernels/lib/module.ts';
import { i32 } from '../../kernels/lib/scalar.ts';
import { gl } from '../../src/field/goldilocks.ts';
import { poseidonMatrix, poseidonMultiply } from '../../src/hash/poseidon-plonky2.ts';
import { rescueMatrix, rescueMultiply } from '../../src/hash/rescue-prime.ts';
import { EDGES } from '../support/goldilocks-edges.ts';
import { parse, readVectors } from '../support/goldilocks-vectors.ts';
import { compile } from '../support/kernels.ts';

type Body = <E, N extends Ranged>(
  f: FunctionBuilder,
  form: GoldilocksForm<E, N>,
  x: readonly E[],
) => readonly E[];

function build<E, N extends Ranged>(
  module: ModuleBuilder,
  form: GoldilocksForm<E, N>,
  inputs: number,
  body: Body,
): (rows: readonly (readonly bigint[])[]) => bigint[][] {
  let outputs = 0;
  module.function(
    'run',
    { at: 'i32', count: 'i32' },
    (f, { at, count }) => {
      f.while(count, () => {
        const places = (i: number, width: number) =>
          Array.from({ length: form.lanes }, (_, lane) => ({ address: at, offset: 8 * (lane * width + i) }));
        const x = Array.from({ length: inputs }, (_, i) => form.read(f, places(i, inputs)));
        const y = body(f, form, x);
        outputs = y.length;
        y.forEach((value, i) => {
          form.write(f, value, places(i, outputs));
        });
        f.set(at, i32.add(at, 8 * form.lanes * Math.max(inputs, outputs)));
        f.set(count, i32.sub(count, 1));
      });
    },
    { export: true },
  );
  const { exports } = new WebAssembly.Instance(compile(module.toText()));
  const { memory, heap, run } = exports as unknown as {
    memory: WebAssembly.Memory;
    heap: WebAssembly.Global;
    run(at: number, count: number): void;
  };
  return (rows) => {
    const slot = form.lanes * Math.max(inputs, outputs);
    const groups = Math.ceil(rows.length / form.lanes);
    const missing = heap.value + 8 * slot * groups - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    const words = new BigUint64Array(memory.buffer, heap.value, slot * groups);
    const place = (i: number, width: number): number =>
      Math.floor(i / form.lanes) * slot + (i % form.lanes) * width;
    rows.forEach((row, i) => {
      words.set(row, place(i, inputs));
    });
    run(heap.value, groups);
    return rows.map((_, i) => [...words.subarray(place(i, outputs), place(i, outputs) + outputs)]);
  };
}

const FORMS = {
  'f64, one vector': (inputs: number, body: Body) => {
    const module = new ModuleBuilder();
    return build(module, vectorForm(module, 1), inputs, body);
  },
  'f64, two vectors': (inputs: number, body: Body) => {
    const module = new ModuleBuilder();
    return build(module, vectorForm(module, 2), inputs, body);
  },
  i64: (inputs: number, body: Body) => build(new ModuleBuilder(), scalarForm, inputs, body),
};

const random = (count: number): bigint[] => [...randomFillSync(new BigUint64Array(count))].map(gl.reduce);
const pairs = (values: readonly bigint[]): bigint[][] => values.flatMap((a) => values.map((b) => [a, b]));

describe.each(Object.entries(FORMS))('Goldilocks field in %s', (_, open) => {
  const products = open(2, (f, form, [a, b]) => [form.mul(f, a!, b!), form.square(f, a!)]);
  const right = (rows: readonly (readonly bigint[])[]): bigint[][] =>
    rows.map(([a, b]) => [gl.mul(a!, b!), gl.square(a!)]);

  it('multiplies and squares the edges, each with each', () => {
    const values = [...EDGES, ...EDGES.map((x) => gl.neg(x))];
    expect(products(pairs(values))).toEqual(right(pairs(values)));
  });

  it('multiplies and squares 100 000 random pairs', () => {
    const values = random(200_000);
    const rows = Array.from({ length: 100_000 }, (_, i) => [values[2 * i]!, values[2 * i + 1]!]);
    const got = products(rows);
    const wrong = rows.filter(([a, b], i) => got[i]![0] !== gl.mul(a!, b!) || got[i]![1] !== gl.square(a!));
    expect(wrong).toEqual([]);
  });

  it('takes representatives at or above the modulus', () => {
    const values = [gl.modulus, gl.modulus + 1n, 2n ** 64n - 1n, 2n ** 64n - 2n ** 31n];
    expect(products(pairs(values))).toEqual(right(pairs(values)));
  });

  it('squares in a row, whatever its ranges are', () => {
    const long = open(1, (f, form, [x]) => {
      let y = form.square(f, x!);
      for (let i = 1; i < 13; i++) y = form.square(f, y);
      return [form.mul(f, y, x!)];
    });
    const values = [...EDGES, ...random(200)];
    expect(long(values.map((x) => [x]))).toEqual(values.map((x) => [gl.pow(x, 2n ** 13n + 1n)]));
  });

  it.each([1, 2, 3])('divides by 2^%i', (bits) => {
    const divide = open(1, (f, form, [x]) => [form.element(f, form.divide(f, form.halves(f, x!), bits))]);
    const values = [...EDGES, ...random(200)];
    const inverse = gl.inverse(2n ** BigInt(bits));
    expect(divide(values.map((x) => [x]))).toEqual(values.map((x) => [gl.mul(x, inverse)]));
  });

  it('multiplies by the matrices, adversarial states included', () => {
    type Case = { in: string[]; out: string[] };
    const rpo = readVectors<{ mds_only: Case[]; mds_reduction_edge: { cases: Case[] } }>('rpo_permutation');
    const poseidon = readVectors<{ mds_only: Case[] }>('poseidon_plonky2');
    const matrix = (row: readonly number[], extra: number) =>
      open(12, (f, form, x) => {
        const halves = x.map((value) => form.halves(f, value));
        const [low, high] = ([0, 1] as const).map((half) => {
          const plane = halves.map((both) => both[half]);
          const [first, ...others] = circulant(f, form, row, plane);
          return [
            form.sum(f, [
              [first!, 1],
              [plane[0]!, extra],
            ]),
            ...others,
          ];
        });
        return low!.map((_, i) => form.element(f, [low![i]!, high![i]!]));
      });
    const cases = [...rpo.mds_only, ...rpo.mds_reduction_edge.cases].map((row) => parse(row.in));
    expect(cases.length).toBeGreaterThanOrEqual(51);
    expect(matrix(rescueMatrix, 0)(cases)).toEqual(cases.map(rescueMultiply));
    const states = [...cases, ...poseidon.mds_only.map((row) => parse(row.in))];
    expect(matrix(poseidonMatrix, 8)(states)).toEqual(states.map(poseidonMultiply));
  });

  it('reduces the published products', () => {
    const { reduce128 } = readVectors<{ reduce128: [string, string][] }>('field');
    // A 128-bit number from its 32-bit words: `((w3 2^32 + w2) 2^32 + w1) 2^32 + w0`, one product after the other.
    const reduce = open(5, (f, form, [w0, w1, w2, w3, word]) => {
      const add = (a: typeof word, b: typeof word) => {
        const [x, y] = [form.halves(f, a!), form.halves(f, b!)];
        return form.element(f, [
          form.sum(f, [
            [x[0], 1],
            [y[0], 1],
          ]),
          form.sum(f, [
            [x[1], 1],
            [y[1], 1],
          ]),
        ]);
      };
      return [[w2, w1, w0].reduce((sum, w) => add(form.mul(f, sum!, word!), w), w3)!];
    });
    const rows = reduce128.map(([wide]) => [
      ...[0n, 32n, 64n, 96n].map((at) => (BigInt(wide) >> at) & 0xffffffffn),
      2n ** 32n,
    ]);
    expect(rows).toHaveLength(104);
    expect(reduce(rows)).toEqual(reduce128.map(([, reduced]) => [BigInt(reduced)]));
  });

  it('refuses sums that could lose bits', () => {
    const factor = 2 ** 31;
    expect(() =>
      open(1, (f, form, [x]) => {
        const [low, high] = form.halves(f, x!);
        return [form.element(f, [form.sum(f, [[low, factor]]), high])];
      }),
    ).toThrow(RangeError);
  });
});

it('a range that is wrong shows in the results', () => {
  // Limbs that claim to be carried, and are near 2^42: products of them are not exact.
  const module = new ModuleBuilder();
  const form = vectorForm(module, 1);
  const at = { address: i32.const(module.reserve(form.bytes)), offset: 0 };
  const wrong = build(module, form, 1, (f, used, [x]) => {
    const [low, high] = used.halves(f, x!);
    const grown = used.element(f, [
      used.sum(f, [
        [low, 2 ** 14],
        [high, 3],
      ]),
      used.sum(f, [
        [high, 2 ** 14],
        [low, 3],
      ]),
    ]);
    used.store(f, at, grown, 2 ** 50);
    return [used.square(f, used.load(f, at, RANGE.carried)), used.square(f, used.load(f, at, 2 ** 50))];
  });
  const rows = random(100).map((x) => [x]);
  const got = wrong(rows);
  const right = rows.map(([x]) => {
    const [low, high] = [x! & 0xffffffffn, x! >> 32n];
    return gl.square(gl.reduce((low << 14n) + 3n * high + (((high << 14n) + 3n * low) << 32n)));
  });
  expect(got.map(([, honest]) => honest)).toEqual(right);
  expect(got.map(([claimed]) => claimed)).not.toEqual(right);
});
