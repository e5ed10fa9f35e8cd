/** The rounds of SHA-256, for one hash or for four in lanes. */
import { initialState, messageSchedule, roundConstants } from '../../src/hash/sha256.ts';
import type { FunctionBuilder, Local } from './function.ts';
import type { ModuleBuilder } from './module.ts';
import { i32 } from './scalar.ts';
import type { Value } from './value.ts';
import type { Word32Type, Words32 } from './words32.ts';

export type Eight<X> = readonly [X, X, X, X, X, X, X, X];
/** The working variables a to h. */
export type State<T extends Word32Type> = Eight<Local<T>>;

/** Second block of every 64-byte message. */
const PADDING_BLOCK = [0x80000000, ...Array<number>(14).fill(0), 8 * 64];

/** Addresses of the round constants, and of their sums with the schedule of the padding block. */
export interface Tables {
  readonly constants: number;
  readonly padding: number;
}

export function tables(module: ModuleBuilder): Tables {
  const padding = messageSchedule(PADDING_BLOCK).map((word, t) => word + roundConstants[t]!);
  return { constants: module.table(roundConstants), padding: module.table(padding) };
}

/** Sixteen rounds. `word` adds the schedule where the constants do not hold it yet. */
function sixteenRounds<T extends Word32Type>(
  f: FunctionBuilder,
  w: Words32<T>,
  state: State<T>,
  constant: (t: number) => Value<T>,
  word?: (t: number) => Value<T>,
): void {
  const { add, and, rotr, xor } = w;
  // Maj(a, b, c) = b ^ ((a ^ b) & (b ^ c)), and the a ^ b of one round is the b ^ c of the next.
  let bc = f.let(xor(state[1], state[2]));
  for (let t = 0; t < 16; t++) {
    // The variables stay in place and change their names: sixteen rounds bring every name home.
    const [a, b, , d, e, ff, g, h] = state.map((_, i) => state[(i - t) & 7]!) as unknown as State<T>;
    const sum1 = xor(rotr(e, 6), rotr(e, 11), rotr(e, 25));
    const choose = xor(g, and(e, xor(ff, g)));
    const input = word ? add(word(t), constant(t)) : constant(t);
    // What is known before e comes first: Node 20 is 15 % faster with this order.
    const t1 = f.let(add(add(input, h), add(choose, sum1)));
    const sum0 = xor(rotr(a, 2), rotr(a, 13), rotr(a, 22));
    const ab = f.let(xor(a, b));
    f.set(d, add(d, t1));
    f.set(h, add(t1, sum0, xor(b, and(ab, bc))));
    bc = ab;
  }
}

/** The schedule sixteen rounds on: W[t + 16] takes the place of W[t]. */
function nextWord<T extends Word32Type>(
  f: FunctionBuilder,
  w: Words32<T>,
  block: readonly Local<T>[],
  t: number,
): Local<T> {
  const at = (i: number): Local<T> => block[(t + i) & 15]!;
  const sigma0 = w.xor(w.rotr(at(1), 7), w.rotr(at(1), 18), w.shrU(at(1), 3));
  const sigma1 = w.xor(w.rotr(at(14), 17), w.rotr(at(14), 19), w.shrU(at(14), 10));
  f.set(at(0), w.add(at(0), sigma0, at(9), sigma1));
  return at(0);
}

/** All 64 rounds over the sixteen words of a block, which are used up. */
export function rounds<T extends Word32Type>(
  f: FunctionBuilder,
  w: Words32<T>,
  state: State<T>,
  block: readonly Local<T>[],
  table: Tables,
): void {
  const first = i32.const(table.constants);
  sixteenRounds(
    f,
    w,
    state,
    (t) => w.fromTable(first, 4 * t),
    (t) => block[t]!,
  );
  f.for(64, 256, 64, (at) =>
    sixteenRounds(
      f,
      w,
      state,
      (t) => w.fromTable(at, table.constants + 4 * t),
      (t) => nextWord(f, w, block, t),
    ),
  );
}

/** All 64 rounds over the padding block. */
export function paddingRounds<T extends Word32Type>(
  f: FunctionBuilder,
  w: Words32<T>,
  state: State<T>,
  table: Tables,
): void {
  f.for(0, 256, 64, (at) => sixteenRounds(f, w, state, (t) => w.fromTable(at, table.padding + 4 * t)));
}

export const copyOf = <T extends Word32Type>(f: FunctionBuilder, state: Eight<Value<T>>): State<T> =>
  state.map((word) => f.let(word)) as unknown as State<T>;

export const sum = <T extends Word32Type>(
  w: Words32<T>,
  a: Eight<Value<T>>,
  b: Eight<Value<T>>,
): Eight<Value<T>> => a.map((word, i) => w.add(word, b[i]!)) as unknown as Eight<Value<T>>;

export const initial = <T extends Word32Type>(w: Words32<T>): Eight<Value<T>> =>
  Array.from(initialState, w.constant) as unknown as Eight<Value<T>>;
