/** The permutations of RPO and RPX. */
import { rescueConstants, rescueMatrix } from '../../src/hash/rescue-prime.ts';
import type { GoldilocksForm, Halves, Ranged } from '../field/goldilocks.ts';
import { circulant } from '../field/goldilocks-circulant.ts';
import { pow7, seventhRoots } from '../field/goldilocks-powers.ts';
import type { GoldilocksState } from '../field/goldilocks-state.ts';
import type { FunctionBuilder } from './function.ts';
import { i32 } from './scalar.ts';
import type { I32, Statement } from './value.ts';
import type { Place } from './words.ts';

/** What both permutations are made of. */
function rescueParts<E, N extends Ranged>(state: GoldilocksState<E, N>) {
  const { form } = state;
  const constants = state.constants(rescueConstants());
  const mix = state.layer('mix', (f, x) => circulant(f, form, rescueMatrix, x));
  const raise = state.map('pow7', (f, x) => pow7(f, form, x));
  const root = seventhRoots(state);
  /** An RPO round; its constants begin at `row`. */
  const round = (row: I32): Statement[] => [mix(row), raise(), mix(i32.add(row, constants.rowBytes)), root()];
  return { constants, mix, round };
}

/** RPO: seven rounds. */
export function rpoPermutation<E, N extends Ranged>(state: GoldilocksState<E, N>): () => Statement {
  const { constants, round } = rescueParts(state);
  const call = state.module.function(`permute_x${state.form.lanes}`, {}, (f) =>
    f.for(0, 14 * constants.rowBytes, 2 * constants.rowBytes, (offset) =>
      f.run(...round(f.let(i32.add(constants.row(0), offset)))),
    ),
  );
  return () => call({});
}

/** An element of `F_p[u] / (u^3 - u - 1)`: coefficients that are read where they are used. */
type Cubic<E> = (i: number) => E;

/** The product of two elements of the extension, by six products of coefficients; of an element and itself, by squares. */
function cubicProduct<E, N extends Ranged>(
  f: FunctionBuilder,
  form: GoldilocksForm<E, N>,
  a: Cubic<E>,
  b: Cubic<E>,
): E[] {
  const squared = a === b;
  const combine = (...terms: readonly (readonly [Halves<N>, number])[]): E =>
    form.element(f, [
      form.sum(
        f,
        terms.map(([[low], factor]) => [low, factor]),
      ),
      form.sum(
        f,
        terms.map(([[, high], factor]) => [high, factor]),
      ),
    ]);
  const product = (of: (x: Cubic<E>) => E): Halves<N> =>
    form.halves(f, squared ? form.square(f, of(a)) : form.mul(f, of(a), of(b)));
  const plain = (i: number): Halves<N> => product((x) => x(i));
  /** `(a_i + a_j) (b_i + b_j)`. */
  const cross = (i: number, j: number): Halves<N> =>
    product((x) => combine([form.halves(f, x(i)), 1], [form.halves(f, x(j)), 1]));
  const [p0, p1, p2] = [plain(0), plain(1), plain(2)];
  const [c01, c02, c12] = [cross(0, 1), cross(0, 2), cross(1, 2)];
  // With c12 - p1 - p2 at u^3 = u + 1 and p2 at u^4 = u^2 + u.
  return [
    combine([p0, 1], [c12, 1], [p1, -1], [p2, -1]),
    combine([c01, 1], [c12, 1], [p0, -1], [p1, -2]),
    combine([c02, 1], [p1, 1], [p0, -1]),
  ];
}

/** A function for the seventh powers of the four elements of the extension that the state holds. */
function cubicPow7<E, N extends Ranged>(state: GoldilocksState<E, N>): () => readonly Statement[] {
  const { module, form, address, bytes } = state;
  const [second, third] = [state.reserve(), state.reserve()];
  const parameters = { to: 'i32', a: 'i32', b: 'i32' } as const;
  const pass = (name: string, squared: boolean) => {
    const call = module.function(`${name}_x${form.lanes}`, parameters, (f, { to, a, b }) =>
      f.for(0, bytes, 3 * form.bytes, (offset) => {
        const at = (row: I32, i: number): Place => ({
          address: i32.add(row, offset),
          offset: i * form.bytes,
        });
        const x: Cubic<E> = (i) => form.load(f, at(a, i));
        const result = cubicProduct(f, form, x, squared ? x : (i) => form.load(f, at(b, i)));
        result.forEach((value, i) => {
          form.store(f, at(to, i), value);
        });
      }),
    );
    return (to: number, x: number, y: number): Statement =>
      call({ to: i32.const(to), a: i32.const(x), b: i32.const(y) });
  };
  const [square, multiply] = [pass('cubic_square', true), pass('cubic_multiply', false)];
  return () => [
    square(second, address, address),
    multiply(third, second, address),
    square(second, second, second),
    multiply(address, second, third),
  ];
}

/** RPX: three RPO rounds, each before one over the cubic extension, and a linear end. */
export function rpxPermutation<E, N extends Ranged>(state: GoldilocksState<E, N>): () => Statement {
  const { module, form } = state;
  const { constants, mix, round } = rescueParts(state);
  const add = state.add('add');
  const raise = cubicPow7(state);
  const call = module.function(`permute_x${form.lanes}`, {}, (f) => {
    f.for(0, 12 * constants.rowBytes, 4 * constants.rowBytes, (offset) => {
      const row = f.let(i32.add(constants.row(0), offset));
      f.run(...round(row), add(i32.add(row, 2 * constants.rowBytes)), ...raise());
    });
    f.run(mix(constants.row(12)));
  });
  return () => call({});
}
