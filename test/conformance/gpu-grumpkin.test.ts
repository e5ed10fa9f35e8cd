/** Inverses and sums of points in WGSL: edges of their ranges, and additions that tables of real generators never ask for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkWgsl } from '../../scripts/generate/wgsl-linker.ts';
import { fr } from '../../src/field/bn254.ts';
import { limbsOf, montgomeryLimbs, radix, SHAPE } from '../../src/field/bn254-limbs.ts';
import { randomIntegers } from '../support/bn254-vectors.ts';
import { openDevice, runShader } from '../support/run-shader.ts';

const p = fr.modulus;
const R = radix(SHAPE);
const { count, bits } = SHAPE;
const shaders = new URL('../../shaders', import.meta.url).pathname;
const { wgsl: curve } = await linkWgsl(shaders, ['curve/grumpkin']);

let device: GPUDevice;
beforeAll(async () => {
  device = await openDevice();
});
afterAll(() => device.destroy());

/** What limbs say, each up to its width. */
const numberOf = (limbs: Uint32Array): bigint =>
  limbs.reduceRight((value, limb) => (value << BigInt(bits)) + BigInt(limb & (2 ** bits - 1)), 0n);

/**
 * Runs `body` for each of many inputs of some elements, which it finds as `in[0]`, `in[1]` and so on, and a word,
 * `flag`; it writes `results` elements to `out`.
 */
async function evaluate(
  body: string,
  inputs: readonly (readonly number[][])[],
  results: number,
  change = (wgsl: string): string => wgsl,
  flags: readonly number[] = inputs.map(() => 0),
): Promise<bigint[][]> {
  const wgsl = `${change(curve)}
struct In { v: array<array<u32, ${count}>, ${inputs[0]!.length}> }
struct Out { v: array<array<u32, ${count}>, ${results}> }
@group(0) @binding(0) var<storage, read> inputs: array<In>;
@group(0) @binding(1) var<storage, read> flags: array<u32>;
@group(0) @binding(2) var<storage, read_write> outputs: array<Out>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.x;
  if (i >= arrayLength(&inputs)) { return; }
  let flag = flags[i] == 1u;
${body.replace(/\bin\[(\d)\]/g, 'inputs[i].v[$1]').replace(/\bout\[/g, 'outputs[i].v[')}
}`;
  const output = await runShader(device, {
    wgsl,
    inputs: [Uint32Array.from(inputs.flat(2)), Uint32Array.from(flags)],
    outputWords: inputs.length * results * count,
    invocations: inputs.length,
  });
  return inputs.map((_, i) =>
    Array.from({ length: results }, (_, j) => {
      const at = (i * results + j) * count;
      return numberOf(output.subarray(at, at + count));
    }),
  );
}

const random = randomIntegers(11, R - 1n);
const draw = (): bigint => random.next().value;
const some = (n: number, limit: bigint): bigint[] => Array.from({ length: n }, () => draw() % limit);

describe('[gpu] BN254 inverses', () => {
  const steps = Array.from({ length: 254 }, (_, i) => 1n << BigInt(i));
  const values = [
    ...[0n, 1n, 2n, 3n, p - 1n, p - 2n, p, p + 1n, (p - 1n) / 2n, (p + 1n) / 2n],
    ...[2n * p - 1n, 2n * p - 2n, (1n << 252n) - 1n, fr.reduce(R), fr.reduce(R * R)],
    ...steps,
    ...steps.map((value) => p - value),
    ...some(400, 2n * p),
  ];
  const inputs = values.map((value) => [limbsOf(value, SHAPE)]);

  const wrong = (results: readonly bigint[][]): bigint[] =>
    values.filter((value, i) => {
      const x = fr.reduce(value);
      // Both sides are in Montgomery form.
      const expected = x && fr.mul(fr.inverse(x), fr.reduce(R * R));
      return fr.reduce(results[i]![0]!) !== expected || results[i]![0]! >= 128n * p;
    });

  it('edges, powers of two and random values', async () => {
    expect(wrong(await evaluate('out[0] = fr_inverse(in[0]);', inputs, 1))).toEqual([]);
  });

  it.each([
    ['a batch too few', 'batch < 42u', 'batch < 36u'],
    ['the sign of f', 'let sign = i32(f[18]) >> 31u', 'let sign = 0 * i32(f[18])'],
    ['a limb taken away', '- sf7;', '- sf6;'],
  ])('would show %s', async (_, from, to) => {
    const change = (wgsl: string): string => {
      expect(wgsl).toContain(from);
      return wgsl.replaceAll(from, to);
    };
    expect(wrong(await evaluate('out[0] = fr_inverse(in[0]);', inputs, 1, change))).not.toEqual([]);
  });

  it('tells multiples of the modulus from their neighbours', async () => {
    const multiples = [0n, 1n, 2n, 17n, 18n, 4095n, R / p].map((k) => k * p);
    const near = multiples.flatMap((m) => [m, m + 1n, m + 2n ** 28n, m + 2n ** 252n, m - 1n]);
    const tested = [...near, ...some(50, R)].filter((value) => value >= 0n && value < R);
    const results = await evaluate(
      'out[0] = fr_Element(); if (fr_is_zero(in[0])) { out[0][0] = 1u; }',
      tested.map((value) => [limbsOf(value, SHAPE)]),
      1,
    );
    expect(results.map(([said]) => said === 1n)).toEqual(tested.map((value) => value % p === 0n));
  });
});

describe('[gpu] BN254 operations of sums', () => {
  const pick = [0n, 1n, p - 1n, p, 2n * p - 1n];
  const quads = pick.flatMap((a) => pick.map((b) => [a, b, ...some(2, 2n * p)]));

  it('difference of two products', async () => {
    const wide = [0n, 15n * p - 1n, 18n * p - 1n, ...some(3, 18n * p)];
    const cases = wide.flatMap((a) =>
      wide.flatMap((b) => [
        [a, b, 15n * p - 1n, 2n * p - 1n],
        [a, b, ...some(2, 2n * p)],
        [a, b, 0n, b],
      ]),
    );
    const results = await evaluate(
      'out[0] = fr_mul_sub(in[0], in[1], in[2], in[3]);',
      cases.map((values) => values.map((value) => limbsOf(value, SHAPE))),
      1,
    );
    cases.forEach(([a, b, x, y], i) => {
      expect(fr.reduce(results[i]![0]! * R)).toBe(fr.reduce(a! * b! - x! * y!));
      expect(results[i]![0]! < 2n * p).toBe(true);
    });
  });

  it('a difference of three, and one of a choice of sign', async () => {
    const inputs = quads.map((values) => values.map((value) => limbsOf(value, SHAPE)));
    const body = `out[0] = fr_sub_twice(in[0], in[1], in[2]);
      out[1] = fr_signed_sub(in[0], in[1], false);
      out[2] = fr_signed_sub(in[0], in[1], true);`;
    const results = await evaluate(body, inputs, 3);
    quads.forEach(([a, b, c], i) => {
      expect(results[i]).toEqual([a! - b! - 2n * c! + 8n * p, a! - b! + 16n * p, 16n * p - a! - b!]);
    });
  });
});

/** A point of Grumpkin; the identity is undefined. */
type Point = { readonly x: bigint; readonly y: bigint } | undefined;

function add(a: Point, b: Point): Point {
  if (!a || !b) return a ?? b;
  if (a.x === b.x && fr.add(a.y, b.y) === 0n) return undefined;
  const [rise, run] = a.x === b.x ? [3n * a.x * a.x, 2n * a.y] : [b.y - a.y, b.x - a.x];
  const slope = fr.mul(fr.reduce(rise), fr.inverse(fr.reduce(run)));
  const x = fr.reduce(slope * slope - a.x - b.x);
  return { x, y: fr.reduce(slope * (a.x - x) - a.y) };
}

const G = { x: 1n, y: 0x2cf135e7506a45d632d270d45f1181294833fc48d823f272cn };

describe('[gpu] sums of points', () => {
  const points = [G];
  while (points.length < 40) points.push(add(points.at(-1)!, G)!);
  const negative = ({ x, y }: typeof G): typeof G => ({ x, y: fr.neg(y) });

  /** A sum and a point to add: each with each sign, equal, opposite, and from the identity, under many denominators. */
  const cases = points.flatMap((q, i) => [
    { sum: points[(7 * i + 3) % 40] as Point, q },
    { sum: negative(points[(5 * i + 1) % 40]!) as Point, q },
    { sum: q as Point, q },
    { sum: negative(q) as Point, q },
    { sum: undefined, q },
  ]);
  const flags = cases.map((_, i) => Number(i % 3 === 0));

  /** (X, Y, ZZ, ZZZ) for a denominator z, raised by multiples of p within the ranges that sums have. */
  function coordinates(sum: Point, z: bigint): number[][] {
    if (!sum) return [0n, 0n, 0n, 0n].map((value) => limbsOf(value, SHAPE));
    const square = fr.square(z);
    const cube = fr.mul(square, z);
    return [fr.mul(sum.x, square), fr.mul(sum.y, cube), square, cube].map((value, k) =>
      limbsOf(fr.mul(value, fr.reduce(R)) + (k < 1 ? 8n * p : p) * (z & 1n), SHAPE),
    );
  }

  async function coordinatesOut(change?: (wgsl: string) => string): Promise<bigint[][]> {
    const inputs = cases.map(({ sum, q }) => [
      ...coordinates(sum, 1n + (draw() % (p - 1n))),
      montgomeryLimbs(q.x, SHAPE),
      montgomeryLimbs(q.y, SHAPE),
    ]);
    const body = `let sum = gr_add(gr_Sum(in[0], in[1], in[2], in[3]), in[4], in[5], flag);
      out[0] = sum.x; out[1] = sum.y; out[2] = sum.zz; out[3] = sum.zzz; out[4] = gr_x(sum);`;
    return await evaluate(body, inputs, 5, change, flags);
  }

  async function sums(): Promise<Point[]> {
    return (await coordinatesOut()).map(([x, y, zz, zzz, affine]) => {
      expect([x! < 11n * p, y! < 18n * p, zz! < 2n * p, zzz! < 2n * p]).toEqual([true, true, true, true]);
      if (fr.reduce(zz!) === 0n) {
        expect([fr.reduce(x!), fr.reduce(y!), fr.reduce(zzz!), affine]).toEqual([0n, 0n, 0n, 0n]);
        return undefined;
      }
      const point = {
        x: fr.mul(fr.reduce(x!), fr.inverse(fr.reduce(zz!))),
        y: fr.mul(fr.reduce(y!), fr.inverse(fr.reduce(zzz!))),
      };
      expect(affine).toBe(point.x);
      return point;
    });
  }

  const expected = cases.map(({ sum, q }, i) => add(sum, flags[i] ? negative(q) : q));

  it('any two points: chords, tangents, opposites and the identity', async () => {
    expect(await sums()).toEqual(expected);
    expect(expected.filter((sum) => sum === undefined).length).toBeGreaterThan(20);
  });

  it('would show a chord in the place of a tangent', async () => {
    const change = (wgsl: string): string => {
      expect(wgsl.split('double = true').length).toBe(2);
      return wgsl.replace('double = true', 'double = false');
    };
    const found = (await coordinatesOut(change)).map((out) => out[4]!);
    expect(found).not.toEqual(expected.map((sum) => sum?.x ?? 0n));
  });
});
