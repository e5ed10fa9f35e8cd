/**
 * Poseidon2 over BN254 on the CPU: the sponge over rows of elements, and pairs, which may have a separator in front.
 * Constants come from memory, so that one build serves every separator.
 */
import {
  externalMatrix,
  HALF_FULL_ROUNDS,
  PARTIAL_ROUNDS,
  RATE,
  WIDTH,
} from '../../src/hash/poseidon2-bn254.ts';
import { bn254Builds, type HashInForm } from '../field/bn254-builds.ts';
import type { Constants } from '../field/constants.ts';
import { assertBound, type Element } from '../field/form.ts';
import { power5 } from '../field/power5.ts';
import type { FunctionBuilder } from '../lib/function.ts';
import type { KernelSource } from '../lib/kernel.ts';
import type { ModuleBuilder } from '../lib/module.ts';
import { type RowPlaces, rowGroup } from '../lib/rows.ts';
import { i32, memory } from '../lib/scalar.ts';
import type { I32, Statement } from '../lib/value.ts';
import { placesAt } from '../lib/words.ts';
import { swapBytes } from '../lib/words32.ts';

const ELEMENT_BYTES = 32;
/** External layers: one before the first round, and one behind each full round. */
const EXTERNAL_LAYERS = 1 + 2 * HALF_FULL_ROUNDS;
/** Where constants stand in the table, behind the diagonal. The separator is there only where pairs have one. */
const EXTERNAL = WIDTH;
const INTERNAL = EXTERNAL + EXTERNAL_LAYERS * WIDTH;
const SEPARATOR = INTERNAL + PARTIAL_ROUNDS;
export const CONSTANTS: number = SEPARATOR + 1;

/** The address of each element of a state. */
export type State = (i: number) => I32;

/** The permutation in place, of elements that the S-box takes. Constants lie as `poseidon2Constants` orders them. */
export function permutation(
  module: ModuleBuilder,
  { form, at, factor }: Constants,
  state: State,
): { readonly bound: number; readonly run: () => Statement } {
  const box = power5(module, form);
  const most = Math.max(form.powerBound, box.bound);
  const external = form.linear('external', externalMatrix, most);
  const sum = form.linear('sum', [[1n, 1n, 1n, 1n]], most);
  assertBound(external, form.powerBound);
  const scratch = i32.const(module.reserve(form.bytes));
  const rowBytes = WIDTH * form.constantBytes;

  const fullRounds = (f: FunctionBuilder, constants: I32): void =>
    f.for(0, HALF_FULL_ROUNDS * rowBytes, rowBytes, (row) => {
      for (let i = 0; i < WIDTH; i++) box.run(f, state(i), state(i));
      external.run(f, state(0), state(0), i32.add(constants, row));
    });
  const call = module.function(`permute_x${form.lanes}`, {}, (f) => {
    external.run(f, state(0), state(0), at(EXTERNAL));
    fullRounds(f, at(EXTERNAL + WIDTH));
    f.for(0, PARTIAL_ROUNDS * form.constantBytes, form.constantBytes, (row) => {
      box.run(f, state(0), state(0));
      sum.run(f, scratch, state(0), i32.add(at(INTERNAL), row));
      for (let i = 0; i < WIDTH; i++) {
        const x = { at: state(i), bound: most };
        const y = form.scale(f, x.at, x, factor(i), { element: { at: scratch, bound: sum.bound } });
        assertBound(y, form.powerBound);
      }
    });
    fullRounds(f, at(EXTERNAL + (1 + HALF_FULL_ROUNDS) * WIDTH));
  });
  return { bound: external.bound, run: () => call({}) };
}

/** The sponge over one row per lane. */
const sponge: HashInForm = (module, constants, loaded) => {
  const { form, at } = constants;
  const first = module.reserve(WIDTH * form.bytes);
  const state: State = (i) => i32.const(first + i * form.bytes);
  const permute = permutation(module, constants, state);
  const capacity = module.reserve(ELEMENT_BYTES);
  const full = state(RATE);

  const absorb = (f: FunctionBuilder, slot: I32, places: readonly I32[], before?: Element): void =>
    assertBound(form.read(f, slot, placesAt(places), before && { element: before }), form.powerBound);
  const body = (f: FunctionBuilder, { rows, digests, elements, pair }: RowPlaces): void => {
    const slot = f.let(state(0), 'slot');
    const prefix = f.let(i32.and(pair, i32.gtU(loaded, SEPARATOR)), 'prefix');
    f.run(memory.fill(first, 0, WIDTH * form.bytes));
    // The number of elements, times 2^64.
    f.run(i32.store(capacity, swapBytes(f.let(i32.add(elements, prefix))), ELEMENT_BYTES - 12));
    absorb(f, full, new Array<I32>(form.lanes).fill(i32.const(capacity)));
    f.if(prefix, () => {
      form.spread(f, slot, at(SEPARATOR));
      f.set(slot, i32.add(slot, form.bytes));
    });
    const places = rows.map((row) => f.let(row));
    const left = f.let(elements, 'left');
    f.while(left, () => {
      absorb(f, slot, places, { at: slot, bound: Math.max(permute.bound, form.constantBound) });
      for (const place of places) f.set(place, i32.add(place, ELEMENT_BYTES));
      f.set(left, i32.sub(left, 1));
      f.set(slot, i32.add(slot, form.bytes));
      f.if(i32.eq(slot, full), () => {
        f.run(permute.run());
        f.set(slot, state(0));
      });
    });
    // What is left, and the empty row.
    f.if(i32.or(i32.ne(slot, state(0)), i32.eqz(elements)), () => f.run(permute.run()));
    form.write(f, { at: state(0), bound: permute.bound }, placesAt(digests));
  };
  return rowGroup(module, form.lanes, ELEMENT_BYTES, body);
};

export const kernels: KernelSource = { builds: bn254Builds(sponge, { most: CONSTANTS, factors: WIDTH }) };
