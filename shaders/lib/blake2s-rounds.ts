/** BLAKE2s's compression. */
import { family } from '../../src/hash/blake2s.ts';
import { literals, roundsText } from './blake-text.ts';

const { schedule, iv, start } = family;
const words = (numbers: readonly number[]): string =>
  `vec4<u32>(${numbers.map((i) => `m[${i}]`).join(', ')})`;

export const wgsl = `
// #import lib/blake32

fn blake2s_init() -> Digest {
  return Digest(${literals(start.slice(0, 4))}, ${literals(start.slice(4))});
}

// Folds a block in. \`end\` counts the message's bytes up to the end of it.
fn blake2s_compress(chaining: Digest, m: array<u32, 16>, end: u32, last: bool) -> Digest {
  let position = vec4<u32>(end, 0u, select(0u, 0xffffffffu, last), 0u);
  var s = blake32_Rows(chaining.low, chaining.high, ${literals(iv.slice(0, 4))}, ${literals(iv.slice(4))} ^ position);
${roundsText(schedule, 'blake32_round', words)}
  let folded = blake32_fold(s);
  return Digest(chaining.low ^ folded.low, chaining.high ^ folded.high);
}
`;
