/** Matrix and constants of RPO and RPX. */
import { rescueConstants, rescueMatrix } from '../../src/hash/rescue-prime.ts';
import { circulantRow } from './circulant.ts';
import { partsTable } from './gl-table.ts';

export const wgsl = `
// #import field/goldilocks-powers

struct rescue_Row {
  lanes: array<vec3<u32>, 12>,
}

// Rows 2r and 2r + 1: the constants of round r, in parts.
@group(1) @binding(0) var<storage, read> rescue_constants: array<rescue_Row, 14>;

${circulantRow('rescue_row', rescueMatrix)}
`;

/** Storage of `@group(1)`, in the order of its bindings. */
export const tables: readonly Uint8Array[] = [partsTable(rescueConstants().flat())];
