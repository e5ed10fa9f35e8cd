/**
 * WGSL of the BN254 scalar field p: elements as limbs of equal width in registers, products in Montgomery form.
 *
 * Ranges. R = 2^(limb bits x limbs) is at least 2^260 > 84 p, so values need no reduction between products:
 * - every routine takes operands of any limbs' low bits (it masks them: compilers then prove 24-bit factors)
 *   and of any value below R;
 * - `fr_mul`, `fr_square`: a b / R + p, below R when a b < R (R - p); operands up to 9 p give less than 2 p;
 * - `fr_add`: the sum; `fr_sub`: a - b + 16 p for b up to 15 p; both below R;
 * - `fr_fold`: takes limbs that count in full, below 2^21; x modulo p, and below p and as much as the carries of the
 *   limbs below the highest one may be; its limbs are not carried;
 * - `fr_low`: the bits of each limb that count;
 * - `fr_carry`: the same value, which must be below R, as limbs of their width; takes limbs below 2^31;
 * - `fr_canonical`: takes less than 2 p;
 * - `fr_to_digest`: takes a canonical element; `fr_pack` does too, to words in their own order, lowest first: the form of
 *   tables, which `fr_unpack` reads.
 */
import { fr } from '../../src/field/bn254.ts';
import { type LimbShape, limbShape, limbsOf, radix, SHAPE } from '../../src/field/bn254-limbs.ts';
import { Columns, product, type Term } from '../lib/columns.ts';

export const range = <T>(count: number, item: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
export const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

/** What `fr_sub` adds, in p. */
export const SUBTRAHEND_MULTIPLE = 16n;

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
export function montgomery(terms: (k: number) => Term[], shape: LimbShape): string[] {
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
  return [...columns.lines, `return fr_Element(${limbs.join(', ')});`];
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
    if (i) lines.push(`let d${i} = (${text} << 1u) & ${2n * max}u;`);
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

function fromWordsBody({ bits, count }: LimbShape, word: (i: number) => string): string[] {
  return [
    ...range(8, (i) => `let w${i} = ${word(i)};`),
    `return fr_Element(${range(count, (k) => `${bitsOf((i) => `w${i}`, 8, bits * k, bits)} & ${2 ** bits - 1}u`).join(', ')});`,
  ];
}

function toWordsBody(shape: LimbShape, order: (word: string) => string): string[] {
  const { bits, count } = shape;
  const lines: string[] = [];
  maskedLimbs('x', shape, lines);
  const word = (w: number): string =>
    range(count, (k) => {
      const shift = bits * k - 32 * w;
      if (shift >= 32 || shift + bits <= 0) return '';
      return shift < 0 ? `(x${k} >> ${-shift}u)` : `(x${k} << ${shift}u)`;
    })
      .filter(Boolean)
      .join(' | ');
  return [...lines, ...range(8, (w) => `let w${w} = ${order(word(w))};`)];
}

const digestWord = (i: number): string => `bytes_swap(d.${i < 4 ? 'high' : 'low'}.${'wzyx'[i % 4]})`;
const packedWord = (i: number): string => `d.${i < 4 ? 'low' : 'high'}.${'xyzw'[i % 4]}`;

/** Lines that add a literal to each limb and carry: limb i of the sum is the low bits of `s<i>`. */
export function carryLines(
  limb: (i: number) => string,
  addend: readonly number[],
  { bits, count }: LimbShape,
): string[] {
  return range(count, (i) => {
    const parts = [limb(i), addend[i] ? `${addend[i]}u` : '', i ? `(s${i - 1} >> ${bits}u)` : ''];
    return `let s${i} = ${parts.filter(Boolean).join(' + ')};`;
  });
}

/** Limb by limb sums or differences, carried. */
function combinedBody(operator: '+' | '-', addend: readonly number[], shape: LimbShape): string[] {
  const lines: string[] = [];
  const a = maskedLimbs('a', shape, lines);
  const b = maskedLimbs('b', shape, lines);
  const sums = range(shape.count, (i) => `s${i}`);
  // A difference stays positive from left to right: what is added comes before what is taken away.
  const limb = (i: number): string =>
    operator === '+' ? `${a[i]!.text} + ${b[i]!.text}` : `(${a[i]!.text} + ${addend[i]}u) - ${b[i]!.text}`;
  return [...lines, ...carryLines(limb, [], shape), `return fr_Element(${sums.join(', ')});`];
}

/** `multiple` times p in limbs that each exceed the `taken` limbs taken away from them; the highest one lends. */
export function lendingLimbs(multiple: bigint, shape: LimbShape, taken = 1): number[] {
  const limbs = limbsOf(multiple * fr.modulus, shape);
  const unit = taken * 2 ** shape.bits;
  return limbs.map((limb, i) => {
    if (i === 0) return limb + unit;
    return i < limbs.length - 1 ? limb + unit - taken : limb - taken;
  });
}

function carryBody(shape: LimbShape): string[] {
  const sums = range(shape.count, (i) => `s${i}`);
  return [...carryLines((i) => `x[${i}]`, [], shape), `return fr_Element(${sums.join(', ')});`];
}

function lowBody({ bits, count }: LimbShape): string[] {
  return [`return fr_Element(${range(count, (i) => `x[${i}] & ${2 ** bits - 1}u`).join(', ')});`];
}

/** R - p, which takes p away when the multiple of R above all limbs is masked off. */
const complementOf = (shape: LimbShape): number[] => limbsOf(radix(shape) - fr.modulus, shape);

/** x - h p for an h just below x / p. No carries: h comes from the highest limb alone. */
function foldBody(shape: LimbShape): string[] {
  const top = shape.count - 1;
  const shift = 16;
  const quotient = (1n << BigInt(shape.bits * top + shift)) / fr.modulus;
  return [
    `let h = ((x[${top}] & 0xffffu) * ${quotient}u) >> ${shift}u;`,
    `return fr_Element(${complementOf(shape)
      .map((limb, i) => `x[${i}] + h * ${limb}u`)
      .join(', ')});`,
  ];
}

/** x - p, unless it borrows. */
function canonicalBody(shape: LimbShape): string[] {
  const lines: string[] = [];
  const x = maskedLimbs('x', shape, lines);
  return [
    ...lines,
    ...carryLines((i) => x[i]!.text, complementOf(shape), shape),
    `let above = (s${shape.count - 1} >> ${shape.bits}u) > 0u;`,
    `return fr_Element(${x.map(({ text }, i) => `select(${text}, s${i}, above)`).join(', ')});`,
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

// The bits of a limb that count: whoever reads limbs masks them.
const fr_MASK = ${2 ** bits - 1}u;

fn fr_mul(a: fr_Element, b: fr_Element) -> fr_Element {
${indent(mulBody(shape))}
}

fn fr_square(a: fr_Element) -> fr_Element {
${indent(squareBody(shape))}
}

fn fr_add(a: fr_Element, b: fr_Element) -> fr_Element {
${indent(combinedBody('+', [], shape))}
}

fn fr_sub(a: fr_Element, b: fr_Element) -> fr_Element {
${indent(combinedBody('-', lendingLimbs(SUBTRAHEND_MULTIPLE, shape), shape))}
}

fn fr_low(x: fr_Element) -> fr_Element {
${indent(lowBody(shape))}
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
${indent(fromWordsBody(shape, digestWord))}
}

fn fr_to_digest(x: fr_Element) -> Digest {
${indent(toWordsBody(shape, (word) => `bytes_swap(${word})`))}
  return Digest(vec4<u32>(w7, w6, w5, w4), vec4<u32>(w3, w2, w1, w0));
}

fn fr_unpack(d: Digest) -> fr_Element {
${indent(fromWordsBody(shape, packedWord))}
}

fn fr_pack(x: fr_Element) -> Digest {
${indent(toWordsBody(shape, (word) => word))}
  return Digest(vec4<u32>(w0, w1, w2, w3), vec4<u32>(w4, w5, w6, w7));
}
`;
}

export const wgsl: string = fieldWgsl(SHAPE.bits);
