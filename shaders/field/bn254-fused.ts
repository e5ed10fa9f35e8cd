/**
 * BN254 operations that a sum of points does at once, with one reduction or one pass of carries:
 *
 * - `fr_mul_sub`: (a b - x y) / R, up to a multiple of p, for x up to 15 p; factors up to 18 p give less than 2 p;
 * - `fr_sub_twice`: a - b - 2 c + 8 p, for b and c up to 2 p;
 * - `fr_signed_sub`: a - b, or -a - b where `negative`, plus 16 p; for a and b up to 7 p each.
 *
 * All take limbs of any low bits, as `field/bn254` does.
 */
import { type LimbShape, SHAPE } from '../../src/field/bn254-limbs.ts';
import { product, type Term } from '../lib/columns.ts';
import {
  carryLines,
  indent,
  lendingLimbs,
  maskedLimbs,
  montgomery,
  range,
  SUBTRAHEND_MULTIPLE,
} from './bn254.ts';

/** What `fr_sub_twice` adds, in p. */
const TWICE_MULTIPLE = 8n;

const sums = ({ count }: LimbShape): string =>
  `return fr_Element(${range(count, (i) => `s${i}`).join(', ')});`;

function mulSubBody(shape: LimbShape): string[] {
  const lines: string[] = [];
  const [a, b, x, y] = ['a', 'b', 'x', 'y'].map((name) => maskedLimbs(name, shape, lines)) as Term[][];
  const negated = lendingLimbs(SUBTRAHEND_MULTIPLE, shape).map((limb, i): Term => {
    // Masked, because the range of a difference is not proved.
    lines.push(`let n${i} = (${limb}u - ${x![i]!.text}) & ${2 * 2 ** shape.bits - 1}u;`);
    return { text: `n${i}`, max: BigInt(limb) };
  });
  const terms = (k: number): Term[] =>
    range(shape.count, (i) => i).flatMap((i) =>
      b![k - i] ? [product(a![i]!, b![k - i]!), product(negated[i]!, y![k - i]!)] : [],
    );
  return [...lines, ...montgomery(terms, shape)];
}

function subTwiceBody(shape: LimbShape): string[] {
  const lines: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => maskedLimbs(name, shape, lines)) as Term[][];
  const lent = lendingLimbs(TWICE_MULTIPLE, shape, 3);
  const limb = (i: number): string =>
    `((${a![i]!.text} + ${lent[i]}u) - ${b![i]!.text}) - (${c![i]!.text} << 1u)`;
  return [...lines, ...carryLines(limb, [], shape), sums(shape)];
}

/** Not a, all its bits flipped, is -a - 1: two limbs may be taken away then, none but b's otherwise. */
function signedSubBody(shape: LimbShape): string[] {
  const lines = ['let flip = select(0u, 0xffffffffu, negative);', 'let one = flip & 1u;'];
  const [a, b] = ['a', 'b'].map((name) => maskedLimbs(name, shape, lines)) as Term[][];
  const lent = lendingLimbs(SUBTRAHEND_MULTIPLE, shape, 2);
  const limb = (i: number): string => `(((${a![i]!.text} ^ flip) + one) + ${lent[i]}u) - ${b![i]!.text}`;
  return [...lines, ...carryLines(limb, [], shape), sums(shape)];
}

export const wgsl: string = `
// #import field/bn254

fn fr_mul_sub(a: fr_Element, b: fr_Element, x: fr_Element, y: fr_Element) -> fr_Element {
${indent(mulSubBody(SHAPE))}
}

fn fr_sub_twice(a: fr_Element, b: fr_Element, c: fr_Element) -> fr_Element {
${indent(subTwiceBody(SHAPE))}
}

fn fr_signed_sub(a: fr_Element, b: fr_Element, negative: bool) -> fr_Element {
${indent(signedSubBody(SHAPE))}
}
`;
