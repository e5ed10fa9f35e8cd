/**
 * Quotients in the BN254 scalar field, by Bernstein's and Yang's division steps: an eighth of what a power costs.
 *
 * A batch makes as many steps as a limb has bits on the low words of f and g alone, and then applies their matrix to
 * f and g, which lose a limb, and modulo p to d and e. Steps run in scaled form: f doubles where g would halve, so that
 * f and the row of its matrix, both entries in one word, follow the same rule.
 *
 * - `fr_divide`: a / b for a carried a up to 20 p and a b below 2 p; 0 for b = 0; below 128 p. Of numbers in Montgomery
 *   form it is the quotient out of it;
 * - `fr_inverse`: 1 / x, both in Montgomery form, of what `fr_divide` takes;
 * - `fr_reduce`: the canonical form of any value below R;
 * - `fr_is_zero`: whether a carried value is a multiple of p.
 */
import { fr } from '../../src/field/bn254.ts';
import { type LimbShape, limbsOf, radix, SHAPE } from '../../src/field/bn254-limbs.ts';
import { indent, lendingLimbs, range } from './bn254.ts';

/** Division steps that end with g = 0 whatever the 254 bits of it, when delta starts at a half. */
const STEPS = Math.floor((45907 * 254 + 26313) / 19929);

/** What the result gains, in p: d grows by one p a batch at most, and ends positive or negative. */
const RESULT_MULTIPLE = 64n;

const element = (limbs: readonly number[]): string =>
  `fr_Element(${limbs.map((limb) => `${limb}u`).join(', ')})`;

/** The limbs of a number in two's complement; the highest carries the sign and is not masked. */
function signedLimbs(name: string, { bits, count }: LimbShape): string[] {
  return range(count, (i) =>
    i < count - 1
      ? `let ${name}${i} = ${name}[${i}] & ${2 ** bits - 1}u;`
      : `let ${name}${i} = ${name}[${i}];`,
  );
}

/**
 * Both rows of the matrix times (a, b), over 2^bits. Its entries are between plus and minus 2^bits; products take them
 * with 2^bits added, so that both factors are positive and short, and lose the sum of the limbs one column later.
 */
function applyLines(
  a: string,
  b: string,
  modulus: readonly number[] | undefined,
  shape: LimbShape,
): string[] {
  const { bits, count } = shape;
  const mask = 2 ** bits - 1;
  const rows = ['f', 'g'] as const;
  const out = { f: [] as string[], g: [] as string[] };
  const lines = [...signedLimbs(a, shape), ...signedLimbs(b, shape)];
  for (let i = 0; i < count; i++) lines.push(`let s${a}${i} = i32(${a}${i} + ${b}${i});`);
  for (let i = 0; i <= count; i++) {
    for (const row of rows) {
      const sum = `${a}${row}${i}`;
      const parts = i < count ? [`i32(u${row} * ${a}${i} + v${row} * ${b}${i}`] : [];
      if (i < count && modulus?.[i] && i > 0) parts[0] += ` + m${a}${row} * ${modulus[i]}u`;
      if (i < count) parts[0] += ')';
      if (i) parts.push(`(${a}${row}${i - 1} >> ${bits}u)`);
      const taken = i ? ` - s${a}${i - 1}` : '';
      lines.push(`let ${sum}${i || !modulus ? '' : 'x'} = ${parts.join(' + ')}${taken};`);
      if (i === 0 && modulus) {
        lines.push(`let m${a}${row} = u32(-${sum}x) & ${mask}u;`, `let ${sum} = ${sum}x + i32(m${a}${row});`);
      }
      if (i) out[row].push(`u32(${sum})`);
    }
  }
  return [...lines, `${a} = fr_Element(${out.f.join(', ')});`, `${b} = fr_Element(${out.g.join(', ')});`];
}

function quotientBody(shape: LimbShape): string[] {
  const { bits, count } = shape;
  const modulus = limbsOf(fr.modulus, shape);
  const entry = 2 ** bits;
  const unpacked = ['f', 'g'].flatMap((row) => [
    `let low${row} = i32(row_${row} << 16u) >> 16u;`,
    // Masked, so that compilers see how short they are.
    `let u${row} = u32(low${row} + ${entry}) & 0xffffu;`,
    `let v${row} = u32((i32(row_${row} - u32(low${row})) >> 16u) + ${entry}) & 0xffffu;`,
  ]);
  const lent = lendingLimbs(RESULT_MULTIPLE, shape);
  const sums = range(count, (i) => {
    const limb = i < count - 1 ? `i32(d[${i}] & ${2 ** bits - 1}u)` : `i32(d[${i}])`;
    const carry = i ? ` + (s${i - 1} >> ${bits}u)` : '';
    return `let s${i} = ${lent[i]} + ((${limb} ^ sign) - sign)${carry};`;
  });
  return [
    `var f = ${element(modulus)};`,
    'var g = fr_low(fr_canonical(b));',
    'var d = fr_Element();',
    'var e = fr_low(a);',
    '// The delta of the steps, and a half, below zero.',
    'var zeta = -1;',
    `for (var batch = 0u; batch < ${Math.ceil(STEPS / bits)}u; batch += 1u) {`,
    ...[
      'var low_f = f[0];',
      'var low_g = g[0];',
      'var row_f = 1u;',
      'var row_g = 0x10000u;',
      `for (var i = 0u; i < ${bits}u; i += 1u) {`,
      '  // All bits, or none: g is odd; and then, f and g change places.',
      '  let odd = 0u - ((low_g >> i) & 1u);',
      '  let swap = odd & u32(zeta >> 31u);',
      '  low_g = ((low_f & odd) ^ swap) + low_g - swap;',
      '  row_g = ((row_f & odd) ^ swap) + row_g - swap;',
      '  low_f = (low_f + (low_g & swap)) << 1u;',
      '  row_f = (row_f + (row_g & swap)) << 1u;',
      '  zeta = i32(u32(zeta) ^ swap) - 1;',
      '}',
      ...unpacked,
      ...applyLines('f', 'g', undefined, shape),
      ...applyLines('d', 'e', modulus, shape),
    ].map((line) => `  ${line}`),
    '}',
    '// f is 1 or -1, and d the quotient, up to the same sign.',
    `let sign = i32(f[${count - 1}]) >> 31u;`,
    ...sums,
    `return fr_Element(${range(count, (i) => `u32(s${i})`).join(', ')});`,
  ];
}

/** p is 1 modulo 2^28: the lowest limbs of k p are k, at most as much as R over p, and none. */
function isZeroBody({ bits, count }: LimbShape): string[] {
  const mask = 2 ** bits - 1;
  const modulus = limbsOf(fr.modulus, { bits, count });
  const lines = [`let k = x[0] & ${mask}u;`, `var same = (x[1] & ${mask}u) == 0u;`, 'if (same) {'];
  for (let i = 2; i < count; i++) {
    lines.push(`  let t${i} = k * ${modulus[i]}u${i > 2 ? ` + (t${i - 1} >> ${bits}u)` : ''};`);
    lines.push(`  same = same && ((t${i} & ${mask}u) == (x[${i}] & ${mask}u));`);
  }
  return [...lines, '}', 'return same;'];
}

export const wgsl: string = `
// #import field/bn254

fn fr_divide(a: fr_Element, b: fr_Element) -> fr_Element {
${indent(quotientBody(SHAPE))}
}

fn fr_inverse(x: fr_Element) -> fr_Element {
  return fr_divide(${element(limbsOf(fr.reduce(radix(SHAPE) ** 2n), SHAPE))}, x);
}

fn fr_reduce(x: fr_Element) -> fr_Element {
  return fr_canonical(fr_carry(fr_fold(fr_low(x))));
}

fn fr_is_zero(x: fr_Element) -> bool {
${indent(isZeroBody(SHAPE))}
}
`;
