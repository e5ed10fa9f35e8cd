/**
 * Products by constants, which need almost no reduction: x d = sum over i of x_i D_i with D_i = d 2^(bits i) mod p is
 * only two limbs longer than p. With D_i = d 2^(bits (i + 2)) mod p, two Montgomery steps bring the exact x d.
 */
import { fr } from '../../src/field/bn254.ts';
import { Columns, product, type Term } from '../lib/columns.ts';
import {
  indent,
  type LimbShape,
  limbShape,
  limbsOf,
  maskedLimbs,
  modulusTerms,
  range,
  SHAPE,
} from './bn254.ts';

/** Montgomery steps behind each product. */
const STEPS = 2;

function bodyOf(shape: LimbShape): string[] {
  const { count, bits } = shape;
  const mask = 2n ** BigInt(bits) - 1n;
  const lines: string[] = [];
  const x = maskedLimbs('x', shape, lines);
  const columns = new Columns(bits);
  const digits: Term[] = [];
  const limbs: Term[] = [];
  for (let k = 0; k < count + STEPS; k++) {
    const terms = [
      ...(k < STEPS ? [] : [{ text: `addend[${k - STEPS}]`, max: 2n ** 22n }]),
      ...(k < count
        ? x.map((limb, i) =>
            product(limb, { text: `(fr_constants[row].v[${count * k + i}] & ${mask}u)`, max: mask }),
          )
        : []),
      ...modulusTerms(digits, k, shape),
    ];
    if (k < STEPS) digits.push(columns.cleared(terms));
    else limbs.push(k < count + STEPS - 1 ? columns.limb(terms) : columns.top(terms));
  }
  return [...lines, ...columns.lines, `return fr_Element(${limbs.map(({ text }) => text).join(', ')});`];
}

/** The module for limbs of `bits` bits. A hash declares `fr_CONSTANTS`, how many there are. */
export function constantsWgsl(bits: number): string {
  const shape = limbShape(bits);
  return `
// #import field/bn254

struct fr_Constant {
  v: array<u32, ${shape.count ** 2}>,
}

@group(1) @binding(0) var<storage, read> fr_constants: array<fr_Constant, fr_CONSTANTS>;

fn fr_mul_constant(x: fr_Element, row: u32, addend: fr_Element) -> fr_Element {
${indent(bodyOf(shape))}
}
`;
}

/** The table of one constant: column by column, as the product reads it. */
export function constantTable(d: bigint, shape: LimbShape): number[] {
  const multiples = range(shape.count, (i) =>
    limbsOf(fr.mul(d, 1n << BigInt(shape.bits * (i + STEPS))), shape),
  );
  return range(shape.count, (k) => multiples.map((limbs) => limbs[k]!)).flat();
}

export const wgsl: string = constantsWgsl(SHAPE.bits);
