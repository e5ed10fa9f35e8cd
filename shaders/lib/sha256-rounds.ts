/**
 * The parts of SHA-256 that repeat or are derived: sixteen rounds, sixteen words of the schedule, and the constants.
 *
 * Written out, because an index known at compile time keeps a word in a register: with a running index drivers move
 * the schedule to memory or choose among sixteen registers at each step.
 */
import { initialState, messageSchedule, roundConstants } from '../../src/hash/sha256.ts';

const repeat = (line: (t: number) => string): string =>
  Array.from({ length: 16 }, (_, t) => `  ${line(t)}`).join('\n');
const word = (t: number): string => `w[${t % 16}]`;

export const wgsl = `
struct sha256_Sixteen {
  k: array<u32, 16>,
}

// Rows 0 to 3: the round constants. Rows 4 to 7: the same with the words of the second block of a 64-byte message,
// which is all padding, already added.
@group(1) @binding(0) var<storage, read> sha256_constants: array<sha256_Sixteen, 8>;

fn sha256_init() -> sha256_State {
  return sha256_State(${Array.from(initialState, (word) => `${word}u`).join(', ')});
}

fn sha256_rounds(before: sha256_State, w: array<u32, 16>, row: u32) -> sha256_State {
  var s = before;
${repeat((t) => `s = sha256_round(s, ${word(t)} + sha256_constants[row].k[${t}]);`)}
  return s;
}

// The next sixteen words of the schedule.
fn sha256_expand(block: array<u32, 16>) -> array<u32, 16> {
  var w = block;
${repeat((t) => `${word(t)} += sha256_sigma0(${word(t + 1)}) + ${word(t + 9)} + sha256_sigma1(${word(t + 14)});`)}
  return w;
}
`;

/** The second block of a 64-byte message: one 0x80, zeros, the length in bits. */
const padding = messageSchedule([0x80000000, ...Array<number>(14).fill(0), 512]);

const constants = new Uint32Array(128);
constants.set(roundConstants);
constants.set(
  roundConstants.map((k, t) => k + padding[t]!),
  64,
);

/** Storage of `@group(1)`, in the order of its bindings. */
export const tables: readonly Uint8Array[] = [new Uint8Array(constants.buffer)];
