/** Keccak-f[1600] over 25 lanes in locals, one round a turn. */
import { laneMoves, roundConstants } from '../../src/hash/keccak.ts';
import type { FunctionBuilder, Local } from './function.ts';
import type { ModuleBuilder } from './module.ts';
import type { Words, WordType } from './words.ts';

const COLUMNS = [0, 1, 2, 3, 4];

/** Puts the round constants into memory and returns their address. */
export const constantTable = (module: ModuleBuilder): number =>
  module.table(BigUint64Array.from(roundConstants));

/** All rounds, in place. */
export function keccakRounds<T extends WordType>(
  f: FunctionBuilder,
  w: Words<T>,
  state: readonly Local<T>[],
  constants: number,
): void {
  const rotate = w.rotator(f);
  f.for(0, 8 * roundConstants.length, 8, (at) => {
    const parity = COLUMNS.map((x) => f.let(w.xor(state[x]!, ...[5, 10, 15, 20].map((y) => state[x + y]!))));
    const change = COLUMNS.map((x) => f.let(w.xor(parity[(x + 4) % 5]!, rotate(parity[(x + 1) % 5]!, 63))));
    const moved: Local<T>[] = [f.let(w.xor(state[0]!, change[0]!))];
    for (const { from, to, bits } of laneMoves) {
      moved[to] = f.let(rotate(w.xor(state[from]!, change[from % 5]!), 64 - bits));
    }
    state.forEach((lane, i) => {
      const next = (by: number): Local<T> => moved[i - (i % 5) + ((i + by) % 5)]!;
      const value = w.xor(moved[i]!, w.andNot(next(2), next(1)));
      f.set(lane, i === 0 ? w.xor(value, w.fromTable(at, constants)) : value);
    });
  });
}
