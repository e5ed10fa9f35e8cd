/** WGSL of the rounds of BLAKE2 and BLAKE3, written out: an index known at compile time keeps a word in a register. */
import type { Schedule } from '../../src/hash/blake.ts';

/**
 * Statements that run the rounds over `s`.
 *
 * @param round the function of one round: the state, then what its columns and its diagonals take, even and odd places apart.
 * @param vector four words of the message, by their numbers.
 */
export function roundsText(
  schedule: Schedule,
  round: string,
  vector: (words: readonly number[]) => string,
): string {
  return schedule
    .map((order) => {
      const every = (first: number): string => vector([0, 2, 4, 6].map((i) => order[first + i]!));
      return `  s = ${round}(s, ${[0, 1, 8, 9].map(every).join(', ')});`;
    })
    .join('\n');
}

/** Four words as a vector of literals. */
export const literals = (words: readonly (number | bigint)[]): string =>
  `vec4<u32>(${words.map((word) => `${word}u`).join(', ')})`;
