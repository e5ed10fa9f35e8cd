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
import { exportCheck } from '../field/bn254-bytes.ts';
import { vectorForm } from '../field/bn254-f64.ts';
import { scalarForm } from '../field/bn254-i64.ts';
import { type Constants, exportLoad, reserveConstants } from '../field/constants.ts';
import { assertBound, type Element, type FieldForm } from '../field/form.ts';
import { power5 } from '../field/power5.ts';
import type { FunctionBuilder } from '../lib/function.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { ModuleBuilder } from '../lib/module.ts';
import { exportRows, type RowGroup, type RowPlaces, rowGroup } from '../lib/rows.ts';
import { i32, memory } from '../lib/scalar.ts';
import type { I32, Statement } from '../lib/value.ts';
import { placesAt } from '../lib/words.ts';
import { swapBytes } from '../lib/words32.ts';

const ELEMENT_BYTES = 32;
/** External layers: one before the first round, and one behind each full round. */
const EXTERNAL_LAYERS = 1 + 2 * HALF_FULL_ROUNDS;
/** Where constants stand in the table. The separator is there only where pairs have one. */
const DIAGONAL = 0;
const EXTERNAL = DIAGONAL + WIDTH;
const INTERNAL = EXTERNAL + EXTERNAL_LAYERS * WIDTH;
const SEPARATOR = INTERNAL + PARTIAL_ROUNDS;
const CONSTANTS = SEPARATOR + 1;

/** The state of one form: elements side by side in memory. */
interface State {
  readonly at: number;
  /** No element is greater where a permutation, an S-box or an absorption begins, in moduli. */
  readonly bound: number;
  element(i: number): I32;
}

function reserveState(module: ModuleBuilder, form: FieldForm, bound: number): State {
  const at = module.reserve(WIDTH * form.bytes);
  return { at, bound, element: (i) => i32.const(at + i * form.bytes) };
}

/** The permutation in place; its results are below `bound`. */
function permutation(
  module: ModuleBuilder,
  { form, at }: Constants,
  state: State,
): { readonly bound: number; readonly run: () => Statement } {
  const box = power5(module, form, state.bound);
  const external = form.linear('external', externalMatrix, Math.max(state.bound, box.bound));
  const sum = form.linear('sum', [[1n, 1n, 1n, 1n]], Math.max(state.bound, box.bound));
  const scratch = i32.const(module.reserve(form.bytes));
  const rowBytes = WIDTH * form.constantBytes;

  const fullRounds = (f: FunctionBuilder, constants: I32): void =>
    f.for(0, HALF_FULL_ROUNDS * rowBytes, rowBytes, (row) => {
      for (let i = 0; i < WIDTH; i++) box.run(f, state.element(i));
      external.run(f, state.element(0), state.element(0), i32.add(constants, row));
    });
  const call = module.function(`permute_x${form.lanes}`, {}, (f) => {
    external.run(f, state.element(0), state.element(0), at(EXTERNAL));
    fullRounds(f, at(EXTERNAL + WIDTH));
    f.for(0, PARTIAL_ROUNDS * form.constantBytes, form.constantBytes, (row) => {
      box.run(f, state.element(0));
      sum.run(f, scratch, state.element(0), i32.add(at(INTERNAL), row));
      for (let i = 0; i < WIDTH; i++) {
        const x = { at: state.element(i), bound: Math.max(state.bound, box.bound) };
        const y = form.scale(f, x.at, x, at(DIAGONAL + i), { at: scratch, bound: sum.bound });
        assertBound(y, state.bound);
      }
    });
    fullRounds(f, at(EXTERNAL + (1 + HALF_FULL_ROUNDS) * WIDTH));
  });
  assertBound(external, state.bound);
  return { bound: external.bound, run: () => call({}) };
}

/** The sponge over one row per lane. */
function spongeGroup(
  module: ModuleBuilder,
  constants: Constants,
  separated: number,
  bound: number,
): RowGroup {
  const { form, zero, at } = constants;
  const state = reserveState(module, form, bound);
  const permute = permutation(module, constants, state);
  const capacity = module.reserve(ELEMENT_BYTES);
  const full = state.element(RATE);

  const absorb = (f: FunctionBuilder, slot: I32, places: readonly I32[], before: Element): void =>
    assertBound(form.read(f, slot, placesAt(places), before), state.bound);
  const body = (f: FunctionBuilder, { rows, digests, elements, pair }: RowPlaces): void => {
    const slot = f.let(state.element(0), 'slot');
    const prefix = f.let(i32.and(pair, i32.load(separated)), 'prefix');
    f.run(memory.fill(state.at, 0, WIDTH * form.bytes));
    // The number of elements, times 2^64.
    f.run(i32.store(capacity, swapBytes(f.let(i32.add(elements, prefix))), ELEMENT_BYTES - 12));
    absorb(f, full, new Array<I32>(form.lanes).fill(i32.const(capacity)), zero);
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
        f.set(slot, state.element(0));
      });
    });
    // What is left, and the empty row.
    f.if(i32.or(i32.ne(slot, state.element(0)), i32.eqz(elements)), () => f.run(permute.run()));
    form.write(f, { at: state.element(0), bound: permute.bound }, placesAt(digests));
  };
  return rowGroup(module, form.lanes, ELEMENT_BYTES, body);
}

/** A form, how few rows are worth its lanes, and the bound of its states. */
interface Stage {
  readonly form: FieldForm;
  readonly least: number;
  readonly bound: number;
}

function build(forms: readonly ((module: ModuleBuilder) => Stage)[]): string {
  const module = new ModuleBuilder();
  const separated = module.reserve(4);
  const stages = forms.map((open) => {
    const { form, least, bound } = open(module);
    const constants = reserveConstants(module, form, CONSTANTS);
    return { constants, least, group: spongeGroup(module, constants, separated, bound) };
  });
  exportLoad(
    module,
    stages.map(({ constants }) => constants),
  );
  exportRows(module, ELEMENT_BYTES, stages);
  exportCheck(module);
  return module.toText();
}

const STREAMS = 2;
const scalar = (module: ModuleBuilder): Stage => ({ form: scalarForm(module), least: 1, bound: 5 });
const vector = (module: ModuleBuilder): Stage => ({
  form: vectorForm(module, STREAMS),
  least: 2,
  bound: 1.7,
});

export const kernels: KernelSource = {
  builds: [
    { feature: 'relaxed-simd', text: build([vector, scalar]), passes: [] },
    { feature: 'scalar', text: build([scalar]), passes: [] },
  ],
};
