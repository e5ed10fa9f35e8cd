/**
 * Products of circulant matrices of twelve lanes with small integers, over numbers that keep their sums exact.
 *
 * The rows are polynomials modulo `z^12 - 1 = (z^3 - 1)(z^3 + 1)(z^6 + 1)`, the last factor over `i` with `z^3 = i`:
 * three products of three coefficients take the place of one of twelve. Lanes `k`, `k + 3`, `k + 6`, `k + 9` belong together.
 */
import type { FunctionBuilder } from '../lib/function.ts';
import type { GoldilocksForm, Ranged, Term } from './goldilocks.ts';

const THREE = [0, 1, 2] as const;
type Three<T> = readonly [T, T, T];
const three = <T>(value: (k: number) => T): Three<T> => [value(0), value(1), value(2)];

interface Complex<T> {
  readonly re: T;
  readonly im: T;
}

/** The factors of each part, with what takes the parts together again divided out. */
interface Spectrum {
  readonly plus: Three<number>;
  readonly minus: Three<number>;
  readonly complex: Three<Complex<number>>;
}

/** @throws {RangeError} when the parts of the row are no whole numbers. */
function spectrumOf(row: readonly number[]): Spectrum {
  // Row r looks back from lane r: its polynomial has the coefficients of row 0 in reverse.
  const at = (k: number): number => row[(12 - k) % 12]!;
  const whole = (value: number): number => {
    if (!Number.isInteger(value)) throw new RangeError('row: its parts are no whole numbers');
    return value;
  };
  return {
    plus: three((k) => whole((at(k) + at(k + 3) + at(k + 6) + at(k + 9)) / 4)),
    minus: three((k) => whole((at(k) - at(k + 3) + at(k + 6) - at(k + 9)) / 4)),
    complex: three((k) => ({ re: whole((at(k) - at(k + 6)) / 2), im: whole((at(k + 3) - at(k + 9)) / 2) })),
  };
}

/** `out[r] = sum of row[(c - r) mod 12] * x[c]`. */
export function circulant<E, N extends Ranged>(
  f: FunctionBuilder,
  form: GoldilocksForm<E, N>,
  row: readonly number[],
  x: readonly N[],
): N[] {
  const { plus, minus, complex } = spectrumOf(row);
  const sum = (...terms: readonly Term<N>[]): N =>
    form.sum(
      f,
      terms.filter(([, factor]) => factor),
    );
  const lane = (k: number): N => x[k]!;

  const parts = three((k) => {
    const even = sum([lane(k), 1], [lane(k + 6), 1]);
    const odd = sum([lane(k + 3), 1], [lane(k + 9), 1]);
    return {
      plus: sum([even, 1], [odd, 1]),
      minus: sum([even, 1], [odd, -1]),
      re: sum([lane(k), 1], [lane(k + 6), -1]),
      im: sum([lane(k + 3), 1], [lane(k + 9), -1]),
    };
  });
  /** The factor that takes coefficient j to k, and whether the way leads around `z^3`. */
  const factor = <T>(factors: Three<T>, k: number, j: number): readonly [T, boolean] => [
    factors[((k - j + 3) % 3) as 0 | 1 | 2],
    j > k,
  ];
  return THREE.flatMap((k) => {
    const real = (name: 'plus' | 'minus', factors: Three<number>, turn: number): N =>
      sum(
        ...THREE.map((j): Term<N> => {
          const [m, around] = factor(factors, k, j);
          return [parts[j][name], around ? turn * m : m];
        }),
      );
    const rotated = (j: number): Complex<number> => {
      const [m, around] = factor(complex, k, j);
      return around ? { re: -m.im, im: m.re } : m;
    };
    const re = sum(
      ...THREE.flatMap((j): Term<N>[] => [
        [parts[j].re, rotated(j).re],
        [parts[j].im, -rotated(j).im],
      ]),
    );
    const im = sum(
      ...THREE.flatMap((j): Term<N>[] => [
        [parts[j].re, rotated(j).im],
        [parts[j].im, rotated(j).re],
      ]),
    );
    const one = real('plus', plus, 1);
    const two = real('minus', minus, -1);
    const even = sum([one, 1], [two, 1]);
    const odd = sum([one, 1], [two, -1]);
    return [
      [k, sum([even, 1], [re, 1])] as const,
      [k + 3, sum([odd, 1], [im, 1])] as const,
      [k + 6, sum([even, 1], [re, -1])] as const,
      [k + 9, sum([odd, 1], [im, -1])] as const,
    ];
  })
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);
}
