/** The BN254 field of the CPU kernels, in all forms: products, sums of products, linear layers, ranges. */
import { describe, expect, it } from 'vitest';
import { Columns, hotConstants } from '../../kernels/field/bn254-f64-columns.ts';
import { power5 } from '../../kernels/field/power5.ts';
import { FunctionBuilder } from '../../kernels/lib/function.ts';
import { ModuleBuilder } from '../../kernels/lib/module.ts';
import { i32 } from '../../kernels/lib/scalar.ts';
import { VectorConstants } from '../../kernels/lib/vector-constants.ts';
import { fr } from '../../src/field/bn254.ts';
import { externalMatrix } from '../../src/hash/poseidon2-bn254.ts';
import { FORMS, greatest, limbsValue, onBytes, onLimbs } from '../support/bn254-kernels.ts';
import { randomIntegers, readVectors } from '../support/bn254-vectors.ts';

/** Canonical elements at the edges of limbs and words. */
const EDGES: readonly bigint[] = [
  0n,
  fr.modulus - 1n,
  fr.modulus - 2n,
  (fr.modulus - 1n) / 2n,
  ...[0, 1, 28, 29, 50, 51, 58, 63, 64, 102, 127, 128, 153, 204, 232, 253].flatMap((k) => [
    2n ** BigInt(k),
    2n ** BigInt(k) - 1n,
  ]),
];
const crossed = EDGES.flatMap((a) => EDGES.map((b) => [a, b]));
const random = (count: number, seed: number): bigint[] => {
  const source = randomIntegers(seed, fr.modulus);
  return Array.from({ length: count }, () => source.next().value);
};

/** Bounds at which the product of two elements is still an element, nearly. */
const FACTORS: Readonly<Record<number, number>> = { 5: 2.28, 9: 166 };

describe.each(Object.entries(FORMS))('BN254 field in %s', (_, form) => {
  const products = onBytes(form, 2, (f, field, { x: [a, b], to }) => [
    field.mul(f, to[0]!, a!, b!),
    field.square(f, to[1]!, a!),
  ]);
  const right = ([a, b]: readonly bigint[]): bigint[] => [fr.mul(a!, b!), fr.square(a!)];

  it('multiplies and squares the edges, each with each', () => {
    expect(products(crossed)).toEqual(crossed.map(right));
  });

  it('multiplies and squares 100 000 random pairs', () => {
    const values = random(200_000, 51);
    const rows = Array.from({ length: 100_000 }, (_, i) => [values[2 * i]!, values[2 * i + 1]!]);
    const got = products(rows);
    const wrong = rows.filter((row, i) => right(row).some((value, k) => value !== got[i]![k]));
    expect(wrong).toEqual([]);
  });

  it('has the published products, squares and fifth powers', () => {
    type Case = Record<'a' | 'b' | 'mul' | 'sqr_a' | 'pow5_a', string>;
    const { vectors } = readVectors<{ vectors: Case[] }>('field_bn254_fr');
    const rows = vectors.map(({ a, b }) => [BigInt(a), BigInt(b)]);
    expect(products(rows)).toEqual(vectors.map(({ mul, sqr_a }) => [BigInt(mul), BigInt(sqr_a)]));
    const fifth = onBytes(form, 1, (f, field, { x: [x], to: [to] }) => {
      const square = field.square(f, to!, x!);
      const fourth = field.square(f, to!, square);
      return [field.mul(f, to!, fourth, x!)];
    });
    expect(fifth(rows.map(([a]) => [a!]))).toEqual(vectors.map(({ pow5_a }) => [BigInt(pow5_a)]));
  });

  it('results may lie on operands', () => {
    const inPlace = onBytes(form, 2, (f, field, { x: [a, b] }) => {
      const square = field.square(f, a!.at, a!);
      return [field.mul(f, b!.at, square, b!), square];
    });
    const rows = crossed.slice(0, 100);
    expect(inPlace(rows)).toEqual(rows.map(([a, b]) => [fr.mul(fr.square(a!), b!), fr.square(a!)]));
  });

  const most = FACTORS[form.count]!;
  const inverse = fr.inverse(fr.reduce(form.radix));
  /** The element that Montgomery limbs stand for. */
  const plain = (value: bigint): bigint => fr.mul(fr.reduce(value), inverse);

  it('multiplies and squares the greatest limbs', () => {
    const run = onLimbs(form, { bounds: [most, most], constants: 0 }, (f, field, { x: [a, b], to }) => [
      field.mul(f, to[0]!, a!, b!),
      field.square(f, to[1]!, a!),
    ]);
    const values = greatest(form, most);
    for (const a of values) {
      for (const b of values) {
        const [x, y] = [plain(limbsValue(a, form)), plain(limbsValue(b, form))];
        expect(run([a, b])).toEqual([fr.mul(x, y), fr.square(x)]);
      }
    }
  });

  it('takes fifth powers of the greatest limbs', () => {
    const { powerBound } = form.open(new ModuleBuilder());
    const run = onLimbs(form, { bounds: [powerBound], constants: 0 }, (f, field, { x: [x], to }) => {
      const square = field.square(f, to[0]!, x!);
      const fourth = field.square(f, to[0]!, square);
      return [field.mul(f, to[0]!, fourth, x!)];
    });
    for (const x of greatest(form, powerBound)) {
      expect(run([x])).toEqual([fr.pow(plain(limbsValue(x, form)), 5n)]);
    }
  });

  it.each([1, 2, 5])('sums %i products of the greatest limbs, with addends', (count) => {
    const { powerBound, constantBound } = form.open(new ModuleBuilder());
    const bounds = new Array<number>(count + 1).fill(powerBound);
    const run = onLimbs(form, { bounds, constants: count + 1 }, (f, field, { x, to, constants }) => {
      const pairs = x.slice(0, count).map((element, i) => [element, constants[i]!] as const);
      return [
        field.dot(f, to[0]!, pairs, { element: x[count]!, constant: constants[count]! }),
        field.dot(f, to[1]!, pairs),
      ];
    });
    for (const x of greatest(form, powerBound)) {
      for (const c of greatest(form, constantBound)) {
        const product = fr.mul(plain(limbsValue(x, form)), plain(limbsValue(c, form)));
        const sum = fr.reduce(BigInt(count) * product);
        const addends = plain(limbsValue(x, form) + limbsValue(c, form));
        const got = run(new Array(count + 1).fill(x), new Array(count + 1).fill(c));
        expect(got).toEqual([fr.add(sum, addends), sum]);
      }
    }
  });

  it('multiplies the greatest limbs by factors, with addends', () => {
    const { powerBound, constantBound } = form.open(new ModuleBuilder());
    const bounds = [powerBound, constantBound];
    const run = onLimbs(form, { bounds, constants: 2 }, (f, field, { x: [x, y], to, constants, factor }) => {
      const [d, constant] = constants;
      field.keepFactor(f, factor, d!);
      return [
        field.scale(f, to[0]!, x!, factor),
        field.scale(f, to[1]!, x!, factor, { element: y! }),
        field.scale(f, to[2]!, x!, factor, { constant: constant! }),
        field.scale(f, y!.at, y!, factor, { element: y! }),
      ];
    });
    const small = greatest(form, constantBound);
    for (const x of greatest(form, powerBound)) {
      for (const d of small) {
        for (const y of [small[0]!, small.at(-1)!]) {
          const [px, pd, py] = [x, d, y].map((limbs) => plain(limbsValue(limbs, form)));
          const product = fr.mul(px!, pd!);
          const sum = fr.add(product, py!);
          expect(run([x, y], [d, y])).toEqual([product, sum, sum, fr.add(fr.mul(py!, pd!), py!)]);
        }
      }
    }
  });

  it.each([
    ['one element', [[1n]]],
    ['a sum', [[1n, 1n, 1n, 1n]]],
    ['the external matrix of Poseidon2', externalMatrix],
  ])('linear layers of the greatest limbs: %s', (_name, matrix) => {
    const module = new ModuleBuilder();
    const opened = form.open(module);
    const { powerBound, constantBound, elementBound } = opened;
    const width = matrix[0]!.length;
    const most = width === 1 ? elementBound : Math.max(powerBound, power5(module, opened).bound);
    const bounds = new Array<number>(width).fill(most);
    const run = onLimbs(form, { bounds, constants: width }, (f, field, { x, to, constants }) => {
      const layer = field.linear('layer', matrix, most);
      layer.run(f, to[0]!, x[0]!.at, constants[0]!);
      return matrix.map((_, i) => ({ at: to[i]!, bound: layer.bound }));
    });
    const elements = greatest(form, most);
    for (const c of greatest(form, constantBound)) {
      elements.forEach((_, turn) => {
        const x = bounds.map((_, i) => elements[(turn + i) % elements.length]!);
        const values = x.map((limbs) => plain(limbsValue(limbs, form)));
        const right = matrix.map((row) =>
          fr.reduce(row.reduce((sum, factor, i) => sum + factor * values[i]!, plain(limbsValue(c, form)))),
        );
        expect(
          run(
            x,
            bounds.map(() => c),
          ),
        ).toEqual(right);
      });
    }
  });

  it('refuses operands that could overflow', () => {
    const field = form.open(new ModuleBuilder());
    const f = new FunctionBuilder();
    const at = i32.const(0);
    const wide = { at, bound: most * 1.05 };
    expect(() => field.square(f, at, wide)).toThrow(RangeError);
    expect(() => field.mul(f, at, wide, wide)).toThrow(RangeError);
    const larger = { at, bound: field.elementBound * 1.05 };
    expect(() => field.dot(f, at, [[larger, at, larger.bound]], { element: larger })).toThrow(RangeError);
    expect(() => field.scale(f, at, larger, at)).toThrow(RangeError);
    expect(() => field.linear('wide', [[1n]], Number(form.radix / fr.modulus) + 1)).toThrow(RangeError);
  });
});

describe('columns of f64', () => {
  const open = () => {
    const constants = new VectorConstants(new ModuleBuilder());
    const f = new FunctionBuilder();
    return { constants, columns: new Columns(f, constants, hotConstants(f, constants)) };
  };

  it('refuse products above 2^102 and sums above 2^60', () => {
    const { constants, columns } = open();
    const limb = (most: number) => ({ value: constants.number(1), most });
    expect(() => columns.product(limb(2 ** 51), limb(2 ** 51 + 1))).toThrow(RangeError);
    expect(() => columns.remainder(limb(2 ** 52), limb(2 ** 51))).toThrow(RangeError);
    columns.product(limb(2 ** 51), limb(2 ** 51));
    columns.limb(limb(2 ** 50), 2n ** 10n);
    expect(() => columns.next()).toThrow(RangeError);
  });
});

describe('ranges that are wrong', () => {
  const { 'f64, one vector': vector, i64 } = FORMS;

  it('show in f64: limbs of 2^53 that claim to be carried', () => {
    const run = onLimbs(vector!, { bounds: [1], constants: 0 }, (f, field, { x: [x], to }) => [
      field.square(f, to[0]!, x!),
    ]);
    const right = (limbs: readonly bigint[]): bigint => {
      const x = fr.mul(fr.reduce(limbsValue(limbs, vector!)), fr.inverse(fr.reduce(vector!.radix)));
      return fr.square(x);
    };
    const honest = [3n, 5n, 7n, 2n ** 50n, 11n];
    expect(run([honest])).toEqual([right(honest)]);
    const wide = [2n ** 53n - 1n, 2n ** 53n - 1n, 2n ** 53n - 1n, 2n ** 53n - 1n, 11n];
    expect(run([wide])).not.toEqual([right(wide)]);
  });

  it('show in i64: limbs of 32 bits that claim to be carried', () => {
    const run = onLimbs(i64!, { bounds: [1], constants: 0 }, (f, field, { x: [x], to }) => [
      field.square(f, to[0]!, x!),
    ]);
    const wide = [...new Array<bigint>(8).fill(2n ** 32n - 1n), 1n];
    const x = fr.mul(fr.reduce(limbsValue(wide, i64!)), fr.inverse(fr.reduce(i64!.radix)));
    expect(run([wide])).not.toEqual([fr.square(x)]);
  });
});
