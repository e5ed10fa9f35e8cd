/** Keccak-f[1600] over 25 lanes in locals, one round a turn. */
import { laneMoves, roundConstants } from '../../src/hash/keccak.ts';
import type { FunctionBuilder, Local } from './function.ts';
import type { ModuleBuilder } from './module.ts';
import type { Words, WordType } from './words.ts';

const COLUMNS = [0, 1, 2, 3, 4];
const ROWS = [0, 5, 10, 15, 20];

/** Where each lane comes from in rho and pi, and how far it turns to the left. */
const sources = Array.from({ length: 25 }, (_, lane) => ({
  from: lane,
  bits: 0,
  ...laneMoves.find(({ to }) => to === lane),
}));

/** Puts the round constants into memory and returns their address. */
export const constantTable = (module: ModuleBuilder): number =>
  module.table(BigUint64Array.from(roundConstants));

/**
 * All rounds, in place.
 *
 * A round makes its new lanes row by row and moves them at its end. Two rounds a turn, which need no moves, spill more
 * and are a quarter slower on Node 20.
 */
export function keccakRounds<T extends WordType>(
  f: FunctionBuilder,
  w: Words<T>,
  state: readonly Local<T>[],
  constants: number,
): void {
  const rotate = w.rotator(f);
  f.for(0, 8 * roundConstants.length, 8, (at) => {
    const parity = COLUMNS.map((x) => f.let(w.xor(state[x]!, ...ROWS.slice(1).map((y) => state[x + y]!))));
    const change = COLUMNS.map((x) => f.let(w.xor(parity[(x + 4) % 5]!, rotate(parity[(x + 1) % 5]!, 63))));
    const next = ROWS.flatMap((y) => {
      const row = COLUMNS.map((x) => {
        const { from, bits } = sources[x + y]!;
        const lane = w.xor(state[from]!, change[from % 5]!);
        return f.let(bits ? rotate(lane, 64 - bits) : lane);
      });
      return row.map((lane, x) => {
        const value = w.xor(lane, w.andNot(row[(x + 2) % 5]!, row[(x + 1) % 5]!));
        return f.let(x + y === 0 ? w.xor(value, w.fromTable(at, constants)) : value);
      });
    });
    for (const [i, lane] of state.entries()) f.set(lane, next[i]!);
  });
}
