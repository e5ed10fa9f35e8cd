/**
 * Products by constants, which need almost no reduction: x d = sum over i of x_i D_i with D_i = d 2^(bits i) mod p is
 * only two limbs longer than p. With D_i = d 2^(bits (i + 2)) mod p, two Montgomery steps bring the exact x d.
 */
import {
  ADDEND_LIMB_MAX,
  CONSTANT_COLUMN_MAX,
  CONSTANT_STEPS,
  type LimbShape,
  limbShape,
  SHAPE,
} from '../../src/field/bn254-limbs.ts';
import { Columns, type Term } from '../lib/columns.ts';
import { indent, modulusTerms } from './bn254.ts';

/** Products row by row in a short loop, which drivers unroll and software adapters compile fast; then one pass over the columns. */
function bodyOf(shape: LimbShape): string[] {
  const { count, bits } = shape;
  const mask = 2 ** bits - 1;
  const quads = Math.ceil(count / 4);
  const sum = (k: number): Term => ({ text: `sum${k}`, max: CONSTANT_COLUMN_MAX + ADDEND_LIMB_MAX });
  const lines = ['var limbs = x;'];
  for (let k = 0; k < count; k++) {
    lines.push(`var sum${k} = ${k < CONSTANT_STEPS ? '0u' : `addend[${k - CONSTANT_STEPS}]`};`);
  }
  lines.push('for (var i = 0u; i < fr_LIMBS; i += 1u) {', `  let limb = limbs[i] & ${mask}u;`);
  for (let quad = 0; quad < quads; quad++) {
    lines.push(`  let d${quad} = fr_constants[row].multiples[i][${quad}] & vec4<u32>(${mask}u);`);
  }
  for (let k = 0; k < count; k++) lines.push(`  sum${k} += limb * d${k >> 2}.${'xyzw'[k % 4]};`);
  lines.push('}');

  const columns = new Columns(bits);
  const digits: Term[] = [];
  const limbs: string[] = [];
  for (let k = 0; k < count + CONSTANT_STEPS; k++) {
    const addend = { text: `addend[${k - CONSTANT_STEPS}]`, max: ADDEND_LIMB_MAX };
    const terms = [k < count ? sum(k) : addend, ...modulusTerms(digits, k, shape)];
    if (k < CONSTANT_STEPS) digits.push(columns.cleared(terms));
    else limbs.push(k < count + CONSTANT_STEPS - 1 ? columns.limb(terms) : columns.top(terms));
  }
  return [...lines, ...columns.lines, `return fr_Element(${limbs.join(', ')});`];
}

/** The module for limbs of `bits` bits. A hash declares `fr_CONSTANTS`, how many there are. */
export function constantsWgsl(bits: number): string {
  const shape = limbShape(bits);
  return `
// #import field/bn254

struct fr_Constant {
  multiples: array<array<vec4<u32>, ${Math.ceil(shape.count / 4)}>, ${shape.count}>,
}

@group(1) @binding(0) var<storage, read> fr_constants: array<fr_Constant, fr_CONSTANTS>;

fn fr_mul_constant(x: fr_Element, row: u32, addend: fr_Element) -> fr_Element {
${indent(bodyOf(shape))}
}
`;
}

export const wgsl: string = constantsWgsl(SHAPE.bits);
