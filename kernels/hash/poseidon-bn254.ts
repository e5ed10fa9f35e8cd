/**
 * circomlib's Poseidon over BN254 on the CPU, of 1 to 16 elements: the permutation that `poseidon-bn254-schedule.ts`
 * arranges, with the constants of one width at a time in memory, in the order of `poseidon-bn254-elements.ts`.
 */
import { HALF_FULL_ROUNDS, MAX_INPUTS } from '../../src/hash/poseidon-bn254.ts';
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
/** Products that are summed before a reduction, and constants that they take with what is added behind them. */
const CHUNK = 3;
const CHUNK_CONSTANTS = CHUNK + 1;
const DENSE_LAYERS = 2 * HALF_FULL_ROUNDS + 1;
/** Elements of a state: whole chunks, and a zero behind the last. */
const SLOTS = CHUNK * Math.ceil(MAX_WIDTH / CHUNK);
const MOST_PARTIAL_ROUNDS = 70;

const chunksOf = (width: I32): I32 => i32.divU(i32.add(width, CHUNK - 1), i32.const(CHUNK));
/** Constants of all but the sparse layers, which have one each. */
const plainConstants = (width: I32): I32 =>
  i32.sub(i32.mul(width, i32.add(i32.mul(chunksOf(width), DENSE_LAYERS * CHUNK_CONSTANTS), 3)), 1);
const MOST_CONSTANTS =
  MAX_WIDTH * ((SLOTS / CHUNK) * DENSE_LAYERS * CHUNK_CONSTANTS + 3) - 1 + MOST_PARTIAL_ROUNDS - 1;

/** Where a permutation stands: the state, room for the next one, the next constant. */
interface Walk {
  readonly state: Local<'i32'>;
  readonly next: Local<'i32'>;
  readonly constant: Local<'i32'>;
  /** Bytes of the state's elements. */
  readonly bytes: I32;
}

function layers(module: ModuleBuilder, form: FieldForm) {
  const box = power5(module, form);
  const most = Math.max(form.powerBound, box.bound);
  const { bytes, constantBytes } = form;
  const reduced = form.linear('reduced', [[1n]], form.elementBound);
  assertBound(reduced, form.powerBound);

  const element = (address: I32, bound: number, place = 0): Element => ({
    at: i32.add(address, place * bytes),
    bound,
  });
  const swap = (f: FunctionBuilder, { state, next }: Walk): void => {
    const before = f.let(state);
    f.set(state, next);
    f.set(next, before);
  };
  const take = (f: FunctionBuilder, { constant }: Walk, count: number): I32[] => {
    const first = f.let(constant);
    f.set(constant, i32.add(constant, count * constantBytes));
    return Array.from({ length: count }, (_, i) => i32.add(first, i * constantBytes));
  };

  const boxes = (f: FunctionBuilder, walk: Walk): void =>
    f.for(0, walk.bytes, bytes, (place) => box.run(f, i32.add(walk.state, place)));

  const dense = (f: FunctionBuilder, walk: Walk): void => {
    f.for(0, walk.bytes, bytes, (place) => {
      const sum = f.let(i32.add(walk.next, place), 'sum');
      f.run(memory.fill(sum, 0, bytes));
      f.for(0, walk.bytes, CHUNK * bytes, (from) => {
        const x = f.let(i32.add(walk.state, from), 'x');
        const [constant, ...factors] = take(f, walk, CHUNK_CONSTANTS).reverse();
        const products = factors.reverse().map((factor, i) => [element(x, most, i), factor] as const);
        form.dot(f, sum, products, { element: element(sum, reduced.bound) });
        reduced.run(f, sum, sum, constant!);
      });
    });
    swap(f, walk);
  };

  /** A partial round's layer; `factors` are the same in all of them. */
  const sparse = (f: FunctionBuilder, walk: Walk, factors: I32): void => {
    const constant = take(f, walk, 1)[0]!;
    const { state, next } = walk;
    const boxed = element(state, box.bound);
    const others = (place: I32): Element => element(i32.add(state, place), form.powerBound);
    const first = others(i32.const(bytes));
    assertBound(
      form.dot(f, next, [[boxed, factors]], { element: first, constant, reduce: true }),
      form.powerBound,
    );
    const factor = f.let(i32.add(factors, constantBytes), 'factor');
    f.for(bytes, walk.bytes, bytes, (place) => {
      const products = [
        [boxed, factor],
        [first, i32.add(factor, constantBytes)],
      ] as const;
      const above = others(i32.add(place, bytes));
      const sum = form.dot(f, i32.add(next, place), products, { element: above, reduce: true });
      assertBound(sum, form.powerBound);
      f.set(factor, i32.add(factor, 2 * constantBytes));
    });
    swap(f, walk);
  };
  return { box, boxes, dense, sparse, bound: reduced.bound };
}

const poseidon: HashInForm = (module, { form, at }, loaded) => {
  const { bytes, constantBytes } = form;
  const stateBytes = (SLOTS + 1) * bytes;
  const states = module.reserve(2 * stateBytes);
  const { box, boxes, dense, sparse, bound } = layers(module, form);

  const permute = (f: FunctionBuilder, walk: Walk, width: I32): void => {
    f.for(0, HALF_FULL_ROUNDS, 1, () => {
      boxes(f, walk);
      dense(f, walk);
    });
    const factors = f.let(walk.constant, 'factors');
    const count = i32.sub(i32.mul(width, 2), 1);
    f.set(walk.constant, i32.add(walk.constant, i32.mul(count, constantBytes)));
    f.for(0, i32.sub(loaded, plainConstants(width)), 1, () => {
      box.run(f, walk.state);
      sparse(f, walk, factors);
    });
    box.run(f, walk.state);
    dense(f, walk);
    f.for(0, HALF_FULL_ROUNDS, 1, () => {
      boxes(f, walk);
      dense(f, walk);
    });
  };
  const body = (f: FunctionBuilder, { rows, digests, elements }: RowPlaces): void => {
    const width = f.let(i32.add(elements, 1), 'width');
    const walk = {
      state: f.let(i32.const(states), 'state'),
      next: f.let(i32.const(states + stateBytes), 'next'),
      constant: f.let(i32.add(at(0), constantBytes), 'constant'),
      bytes: f.let(i32.mul(width, bytes), 'bytes'),
    };
    f.run(memory.fill(states, 0, 2 * stateBytes));
    form.spread(f, walk.state, at(0));
    const places = rows.map((row) => f.let(row));
    f.for(bytes, walk.bytes, bytes, (place) => {
      const x = form.read(f, i32.add(walk.state, place), placesAt(places), { constant: walk.constant });
      assertBound(x, form.powerBound);
      for (const at of places) f.set(at, i32.add(at, ELEMENT_BYTES));
      f.set(walk.constant, i32.add(walk.constant, constantBytes));
    });
    permute(f, walk, width);
    form.write(f, { at: walk.state, bound }, placesAt(digests));
  };
  return rowGroup(module, form.lanes, ELEMENT_BYTES, body);
};

export const kernels: KernelSource = { builds: bn254Builds(poseidon, MOST_CONSTANTS) };
