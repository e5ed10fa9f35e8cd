/** The exported `pairs`: a layer, group by group. */
import type { FunctionBuilder } from './function.ts';
import type { Locals, ModuleBuilder } from './module.ts';
import { i32 } from './scalar.ts';
import type { I32, Statement } from './value.ts';

export const PAIR_BYTES = 64;
const DIGEST_BYTES = 32;

const PARAMETERS = { input: 'i32', output: 'i32', count: 'i32' } as const;

/** Pairs that are hashed together. */
export interface PairGroup {
  readonly lanes: number;
  run(input: I32, output: I32, count: I32): Statement;
}

/**
 * Hashes at most one pair per lane. Lanes beyond `count` repeat the last pair and write its digest again, so the body
 * must read all pairs before it writes a digest.
 *
 * @param body hashes the pair at each address of `pairs` to the address at the same place of `digests`.
 */
export function pairGroup(
  module: ModuleBuilder,
  lanes: number,
  body: (f: FunctionBuilder, pairs: readonly I32[], digests: readonly I32[]) => void,
): PairGroup {
  const call = module.function(`pairs_x${lanes}`, PARAMETERS, (f, { input, output, count }) => {
    const last = f.let(i32.sub(count, 1));
    const places = Array.from({ length: lanes }, (_, i) => f.let(i32.select(i32.ltU(i, last), i, last)));
    const at = (base: I32, stride: number): I32[] =>
      places.map((place) => f.let(i32.add(base, i32.mul(place, stride))));
    body(f, at(input, PAIR_BYTES), at(output, DIGEST_BYTES));
  });
  return { lanes, run: (input, output, count) => call({ input, output, count }) };
}

/** A group, and how few pairs are worth starting it for. */
export interface Stage {
  readonly least: number;
  readonly group: PairGroup;
}

/** Exports `pairs`: each stage runs while it has enough pairs, the last one with `least: 1`. */
export function exportPairs(module: ModuleBuilder, stages: readonly Stage[]): void {
  const body = (f: FunctionBuilder, { input, output, count }: Locals<typeof PARAMETERS>): void => {
    for (const { least, group } of stages) {
      f.while(i32.geU(count, least), () => {
        const taken = f.let(i32.select(i32.ltU(count, group.lanes), count, group.lanes), 'taken');
        f.run(group.run(input, output, taken));
        f.set(input, i32.add(input, i32.mul(taken, PAIR_BYTES)));
        f.set(output, i32.add(output, i32.mul(taken, DIGEST_BYTES)));
        f.set(count, i32.sub(count, taken));
      });
    }
  };
  module.function('pairs', PARAMETERS, body, { export: true });
}
