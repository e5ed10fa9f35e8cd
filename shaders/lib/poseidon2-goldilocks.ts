/** Poseidon2 of one invocation, for any of Plonky3's widths. */
import {
  type Poseidon2Width,
  poseidon2Constants,
  poseidon2Diagonals,
  type SmallFraction,
} from '../../src/hash/poseidon2-goldilocks.ts';
import { stateModule } from './gl-state.ts';
import { partsTable } from './gl-table.ts';

/** A multiple of the modulus with each part near 2^26: what is subtracted from it leaves the parts positive. */
function biasParts(): readonly number[] {
  const value = 0xffffffff00000001n << 5n;
  const [x, y, z] = [value & 0x3fffffn, (value >> 22n) & 0x1fffffn, value >> 43n];
  return [x + (16n << 22n), y + (32n << 21n) - 16n, z - 32n].map(Number);
}

/** A lane's sum with its own multiple: `all + d * s[i]`. */
function diagonalTerm([numerator, shift]: SmallFraction, i: number): string {
  const part = shift ? `poseidon2_halve(s[${i}], ${shift}u)` : `s[${i}]`;
  const factor = Math.abs(numerator);
  const multiple =
    factor === 3 ? `(${part} << vec3<u32>(1u)) + ${part}` : `(${part} << vec3<u32>(${Math.log2(factor)}u))`;
  return `all ${numerator < 0 ? '-' : '+'} ${factor === 1 ? part : `(${multiple})`}`;
}

const lines = (width: number, line: (i: number) => string): string =>
  Array.from({ length: width }, (_, i) => line(i)).join('\n');
const sum = (indices: readonly number[], term: (i: number) => string): string =>
  indices.map(term).join(' + ');

function externalLayer(width: Poseidon2Width): string {
  const lanes = Array.from({ length: width }, (_, i) => i);
  return `
// The block of the external matrix: rows (2, 3, 1, 1) and its rotations.
fn poseidon2_block(a: vec3<u32>, b: vec3<u32>, c: vec3<u32>, d: vec3<u32>) -> array<vec3<u32>, 4> {
  let one = vec3<u32>(1u);
  let ab = a + b;
  let cd = c + d;
  let all = ab + cd;
  return array<vec3<u32>, 4>(all + ab + b, all + (c << one) + b, all + cd + d, all + (a << one) + d);
}

fn poseidon2_external(s: state_Parts) -> state_Parts {
${lines(width / 4, (k) => `  let b${k} = poseidon2_block(s[${4 * k}], s[${4 * k + 1}], s[${4 * k + 2}], s[${4 * k + 3}]);`)}
${lines(4, (j) => `  let c${j} = ${sum(lanes.slice(0, width / 4), (k) => `b${k}[${j}]`)};`)}
  return state_Parts(
${lines(width, (i) => `    b${Math.floor(i / 4)}[${i % 4}] + c${i % 4},`)}
  );
}
`;
}

function internalLayer(width: Poseidon2Width): string {
  const lanes = Array.from({ length: width }, (_, i) => i);
  return `
// s / 2^k for k up to 3. What falls out below is worth 2^-k = 2^(32 - k) - 2^(64 - k).
fn poseidon2_halve(s: vec3<u32>, k: u32) -> vec3<u32> {
  let mask = (1u << k) - 1u;
  let out = s.x & mask;
  return vec3<u32>(
    (s.x >> k) + ((s.y & mask) << (22u - k)),
    (s.y >> k) + ((s.z & mask) << (21u - k)) + (out << (10u - k)),
    (s.z >> k) - (out << (21u - k)),
  );
}

// All ones and a diagonal of small fractions. Parts below 2^22 go in, below 2^29 come out.
fn poseidon2_internal(s: state_Parts) -> state_Parts {
  let all = vec3<u32>(${biasParts()
    .map((part) => `${part}u`)
    .join(', ')}) + ${sum(lanes, (i) => `s[${i}]`)};
  return state_Parts(
${lines(width, (i) => `    ${diagonalTerm(poseidon2Diagonals[width][i]!, i)},`)}
  );
}
`;
}

/** The type `state_Parts` and `sponge_permute`, which needs the table of {@link poseidon2Table}. */
export function poseidon2Module(width: Poseidon2Width): string {
  return `
${stateModule(width, width / 4)}

struct poseidon2_Row {
  lanes: array<vec3<u32>, ${width}>,
}

// The constants of round r, in parts; zeros where a round has only one.
@group(1) @binding(0) var<storage, read> poseidon2_constants: array<poseidon2_Row, 30>;
${externalLayer(width)}
${internalLayer(width)}
fn sponge_permute(before: state_Parts) -> state_Parts {
  var s = poseidon2_external(before);
  for (var round = 0u; round < 30u; round += 1u) {
    if (round < 4u || round >= 26u) {
      s = state_power(state_add(s, poseidon2_constants[round].lanes), false);
      s = poseidon2_external(s);
    } else {
      s = state_carry(s);
      s[0] = gl_to_parts(gl_pow7(gl_from_parts(s[0] + poseidon2_constants[round].lanes[0])));
      s = poseidon2_internal(s);
    }
  }
  return s;
}
`;
}

/** Constants as the kernel reads them: one row for each round. */
export function poseidon2Table(width: Poseidon2Width): Uint8Array {
  const rows = poseidon2Constants(width).map((row) => [
    ...row,
    ...Array<bigint>(width - row.length).fill(0n),
  ]);
  return partsTable(rows.flat());
}
