/** Plonky2's Poseidon: matrix, constants and rounds. */
import { poseidonConstants, poseidonMatrix } from '../../src/hash/poseidon-plonky2.ts';
import { circulantRow, circulantRows } from './circulant.ts';
import { onParts, stateModule } from './gl-state.ts';
import { partsTable } from './gl-table.ts';

export const wgsl = `
${stateModule(12, 3)}

struct poseidon_Row {
  lanes: array<vec3<u32>, 12>,
}

// The constants of round r, in parts.
@group(1) @binding(0) var<storage, read> poseidon_constants: array<poseidon_Row, 30>;

${circulantRow('poseidon_row', poseidonMatrix)}
${circulantRows('poseidon_rows', 'poseidon_row', 12)}
${onParts('poseidon_circulant', 'poseidon_rows', 12)}

// The matrix is a circulant, and 8 more in its first place.
fn poseidon_multiply(s: state_Parts) -> state_Parts {
  var product = poseidon_circulant(s);
  product[0] += s[0] << vec3<u32>(3u);
  return product;
}

fn sponge_permute(before: state_Parts) -> state_Parts {
  var s = before;
  for (var round = 0u; round < 30u; round += 1u) {
    s = state_add(s, poseidon_constants[round].lanes);
    if (round < 4u || round >= 26u) {
      s = state_power(s, false);
    } else {
      s = state_carry(s);
      s[0] = gl_to_parts(gl_pow7(gl_from_parts(s[0])));
    }
    s = poseidon_multiply(s);
  }
  return state_carry(s);
}
`;

/** Storage of `@group(1)`, in the order of its bindings. */
export const tables: readonly Uint8Array[] = [partsTable(poseidonConstants().flat())];
