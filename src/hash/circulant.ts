import { gl } from '../field/goldilocks.js';

/** The product of a circulant matrix, given by its first row, and a vector: `out[r] = sum of row[(c - r) mod n] * x[c]`. */
export function circulantProduct(row: readonly number[], x: readonly bigint[]): bigint[] {
  const n = row.length;
  return x.map((_, r) =>
    gl.reduce(x.reduce((sum, value, c) => sum + BigInt(row[(c - r + n) % n]!) * value, 0n)),
  );
}
