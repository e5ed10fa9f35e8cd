/** Plonky2's Poseidon permutation. */
import { poseidonConstants, poseidonMatrix } from '../../src/hash/poseidon-plonky2.ts';
import { RANGE, type Ranged } from '../field/goldilocks.ts';
import { circulant } from '../field/goldilocks-circulant.ts';
import { pow7 } from '../field/goldilocks-powers.ts';
import type { GoldilocksState } from '../field/goldilocks-state.ts';
import { i32 } from './scalar.ts';
import type { Statement } from './value.ts';

const HALF_FULL_ROUNDS = 4;
const PARTIAL_ROUNDS = 22;

/** Each layer adds the constants of the round behind it. */
export function poseidonPermutation<E, N extends Ranged>(state: GoldilocksState<E, N>): () => Statement {
  const { module, form } = state;
  const { row, rowBytes } = state.constants([...poseidonConstants(), []]);
  const add = state.add('add');
  const raise = state.map('pow7', (f, x) => pow7(f, form, x));
  const mix = state.layer('mix', (f, x) => {
    const [first, ...others] = circulant(f, form, poseidonMatrix, x);
    return [
      form.sum(f, [
        [first!, 1],
        [x[0]!, 8],
      ]),
      ...others,
    ];
  });
  const first = state.place(0);
  const call = module.function(`permute_x${form.lanes}`, {}, (f) => {
    const rounds = (from: number, count: number, box: () => void): void =>
      f.for(rowBytes, (count + 1) * rowBytes, rowBytes, (offset) => {
        box();
        f.run(mix(i32.add(row(from), offset)));
      });
    const full = (): void => f.run(raise());
    f.run(add(row(0)));
    rounds(0, HALF_FULL_ROUNDS, full);
    rounds(HALF_FULL_ROUNDS, PARTIAL_ROUNDS, () =>
      form.store(f, first, pow7(f, form, form.load(f, first)), RANGE.loose),
    );
    rounds(HALF_FULL_ROUNDS + PARTIAL_ROUNDS, HALF_FULL_ROUNDS, full);
  });
  return () => call({});
}
