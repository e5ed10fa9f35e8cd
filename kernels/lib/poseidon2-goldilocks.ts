/** Plonky3's Poseidon2 permutations over the Goldilocks field. */
import {
  type Poseidon2Width,
  poseidon2Constants,
  poseidon2Diagonals,
  type SmallFraction,
} from '../../src/hash/poseidon2-goldilocks.ts';
import type { GoldilocksForm, Halves, Ranged } from '../field/goldilocks.ts';
import { pow7 } from '../field/goldilocks-powers.ts';
import type { GoldilocksState } from '../field/goldilocks-state.ts';
import type { FunctionBuilder } from './function.ts';
import { i32 } from './scalar.ts';
import type { Statement } from './value.ts';

const HALF_FULL_ROUNDS = 4;
const PARTIAL_ROUNDS = 22;
const BLOCK = 4;

/** The block on each four lanes, then to each lane the sum of those that are equal modulo four. */
function external<E, N extends Ranged>(f: FunctionBuilder, form: GoldilocksForm<E, N>, x: readonly N[]): N[] {
  const sum = (...terms: readonly N[]): N =>
    form.sum(
      f,
      terms.map((term) => [term, 1]),
    );
  const blocks = x.flatMap((_, i) => {
    if (i % BLOCK) return [];
    const [a, b, c, d] = x.slice(i, i + BLOCK) as [N, N, N, N];
    const [ab, cd] = [sum(a, b), sum(c, d)];
    const all = sum(ab, cd);
    const [allB, allD] = [sum(all, b), sum(all, d)];
    return [
      sum(allB, ab),
      form.sum(f, [
        [allB, 1],
        [c, 2],
      ]),
      sum(allD, cd),
      form.sum(f, [
        [allD, 1],
        [a, 2],
      ]),
    ];
  });
  const columns = Array.from({ length: BLOCK }, (_, j) => sum(...blocks.filter((_, i) => i % BLOCK === j)));
  return blocks.map((block, i) => sum(block, columns[i % BLOCK]!));
}

/** A lane's row of the internal matrix: the sum of all lanes, and its own multiple. */
function internalRow<E, N extends Ranged>(
  f: FunctionBuilder,
  form: GoldilocksForm<E, N>,
  x: Halves<N>,
  all: Halves<N>,
  [numerator, shift]: SmallFraction,
): Halves<N> {
  const part = shift ? form.divide(f, x, shift) : x;
  const half = (i: 0 | 1): N =>
    form.sum(f, [
      [all[i], 1],
      [part[i], numerator],
    ]);
  return [half(0), half(1)];
}

/** The permutation of `state.width` lanes. Each layer adds the constants of the round behind it. */
export function poseidon2Permutation<E, N extends Ranged>(state: GoldilocksState<E, N>): () => Statement {
  const { module, form, lanes } = state;
  const width = state.width as Poseidon2Width;
  const constants = poseidon2Constants(width);
  const end = HALF_FULL_ROUNDS + PARTIAL_ROUNDS;
  // The first layer, and behind the last round: nothing more to add.
  const { row, rowBytes } = state.constants([
    ...constants.slice(0, HALF_FULL_ROUNDS),
    [],
    ...constants.slice(end),
    [],
  ]);
  const inner = state.constants(constants.slice(HALF_FULL_ROUNDS, end));
  const add = state.add('add');
  const raise = state.map('pow7', (f, x) => pow7(f, form, x));
  const mix = state.layer('external', (f, x) => external(f, form, x));

  const internal = module.function(`internal_x${form.lanes}`, { constant: 'i32' }, (f, { constant }) => {
    const first = form.halves(f, form.load(f, state.place(0)));
    const c = state.constant(f, constant, 0);
    const plus = (i: 0 | 1): N =>
      form.sum(f, [
        [first[i], 1],
        [c[i], 1],
      ]);
    const box = pow7(f, form, form.element(f, [plus(0), plus(1)]));
    const x = lanes.map((i) => form.halves(f, i ? form.load(f, state.place(i)) : box));
    const all = [0, 1].map((i) =>
      form.sum(
        f,
        x.map((halves) => [halves[i as 0 | 1], 1]),
      ),
    ) as [N, N];
    for (const i of lanes) {
      const sum = internalRow(f, form, x[i]!, all, poseidon2Diagonals[width][i]!);
      form.store(f, state.place(i), form.element(f, sum));
    }
  });
  const call = module.function(`permute_x${form.lanes}`, {}, (f) => {
    const fullRounds = (from: number): void =>
      f.for(rowBytes, (HALF_FULL_ROUNDS + 1) * rowBytes, rowBytes, (offset) =>
        f.run(raise(), mix(i32.add(row(from), offset))),
      );
    f.run(mix(row(0)));
    fullRounds(0);
    f.for(0, PARTIAL_ROUNDS * inner.rowBytes, inner.rowBytes, (offset) =>
      f.run(internal({ constant: i32.add(inner.row(0), offset) })),
    );
    f.run(add(row(HALF_FULL_ROUNDS + 1)));
    fullRounds(HALF_FULL_ROUNDS + 1);
  });
  return () => call({});
}
