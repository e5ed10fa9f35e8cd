/** The rounds of BLAKE2 and BLAKE3, over one group of hashes or over several whose mixes take turns. */
import { type BlakeWords, mixes, type Schedule } from '../../src/hash/blake.ts';
import type { FunctionBuilder, Local } from './function.ts';
import type { Value } from './value.ts';
import type { Words, WordType } from './words.ts';

/** Hashes side by side, in the lanes of the same vectors. */
export interface BlakeGroup<T extends WordType> {
  /** The sixteen words of the state. */
  readonly v: readonly Local<T>[];
  /** A word of the message; none where it is zero. */
  word(i: number): Value<T> | undefined;
}

/** All rounds, in place. Groups that take turns hide each other's latency. */
export function blakeRounds<T extends WordType>(
  f: FunctionBuilder,
  w: Words<T>,
  { rotations }: BlakeWords,
  schedule: Schedule,
  groups: readonly BlakeGroup<T>[],
): void {
  const rotate = w.rotator(f);
  const [r0, r1, r2, r3] = rotations;
  for (const order of schedule) {
    mixes.forEach(([a, b, c, d], i) => {
      for (const { v, word } of groups) {
        const half = (index: number, first: number, second: number): void => {
          const input = word(index);
          const sum = w.add(v[a]!, v[b]!);
          f.set(v[a]!, input ? w.add(sum, input) : sum);
          f.set(v[d]!, rotate(w.xor(v[d]!, v[a]!), first));
          f.set(v[c]!, w.add(v[c]!, v[d]!));
          f.set(v[b]!, rotate(w.xor(v[b]!, v[c]!), second));
        };
        half(order[2 * i]!, r0, r1);
        half(order[2 * i + 1]!, r2, r3);
      }
    });
  }
}
