/**
 * WGSL of the BN254 scalar field p: elements as limbs of equal width in registers, products in Montgomery form.
 *
 * Ranges. R = 2^(limb bits x limbs) is at least 2^260 > 84 p, so values need no reduction between products:
 * - every routine takes operands of any limbs' low bits (it masks them: compilers then prove 24-bit factors)
 *   and of any value below R;
 * - `fr_mul`, `fr_square`: a b / R + p, below R when a b < R (R - p); operands up to 9 p give less than 2 p;
 * - `fr_carry`: the same value, which must be below R, as limbs of their width; takes limbs below 2^31;
 * - `fr_canonical`: takes less than 2 p;
 * - `fr_to_digest`: takes a canonical element.
 */
import { fr } from '../../src/field/bn254.ts';
import { Columns, product, type Term } from '../lib/columns.ts';

/** How an element is cut into limbs. */
export interface LimbShape {
  readonly bits: number;
  readonly count: number;
}

/** The shape for limbs of 12 to 15 bits: enough of them for 260 bits. */
export function limbShape(bits: number): LimbShape {
  return { bits, count: Math.ceil(260 / bits) };
}

/** The shape that ships. */
export const SHAPE: LimbShape = limbShape(13);

export const range = <T>(count: number, item: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
export const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

/** Limbs of a non-negative integer, lowest first. */
export function limbsOf(value: bigint, { bits, count }: LimbShape): number[] {
  const mask = (1n << BigInt(bits)) - 1n;
  return range(count, (i) => Number((value >> BigInt(bits * i)) & mask));
}

/** The masked limbs of a parameter, declared as `name0`, `name1`, … */
export function maskedLimbs(name: string, { bits, count }: LimbShape, lines: string[]): Term[] {
  const mask = 2 ** bits - 1;
  return range(count, (i) => {
    lines.push(`let ${name}${i} = ${name}[${i}] & ${mask}u;`);
    return { text: `${name}${i}`, max: BigInt(mask) };
  });
}

/** Products of a digit with the limbs of the modulus that fall on column `k`; the lowest limb, 1, is cleared apart. */
export function modulusTerms(digits: readonly Term[], k: number, shape: LimbShape): Term[] {
  return limbsOf(fr.modulus, shape).flatMap((limb, j) => {
    const digit = digits[k - j];
    return j > 0 && limb > 0 && digit ? [product(digit, { text: `${limb}u`, max: BigInt(limb) })] : [];
  });
}

/** Column scanning: `terms(k)` are the products on column k of a number below R^2; the result is that over R. */
function montgomery(terms: (k: number) => Term[], shape: LimbShape): string[] {
  const columns = new Columns(shape.bits);
  const digits: Term[] = [];
  for (let k = 0; k < shape.count; k++) {
    digits.push(columns.cleared([...terms(k), ...modulusTerms(digits, k, shape)]));
  }
  const limbs = range(shape.count, (i) => {
    const k = shape.count + i;
    const all = [...terms(k), ...modulusTerms(digits, k, shape)];
    return i < shape.count - 1 ? columns.limb(all) : columns.top(all);
  });
  return [...columns.lines, `return fr_Element(${limbs.map(({ text }) => text).join(', ')});`];
}

function mulBody(shape: LimbShape): string[] {
  const lines: string[] = [];
  const a = maskedLimbs('a', shape, lines);
  const b = maskedLimbs('b', shape, lines);
  const terms = (k: number): Term[] => a.flatMap((limb, i) => (b[k - i] ? [product(limb, b[k - i]!)] : []));
  return [...lines, ...montgomery(terms, shape)];
}

function squareBody(shape: LimbShape): string[] {
  const lines: string[] = [];
  const a = maskedLimbs('a', shape, lines);
  // Masked again: the range of a plain double is not always proved.
  const twice = a.map(({ text, max }, i): Term => {
    lines.push(`let d${i} = (${text} << 1u) & ${2n * max}u;`);
    return { text: `d${i}`, max: 2n * max };
  });
  const terms = (k: number): Term[] =>
    a.flatMap((limb, i) => {
      const j = k - i;
      if (j < i || !a[j]) return [];
      return [product(limb, i === j ? limb : twice[j]!)];
    });
  return [...lines, ...montgomery(terms, shape)];
}

/** Bits `at` to `at + bits` of a number in 32-bit words, named by `word`. */
function bitsOf(word: (i: number) => string, words: number, at: number, bits: number): string {
  const i = Math.floor(at / 32);
  const shift = at % 32;
  const low = shift ? `(${word(i)} >> ${shift}u)` : word(i);
  if (shift + bits <= 32 || i + 1 >= words) return low;
  return `(${low} | (${word(i + 1)} << ${32 - shift}u))`;
}

function fromDigestBody({ bits, count }: LimbShape): string[] {
  return [
    ...range(8, (i) => `let w${i} = bytes_swap(d.${i < 4 ? 'high' : 'low'}.${'wzyx'[i % 4]});`),
    `return fr_Element(${range(count, (k) => `${bitsOf((i) => `w${i}`, 8, bits * k, bits)} & ${2 ** bits - 1}u`).join(', ')});`,
  ];
}

function toDigestBody({ bits, count }: LimbShape): string[] {
  const word = (w: number): string =>
    range(count, (k) => {
      const shift = bits * k - 32 * w;
      if (shift >= 32 || shift + bits <= 0) return '';
      return shift < 0 ? `(x[${k}] >> ${-shift}u)` : `(x[${k}] << ${shift}u)`;
    })
      .filter(Boolean)
      .join(' | ');
  return [
    ...range(8, (w) => `let w${w} = bytes_swap(${word(w)});`),
    'return Digest(vec4<u32>(w7, w6, w5, w4), vec4<u32>(w3, w2, w1, w0));',
  ];
}

/** `name[i]` plus a literal in each limb, carried through; the lines and the limbs. */
function carried(name: string, addend: readonly number[], { bits, count }: LimbShape): [string[], string[]] {
  const mask = 2 ** bits - 1;
  const lines = range(count, (i) => {
    const parts = [`${name}[${i}]`, addend[i] ? `${addend[i]}u` : '', i ? `(s${i - 1} >> ${bits}u)` : ''];
    return `let s${i} = ${parts.filter(Boolean).join(' + ')};`;
  });
  return [lines, range(count, (i) => `s${i} & ${mask}u`)];
}

function carryBody(shape: LimbShape): string[] {
  const [lines, limbs] = carried('x', [], shape);
  return [...lines, `return fr_Element(${limbs.join(', ')});`];
}

/**
 * x - h p for h just below x / p, as x + h (R - p): the multiple of R is above all limbs and vanishes when they are
 * masked. No carries: h comes from the highest limb alone.
 */
function foldBody(shape: LimbShape): string[] {
  const top = shape.count - 1;
  const shift = 16;
  const quotient = (1n << BigInt(shape.bits * top + shift)) / fr.modulus;
  const complement = limbsOf((1n << BigInt(shape.bits * shape.count)) - fr.modulus, shape);
  return [
    `let h = ((x[${top}] & 0xffffu) * ${quotient}u) >> ${shift}u;`,
    `return fr_Element(${complement.map((limb, i) => `x[${i}] + h * ${limb}u`).join(', ')});`,
  ];
}

/** x - p as x + (R - p): it did not borrow when the sum reaches R. */
function canonicalBody(shape: LimbShape): string[] {
  const complement = limbsOf((1n << BigInt(shape.bits * shape.count)) - fr.modulus, shape);
  const [lines, limbs] = carried('x', complement, shape);
  return [
    ...lines,
    `let above = (s${shape.count - 1} >> ${shape.bits}u) > 0u;`,
    `return fr_Element(${limbs.map((limb, i) => `select(x[${i}], ${limb}, above)`).join(', ')});`,
  ];
}

/** The module for limbs of `bits` bits. */
export function fieldWgsl(bits: number): string {
  const shape = limbShape(bits);
  return `
// #import lib/bytes
// #import lib/digest

alias fr_Element = array<u32, ${shape.count}>;

const fr_LIMBS = ${shape.count}u;

fn fr_mul(a: fr_Element, b: fr_Element) -> fr_Element {
${indent(mulBody(shape))}
}

fn fr_square(a: fr_Element) -> fr_Element {
${indent(squareBody(shape))}
}

fn fr_carry(x: fr_Element) -> fr_Element {
${indent(carryBody(shape))}
}

fn fr_fold(x: fr_Element) -> fr_Element {
${indent(foldBody(shape))}
}

fn fr_canonical(x: fr_Element) -> fr_Element {
${indent(canonicalBody(shape))}
}

fn fr_from_digest(d: Digest) -> fr_Element {
${indent(fromDigestBody(shape))}
}

fn fr_to_digest(x: fr_Element) -> Digest {
${indent(toDigestBody(shape))}
}
`;
}

export const wgsl: string = fieldWgsl(SHAPE.bits);
