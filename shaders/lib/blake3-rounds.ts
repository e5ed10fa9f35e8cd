/** BLAKE3's compression. */
import { flags, iv, schedule } from '../../src/hash/blake3.ts';
import { literals, roundsText } from './blake-text.ts';

const words = (numbers: readonly number[]): string =>
  `vec4<u32>(${numbers.map((i) => `m[${i}]`).join(', ')})`;

export const wgsl = `
// #import lib/blake32

const blake3_CHUNK_START = ${flags.chunkStart}u;
const blake3_CHUNK_END = ${flags.chunkEnd}u;
const blake3_PARENT = ${flags.parent}u;
const blake3_ROOT = ${flags.root}u;

fn blake3_init() -> Digest {
  return Digest(${literals(iv.slice(0, 4))}, ${literals(iv.slice(4))});
}

// Chunks are counted in 32 bits: a message here is shorter than 2^32 bytes.
fn blake3_compress(chaining: Digest, m: array<u32, 16>, counter: u32, length: u32, flags: u32) -> Digest {
  var s = blake32_Rows(chaining.low, chaining.high, blake3_init().low, vec4<u32>(counter, 0u, length, flags));
${roundsText(schedule, 'blake32_round', words)}
  return blake32_fold(s);
}
`;
