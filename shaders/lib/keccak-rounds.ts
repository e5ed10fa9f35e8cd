/**
 * Keccak-f[1600] over lanes of 64 bits in halves.
 *
 * Four rounds a turn: with one, an eighth of a turn's instructions would only move the new state to the place of the
 * old; with more, the loop would outgrow small instruction caches.
 */
import { laneMoves, roundConstants } from '../../src/hash/keccak.ts';

const ROUNDS_A_TURN = 4;
const COLUMNS = [0, 1, 2, 3, 4];

const rotated = (text: string, bits: number): string =>
  bits < 32 ? `keccak_rotate(${text}, ${bits}u)` : `keccak_rotate((${text}).yx, ${bits - 32}u)`;

/** Statements that make lanes `to` from lanes `from`; `t` keeps the names of the rounds of a turn apart. */
function roundText(from: string, to: string, t: number): string {
  const lines = COLUMNS.map(
    (x) => `let c${t}${x} = ${[0, 5, 10, 15, 20].map((y) => from + (x + y)).join(' ^ ')};`,
  );
  for (const x of COLUMNS) {
    lines.push(`let d${t}${x} = c${t}${(x + 4) % 5} ^ ${rotated(`c${t}${(x + 1) % 5}`, 1)};`);
  }
  const moves = [{ from: 0, to: 0, bits: 0 }, ...laneMoves];
  for (const move of moves) {
    const lane = `${from}${move.from} ^ d${t}${move.from % 5}`;
    lines.push(`let b${t}_${move.to} = ${move.bits ? rotated(lane, move.bits) : lane};`);
  }
  for (let i = 0; i < 25; i++) {
    const [here, next, third] = [0, 1, 2].map((by) => `b${t}_${i - (i % 5) + ((i + by) % 5)}`);
    // (next | third) ^ next is third & ~next, which takes an instruction more.
    const iota = i === 0 ? ` ^ keccak_constants[${ROUNDS_A_TURN}u * turn + ${t}u]` : '';
    lines.push(`${to}${i} = ${here} ^ (${next} | ${third}) ^ ${next}${iota};`);
  }
  return lines.map((line) => `    ${line}`).join('\n');
}

const each = (line: (i: number) => string): string =>
  Array.from({ length: 25 }, (_, i) => line(i)).join('\n');

export const wgsl = `
alias keccak_State = array<vec2<u32>, 25>;

@group(1) @binding(0) var<storage, read> keccak_constants: array<vec2<u32>, ${roundConstants.length}>;

// To the left by 1 to 31.
fn keccak_rotate(x: vec2<u32>, n: u32) -> vec2<u32> {
  return (x << vec2<u32>(n)) | (x.yx >> vec2<u32>(32u - n));
}

fn keccak_permute(before: keccak_State) -> keccak_State {
${each((i) => `  var a${i} = before[${i}];`)}
  for (var turn = 0u; turn < ${roundConstants.length / ROUNDS_A_TURN}u; turn += 1u) {
${Array.from({ length: ROUNDS_A_TURN }, (_, t) => roundText('a', 'a', t)).join('\n')}
  }
  return keccak_State(${Array.from({ length: 25 }, (_, i) => `a${i}`).join(', ')});
}
`;

/** Storage of `@group(1)`: the round constants, low half first. */
export const tables: readonly Uint8Array[] = [new Uint8Array(BigUint64Array.from(roundConstants).buffer)];
