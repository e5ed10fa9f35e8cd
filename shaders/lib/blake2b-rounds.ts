/** BLAKE2b's compression. */
import { family } from '../../src/hash/blake2b.ts';
import { literals, roundsText } from './blake-text.ts';

const { schedule, iv, start } = family;

/** Four words of the message, in halves; a word of 64 bits takes two of 32. */
const words = (numbers: readonly number[]): string => {
  const half = (odd: 0 | 1): string => `vec4<u32>(${numbers.map((i) => `m[${2 * i + odd}]`).join(', ')})`;
  return `blake64_Row(${half(0)}, ${half(1)})`;
};

const row = (values: readonly bigint[]): string => {
  const low = literals(values.map((value) => value & 0xffffffffn));
  return `blake64_Row(${low}, ${literals(values.map((value) => value >> 32n))})`;
};

export const wgsl = `
// #import lib/blake64

struct blake2b_State {
  a: blake64_Row,
  b: blake64_Row,
}

fn blake2b_init() -> blake2b_State {
  return blake2b_State(${row(start.slice(0, 4))}, ${row(start.slice(4))});
}

// Folds a block in. \`end\` counts the message's bytes up to the end of it, in 32 bits.
fn blake2b_compress(before: blake2b_State, m: array<u32, 32>, end: u32, last: bool) -> blake2b_State {
  let ones = select(0u, 0xffffffffu, last);
  let position = blake64_Row(vec4<u32>(end, 0u, ones, 0u), vec4<u32>(0u, 0u, ones, 0u));
  var s = blake64_Rows(before.a, before.b, ${row(iv.slice(0, 4))}, blake64_xor(${row(iv.slice(4))}, position));
${roundsText(schedule, 'blake64_round', words)}
  return blake2b_State(
    blake64_xor(before.a, blake64_xor(s.a, s.c)),
    blake64_xor(before.b, blake64_xor(s.b, s.d)),
  );
}
`;
