/**
 * circomlib's Poseidon over BN254 on the CPU, of 1 to 16 elements. The constants of one width at a time lie in memory
 * as `poseidon-bn254-elements.ts` orders them; it also says what the partial rounds compute.
 */
import { HALF_FULL_ROUNDS, MAX_INPUTS } from '../../src/hash/poseidon-bn254.ts';
import { DENSE_CHUNK, HISTORY_CHUNK } from '../../src/hash/poseidon-bn254-elements.ts';
import { bn254Builds, type HashInForm } from '../field/bn254-builds.ts';
import { assertBound, type Element, type FieldForm } from '../field/form.ts';
import { power5 } from '../field/power5.ts';
import type { FunctionBuilder, Local } from '../lib/function.ts';
import type { KernelSource } from '../lib/kernel.ts';
import type { ModuleBuilder } from '../lib/module.ts';
import { type RowPlaces, rowGroup } from '../lib/rows.ts';
import { i32, memory } from '../lib/scalar.ts';
import type { I32 } from '../lib/value.ts';
import { placesAt } from '../lib/words.ts';

const ELEMENT_BYTES = 32;
const MAX_WIDTH = MAX_INPUTS + 1;
const MOST_PARTIAL_ROUNDS = 70;
const DENSE_LAYERS = 2 * HALF_FULL_ROUNDS;

const padded = (count: number, chunk: number): number => chunk * Math.ceil(count / chunk);
const paddedAtRun = (count: I32, chunk: number): I32 =>
  i32.mul(i32.divU(i32.add(count, chunk - 1), i32.const(chunk)), chunk);

/** Elements of a state in whole chunks; all behind the state stay zero. */
const SLOTS = padded(MAX_WIDTH + 1, DENSE_CHUNK);
const MOST_HISTORY = padded(2 * MAX_WIDTH - 1, HISTORY_CHUNK);
const MOST_CONSTANTS =
  MAX_WIDTH * (1 + DENSE_LAYERS * (padded(MAX_WIDTH, DENSE_CHUNK) + 1) + MOST_HISTORY + 1) +
  MOST_HISTORY +
  MOST_PARTIAL_ROUNDS;

/** Numbers that follow from the width of a permutation. */
interface Shape {
  readonly width: I32;
  /** Factors of a row. */
  readonly dense: I32;
  readonly history: I32;
}

function shapeOf(f: FunctionBuilder, elements: I32): Shape {
  const width = f.let(i32.add(elements, 1), 'width');
  return {
    width,
    dense: f.let(paddedAtRun(width, DENSE_CHUNK), 'dense'),
    history: f.let(paddedAtRun(i32.sub(i32.mul(width, 2), 1), HISTORY_CHUNK), 'history'),
  };
}

/** The round constants of the recurrence are all that `loaded` has beside what follows from the width. */
const recurrenceRounds = ({ width, dense, history }: Shape, loaded: I32): I32 => {
  const perElement = i32.add(i32.mul(dense, DENSE_LAYERS), history, DENSE_LAYERS + 2);
  return i32.sub(i32.sub(loaded, i32.mul(width, perElement)), history);
};

/** What a row is computed from. */
interface RowInputs {
  readonly x: I32;
  readonly factors: I32;
  /** Factors of the row. */
  readonly count: I32;
  readonly constant: I32;
  readonly addend?: Element;
}

/** Functions for the sum of a row's products, in chunks of `size`, its constant and addend; they return its bound. */
function rowSums(module: ModuleBuilder, form: FieldForm, size: number, most: number) {
  const { bytes, constantBytes } = form;
  const reduced = form.linear(`reduced_${size}`, [[1n]], form.elementBound);
  const zero = i32.const(module.reserve(constantBytes));
  return (f: FunctionBuilder, to: I32, { x, factors, count, constant, addend }: RowInputs): number => {
    const input = f.let(x, 'input');
    const factor = f.let(factors, 'factor');
    const products = Array.from(
      { length: size },
      (_, i) => [{ at: i32.add(input, i * bytes), bound: most }, i32.add(factor, i * constantBytes)] as const,
    );
    const advance = (): void => {
      f.set(input, i32.add(input, size * bytes));
      f.set(factor, i32.add(factor, size * constantBytes));
    };
    const sum = form.dot(f, to, products, { constant, ...(addend && { element: addend }) });
    advance();
    const end = f.let(i32.add(factors, i32.mul(count, constantBytes)), 'end');
    let { bound } = sum;
    f.while(i32.ltU(factor, end), () => {
      reduced.run(f, to, to, zero);
      const more = form.dot(f, to, products, { element: { at: to, bound: reduced.bound } });
      bound = Math.max(bound, more.bound);
      advance();
    });
    assertBound({ bound }, form.powerBound);
    return bound;
  };
}

/** Where a permutation stands. */
interface Walk extends Shape {
  readonly state: Local<'i32'>;
  /** Room for the state behind the next dense layer. */
  readonly next: Local<'i32'>;
  /** The next constant. */
  readonly constant: Local<'i32'>;
}

/** The layers of one form, and the bound of what they make. */
function layers(module: ModuleBuilder, form: FieldForm, loaded: I32) {
  const { bytes, constantBytes } = form;
  const box = power5(module, form);
  const most = Math.max(form.powerBound, box.bound);
  const denseRow = rowSums(module, form, DENSE_CHUNK, most);
  const historyRow = rowSums(module, form, HISTORY_CHUNK, most);
  // The history grows downward from here; above it lies what was before the first round.
  const before =
    module.reserve((2 * MOST_PARTIAL_ROUNDS + MOST_HISTORY) * bytes) + 2 * MOST_PARTIAL_ROUNDS * bytes;

  /** Takes the constants of one row. */
  const take = (f: FunctionBuilder, { constant }: Walk, count: I32) => {
    const factors = f.let(constant, 'factors');
    const own = f.let(i32.add(factors, i32.mul(count, constantBytes)), 'constant');
    f.set(constant, i32.add(own, constantBytes));
    return { factors, count, constant: own };
  };
  const elements = (f: FunctionBuilder, { width }: Walk, body: (place: I32) => void): void =>
    f.for(0, f.let(i32.mul(width, bytes), 'bytes'), bytes, body);
  const swap = (f: FunctionBuilder, { state, next }: Walk): void => {
    const old = f.let(state);
    f.set(state, next);
    f.set(next, old);
  };

  const fullRounds = (f: FunctionBuilder, walk: Walk): number => {
    let bound = 0;
    f.for(0, HALF_FULL_ROUNDS, 1, () => {
      elements(f, walk, (place) => {
        const x = f.let(i32.add(walk.state, place), 'x');
        box.run(f, x, x);
      });
      elements(f, walk, (place) => {
        bound = denseRow(f, i32.add(walk.next, place), { x: walk.state, ...take(f, walk, walk.dense) });
      });
      swap(f, walk);
    });
    return bound;
  };

  /** @param bound of the state before them. */
  const partialRounds = (f: FunctionBuilder, walk: Walk, bound: number): void => {
    const x = f.let(i32.const(before), 'x');
    const y = i32.sub(x, bytes);
    f.run(memory.copy(x, walk.state, bytes));
    const factors = f.let(walk.constant, 'factors');
    f.set(walk.constant, i32.add(factors, i32.mul(walk.history, constantBytes)));
    const joining = f.let(i32.add(walk.state, bytes), 'joining');
    const zero = f.let(i32.add(walk.state, i32.mul(walk.width, bytes)), 'zero');
    f.for(0, recurrenceRounds(walk, loaded), 1, () => {
      box.run(f, y, x);
      const addend = { at: joining, bound };
      historyRow(f, i32.sub(x, 2 * bytes), {
        x: y,
        factors,
        count: walk.history,
        constant: walk.constant,
        addend,
      });
      f.set(walk.constant, i32.add(walk.constant, constantBytes));
      f.set(joining, i32.select(i32.ltU(joining, zero), i32.add(joining, bytes), joining));
      f.set(x, i32.sub(x, 2 * bytes));
    });
    box.run(f, y, x);
    elements(f, walk, (place) => {
      historyRow(f, i32.add(walk.next, place), { x: y, ...take(f, walk, walk.history) });
    });
    swap(f, walk);
  };
  return { fullRounds, partialRounds };
}

const poseidon: HashInForm = (module, { form, at }, loaded) => {
  const { bytes, constantBytes } = form;
  const stateBytes = SLOTS * bytes;
  const states = module.reserve(2 * stateBytes);
  const { fullRounds, partialRounds } = layers(module, form, loaded);

  const body = (f: FunctionBuilder, { rows, digests, elements }: RowPlaces): void => {
    const walk = {
      ...shapeOf(f, elements),
      state: f.let(i32.const(states), 'state'),
      next: f.let(i32.const(states + stateBytes), 'next'),
      constant: f.let(i32.add(at(0), constantBytes), 'constant'),
    };
    f.run(memory.fill(states, 0, 2 * stateBytes));
    form.spread(f, walk.state, at(0));
    const places = rows.map((row) => f.let(row));
    f.for(bytes, f.let(i32.mul(walk.width, bytes)), bytes, (place) => {
      const x = form.read(f, i32.add(walk.state, place), placesAt(places), { constant: walk.constant });
      assertBound(x, form.powerBound);
      for (const address of places) f.set(address, i32.add(address, ELEMENT_BYTES));
      f.set(walk.constant, i32.add(walk.constant, constantBytes));
    });
    partialRounds(f, walk, fullRounds(f, walk));
    const bound = fullRounds(f, walk);
    form.write(f, { at: walk.state, bound }, placesAt(digests));
  };
  return rowGroup(module, form.lanes, ELEMENT_BYTES, body);
};

export const kernels: KernelSource = { builds: bn254Builds(poseidon, { most: MOST_CONSTANTS }) };
