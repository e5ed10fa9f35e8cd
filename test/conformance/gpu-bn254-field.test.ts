/** The WGSL routines of the BN254 field, one by one, within the ranges that `shaders/field/bn254.ts` states. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldWgsl } from '../../shaders/field/bn254.ts';
import { constantsWgsl } from '../../shaders/field/bn254-constants.ts';
import { fr } from '../../src/field/bn254.ts';
import {
  ADDEND_LIMB_MAX,
  constantTable,
  type LimbShape,
  limbShape,
  limbsOf,
  radix,
} from '../../src/field/bn254-limbs.ts';
import { internalDiagonal } from '../../src/hash/poseidon2-bn254.ts';
import { randomIntegers } from '../support/bn254-vectors.ts';
import { openDevice, runShader } from '../support/run-shader.ts';

const p = fr.modulus;
const lib = (name: string): string =>
  readFileSync(new URL(`../../shaders/lib/${name}.wgsl`, import.meta.url), 'utf8');

let device: GPUDevice;
beforeAll(async () => {
  device = await openDevice();
});
afterAll(() => device.destroy());

/** What limbs say, each up to its width. */
const numberOf = (limbs: Uint32Array, { bits }: LimbShape): bigint =>
  limbs.reduceRight((value, limb) => (value << BigInt(bits)) + BigInt(limb & (2 ** bits - 1)), 0n);

interface Operands {
  readonly shape: LimbShape;
  /** Limbs of one operand after the other. */
  readonly a: readonly number[];
  readonly b: readonly number[];
}

/** An expression over `a` and `b`, for many operands at once; a chain of `turns` puts the result back into `a`. */
async function evaluate(
  expression: string,
  { shape, a, b }: Operands,
  change = (wgsl: string): string => wgsl,
  turns = 1,
): Promise<bigint[]> {
  const { count, bits } = shape;
  const field = fieldWgsl(bits) + constantsWgsl(bits);
  const wgsl = `${lib('bytes')}${lib('digest')}${change(field)}
const fr_CONSTANTS = 4u;
struct Limbs { v: array<u32, ${count}> }
@group(0) @binding(0) var<storage, read> left: array<Limbs>;
@group(0) @binding(1) var<storage, read> right: array<Limbs>;
@group(0) @binding(2) var<storage, read> turns: array<u32>;
@group(0) @binding(3) var<storage, read_write> results: array<Limbs>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= arrayLength(&left)) { return; }
  var a: fr_Element = left[i].v;
  let b: fr_Element = right[i].v;
  for (var turn = 0u; turn < turns[0]; turn += 1u) { a = ${expression}; }
  results[i].v = a;
}`;
  const tables = internalDiagonal.flatMap((d) => constantTable(d, shape));
  const output = await runShader(device, {
    wgsl,
    inputs: [Uint32Array.from(a), Uint32Array.from(b), Uint32Array.of(turns)],
    outputWords: a.length,
    invocations: a.length / count,
    ...(expression.includes('constant') && { tables: [new Uint8Array(Uint32Array.from(tables).buffer)] }),
  });
  return Array.from({ length: a.length / count }, (_, i) =>
    numberOf(output.subarray(i * count, (i + 1) * count), shape),
  );
}

/** Each value with each other. */
function crossed(values: readonly bigint[], shape: LimbShape): Operands & { pairs: [bigint, bigint][] } {
  const pairs = values.flatMap((a) => values.map((b): [bigint, bigint] => [a, b]));
  return {
    shape,
    pairs,
    a: pairs.flatMap(([a]) => limbsOf(a, shape)),
    b: pairs.flatMap(([, b]) => limbsOf(b, shape)),
  };
}

/** Values at the edges of the field, of its multiples, and with all limbs at their greatest. */
function edges(shape: LimbShape): bigint[] {
  const limit = radix(shape);
  const most = (limit / p) * p;
  const full = (1n << BigInt(shape.bits * (shape.count - 1))) - 1n;
  const random = randomIntegers(shape.bits, limit >> 1n);
  return [
    ...[
      0n,
      1n,
      2n,
      p - 2n,
      p - 1n,
      p,
      p + 1n,
      2n * p - 1n,
      2n * p,
      9n * p,
      25n * p,
      (p - 1n) / 2n,
      2n ** 253n,
    ],
    ...[full, full + 1n, limit - 1n, most, most - 1n],
    ...[random.next().value, random.next().value, random.next().value],
  ];
}

describe.each([12, 13, 14])('[gpu] BN254 in limbs of %i bits', (bits) => {
  const shape = limbShape(bits);
  const limit = radix(shape);
  const inverse = fr.inverse(fr.reduce(limit));
  const operands = crossed(edges(shape), shape);
  const { pairs } = operands;

  it('products, edges crossed', async () => {
    const results = await evaluate('fr_mul(a, b)', operands);
    pairs.forEach(([a, b], i) => {
      if (a * b >= limit * (limit - p)) return;
      expect(results[i]! % p, `${a} ${b}`).toBe((((a * b) % p) * inverse) % p);
      expect(results[i]! <= (a * b) / limit + p).toBe(true);
    });
  });

  it('squares', async () => {
    const results = await evaluate('fr_square(a)', operands);
    pairs.forEach(([a], i) => {
      if (a * a >= limit * (limit - p)) return;
      expect(results[i]! % p, `${a}`).toBe((((a * a) % p) * inverse) % p);
    });
  });

  it('products by constants, plus an addend', async () => {
    const results = await evaluate('fr_mul_constant(a, 1u, b)', operands);
    pairs.forEach(([a, b], i) => {
      if (b + 2n * p > limit) return;
      expect(results[i]! % p, `${a} ${b}`).toBe((a * internalDiagonal[1]! + b) % p);
      expect(results[i]! < b + p + p / 64n).toBe(true);
    });
  });

  it('products by constants, all limbs of both operands at their greatest', async () => {
    const { count } = shape;
    const most = {
      shape,
      a: new Array(count).fill(2 ** bits - 1),
      b: new Array(count).fill(Number(ADDEND_LIMB_MAX)),
    };
    const addend = most.b.reduceRight(
      (sum: bigint, limb: number) => (sum << BigInt(bits)) + BigInt(limb),
      0n,
    );
    for (const [row, d] of internalDiagonal.entries()) {
      const [result] = await evaluate(`fr_mul_constant(a, ${row}u, b)`, most);
      const exact = (limit - 1n) * d + addend;
      // The addend alone is above the radix here: what is left of the result counts modulo that.
      const quotient = (value: bigint): bigint => fr.reduce(value - result!);
      const overflows = Array.from({ length: Number(ADDEND_LIMB_MAX >> BigInt(bits)) + 3 }, (_, i) =>
        quotient(exact - BigInt(i) * limit),
      );
      expect(overflows).toContain(0n);
    }
  });

  it('sums and differences', async () => {
    const sums = await evaluate('fr_add(a, b)', operands);
    const differences = await evaluate('fr_sub(a, b)', operands);
    pairs.forEach(([a, b], i) => {
      if (a + b < limit) expect(sums[i]).toBe(a + b);
      if (b <= 15n * p && a + 16n * p < limit) expect(differences[i]).toBe(a - b + 16n * p);
    });
  });

  it('carries, canonical values, bytes', async () => {
    const carried = await evaluate('fr_carry(a)', operands);
    const canonical = await evaluate('fr_canonical(a)', operands);
    const bytes = await evaluate('fr_from_digest(fr_to_digest(a))', operands);
    pairs.forEach(([a], i) => {
      expect(carried[i]).toBe(a);
      if (a < 2n * p) expect(canonical[i]).toBe(a % p);
      if (a < 2n ** 256n) expect(bytes[i]).toBe(a);
    });
  });

  it('sums of limbs that are not carried, reduced', async () => {
    const sums = Array.from({ length: 64 }, (_, i) => (i + 1) * 2 ** bits);
    const raw = {
      shape,
      a: sums.flatMap((most) => limbsOf(p, shape).map((limb) => limb + most)),
      b: operands.b,
    };
    const b = operands.b.slice(0, raw.a.length);
    const results = await evaluate('fr_carry(fr_fold(a))', { ...raw, b });
    sums.forEach((most, i) => {
      const value = limbsOf(p, shape).reduceRight((v, limb) => (v << BigInt(bits)) + BigInt(limb + most), 0n);
      const top = 1n << BigInt(bits * (shape.count - 1));
      if (value >= limit) return;
      expect(results[i]! % p).toBe(value % p);
      expect(results[i]! < p + 72n * top).toBe(true);
    });
  });

  it('chains of a hundred products and squares, over many random values', async () => {
    const random = randomIntegers(11 + bits, p);
    const values = Array.from({ length: 512 }, (): [bigint, bigint] => [
      random.next().value,
      random.next().value,
    ]);
    const many = {
      shape,
      a: values.flatMap(([a]) => limbsOf(a, shape)),
      b: values.flatMap(([, b]) => limbsOf(b, shape)),
    };
    const results = await evaluate('fr_mul(fr_square(a), b)', many, undefined, 100);
    values.forEach(([a, b], i) => {
      let expected = a;
      for (let turn = 0; turn < 100; turn++) {
        const square = (((expected * expected) % p) * inverse) % p;
        expected = (((square * b) % p) * inverse) % p;
      }
      expect(results[i]! % p).toBe(expected);
      expect(results[i]! < 2n * p).toBe(true);
    });
  });
});

describe('[gpu] mutations of the BN254 field', () => {
  const shape = limbShape(14);
  const operands = crossed(edges(shape), shape);

  /** Replaces the first place in one function; a mutation that no longer finds its place fails the test. */
  const mutated =
    (name: string, from: string | RegExp, to: string) =>
    (wgsl: string): string => {
      const start = wgsl.indexOf(`fn ${name}(`);
      const end = wgsl.indexOf('\n}', start);
      const body = wgsl.slice(start, end);
      expect(body.replace(from, to)).not.toBe(body);
      return wgsl.slice(0, start) + body.replace(from, to) + wgsl.slice(end);
    };

  it.each<[what: string, name: string, from: string | RegExp, to: string, expression: string]>([
    ['a narrower limb', 'fr_mul', 'a[3] & 16383u', 'a[3] & 8191u', 'fr_mul(a, b)'],
    ['a wider limb', 'fr_mul', 'b[3] & 16383u', 'b[3] & 32767u', 'fr_mul(fr_square(a), fr_square(b))'],
    ['a double that lost its top bit', 'fr_square', '& 32766u', '& 16382u', 'fr_square(a)'],
    ['a column whose high part is not split off', 'fr_mul', /\(t18 & 16383u\) \+/, 't18 +', 'fr_mul(a, b)'],
    ['a high part that no carry gets', 'fr_mul', / \+ \(t18 >> 14u\)/, '', 'fr_mul(a, b)'],
    ['a carry that is not rounded up', 'fr_mul', '(t0 + 16383u)', 't0', 'fr_mul(a, b)'],
    ['a digit of the wrong sign', 'fr_square', '(0u - t0)', '(t0)', 'fr_square(a)'],
    ['a limb of the modulus', 'fr_square', ' * 1947u', ' * 1946u', 'fr_square(a)'],
    ['a column of a constant', 'fr_mul_constant', 'sum7 +=', 'sum8 +=', 'fr_mul_constant(a, 1u, b)'],
    ['an addend one column off', 'fr_mul_constant', 'addend[5]', 'addend[4]', 'fr_mul_constant(a, 1u, b)'],
    ['a limb that lends too little', 'fr_sub', /(?<=x|a0 \+ )\d+u/, '0u', 'fr_sub(a, b)'],
    ['a carry that is dropped', 'fr_carry', '(s4 >> 14u)', '0u', 'fr_carry(a)'],
    ['a quotient that is too large', 'fr_fold', ' * 21668u', ' * 31668u', 'fr_carry(fr_fold(a))'],
    ['a comparison with the modulus', 'fr_canonical', '> 0u', '> 1u', 'fr_canonical(a)'],
    ['a shift of a packed word', 'fr_from_digest', '>> 14u', '>> 13u', 'fr_from_digest(fr_to_digest(a))'],
  ])('%s', async (_, name, from, to, expression) => {
    // The right text, run on sums that need all of their carries, says what the wrong one should have given.
    const a = expression.startsWith('fr_carry') ? operands.a.map((limb) => limb + 3 * 2 ** 14) : operands.a;
    const right = await evaluate(expression, { ...operands, a });
    const wrong = await evaluate(expression, { ...operands, a }, mutated(name, from, to));
    const seen = (value: bigint): bigint => (name === 'fr_canonical' ? value : value % p);
    expect(wrong.map(seen)).not.toEqual(right.map(seen));
  });
});
