/** The permutations of RPO and RPX. */
import { rescueConstants, rescueMatrix } from '../../src/hash/rescue-prime.ts';
import type { GoldilocksForm, Halves, Ranged } from '../field/goldilocks.ts';
import { circulant } from '../field/goldilocks-circulant.ts';
import { pow7, seventhRoots } from '../field/goldilocks-powers.ts';
import type { GoldilocksState } from '../field/goldilocks-state.ts';
import type { FunctionBuilder } from './function.ts';
import { i32 } from './scalar.ts';
import type { I32, Statement } from './value.ts';

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

type Three<T> = readonly [T, T, T];

/** The product of two elements of `F_p[u] / (u^3 - u - 1)`, by six products of coefficients. */
function cubicProduct<E, N extends Ranged>(
  f: FunctionBuilder,
  form: GoldilocksForm<E, N>,
  a: Three<E>,
  b: Three<E>,
): Three<E> {
  const squared = a === b;
  const halves = (x: E): Halves<N> => form.halves(f, x);
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
  const product = (x: E, y: E): Halves<N> => halves(squared ? form.square(f, x) : form.mul(f, x, y));
  const [p0, p1, p2] = a.map((x, i) => product(x, b[i]!)) as [Halves<N>, Halves<N>, Halves<N>];
  const parts = [a, b].map((x) => x.map(halves));
  /** `(a_i + a_j) (b_i + b_j)`. */
  const cross = (i: number, j: number): Halves<N> => {
    const [x, y] = parts.map((all) => combine([all[i]!, 1], [all[j]!, 1])) as [E, E];
    return product(x, y);
  };
  const [c01, c02, c12] = [cross(0, 1), cross(0, 2), cross(1, 2)];
  // c3 = c12 - p1 - p2 counts for 1 and u, c4 = p2 for u and u^2.
  return [
    combine([p0, 1], [c12, 1], [p1, -1], [p2, -1]),
    combine([c01, 1], [c12, 1], [p0, -1], [p1, -2]),
    combine([c02, 1], [p1, 1], [p0, -1]),
  ];
}

/** RPX: three RPO rounds, each before one over the cubic extension, and a linear end. */
export function rpxPermutation<E, N extends Ranged>(state: GoldilocksState<E, N>): () => Statement {
  const { module, form } = state;
  const { constants, mix, round } = rescueParts(state);
  const triples = module.function(
    `cubic_pow7_x${form.lanes}`,
    { at: 'i32', row: 'i32' },
    (f, { at, row }) => {
      const places = [0, 1, 2].map((i) => ({ address: at, offset: i * form.bytes }));
      const x = places.map((place, i) => {
        const [low, high] = form.halves(f, form.load(f, place));
        const [c0, c1] = state.constant(f, row, i);
        return form.element(f, [
          form.sum(f, [
            [low, 1],
            [c0, 1],
          ]),
          form.sum(f, [
            [high, 1],
            [c1, 1],
          ]),
        ]);
      }) as unknown as Three<E>;
      const second = cubicProduct(f, form, x, x);
      const third = cubicProduct(f, form, second, x);
      const seventh = cubicProduct(f, form, cubicProduct(f, form, second, second), third);
      places.forEach((place, i) => {
        form.store(f, place, seventh[i]!);
      });
    },
  );
  const call = module.function(`permute_x${form.lanes}`, {}, (f) => {
    f.for(0, 12 * constants.rowBytes, 4 * constants.rowBytes, (offset) => {
      const row = f.let(i32.add(constants.row(0), offset));
      f.run(...round(row));
      for (let i = 0; i < 4; i++) {
        const lane = 3 * i;
        const at = i32.const(state.address + lane * form.bytes);
        f.run(triples({ at, row: i32.add(row, 2 * constants.rowBytes + lane * form.constantBytes) }));
      }
    });
    f.run(mix(constants.row(12)));
  });
  return () => call({});
}
