/**
 * Products of small circulant matrices with vectors, by shifts and additions.
 *
 * Compilers have instructions that shift and add, or add three numbers; a multiplication needs factors of proven size.
 */

const list = (n: number, item: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => item(i)).join(', ');

/**
 * Row 0 times a vector, `fn NAME(v: array<u32, n>) -> u32`: Horner's rule over the bits of the row. Row r is row 0 with
 * the vector rotated left by r.
 */
export function circulantRow(name: string, row: readonly number[]): string {
  const bits = Math.max(...row).toString(2).length;
  const plane = (bit: number): string =>
    row.flatMap((factor, i) => ((factor >> bit) & 1 ? [`v[${i}]`] : [])).join(' + ');
  const steps = Array.from({ length: bits - 1 }, (_, i) => bits - 2 - i);
  return `
fn ${name}(v: array<u32, ${row.length}>) -> u32 {
  var sum = ${plane(bits - 1)};
${steps.map((bit) => `  sum = (sum << 1u) + ${plane(bit)};`).join('\n')}
  return sum;
}
`;
}

/** All `n` rows, by the function of row 0: `fn NAME(v: array<u32, n>) -> array<u32, n>`. */
export function circulantRows(name: string, rowFunction: string, n: number): string {
  const rotated = (r: number): string =>
    `${rowFunction}(array<u32, ${n}>(${list(n, (i) => `v[${(i + r) % n}]`)}))`;
  return `
fn ${name}(v: array<u32, ${n}>) -> array<u32, ${n}> {
  return array<u32, ${n}>(
    ${Array.from({ length: n }, (_, r) => `${rotated(r)},`).join('\n    ')}
  );
}
`;
}
