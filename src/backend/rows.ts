/** Rows of a matrix in the form that `hashRows` takes: whole rows, padded where the rule says so. */
import { DIGEST_BYTES } from '../bytes.js';
import { firstNonCanonical, notCanonical } from '../hash/canonical.js';
import type { FieldInput } from '../hash/types.js';
import type { Matrix } from './types.js';

/** Rows `first` to `first + count` of a matrix, as views. */
export function rowRange(matrix: Matrix, first: number, count: number): Matrix {
  const { parts, order, rowElements, field } = matrix;
  const { elementBytes } = field;
  const stride = order === 'rows' ? rowElements * elementBytes : elementBytes;
  const [start, bytes] = [first * stride, count * stride];
  return {
    ...matrix,
    rows: count,
    parts: parts.map((part) =>
      part instanceof Uint8Array
        ? part.subarray(start, start + bytes)
        : { buffer: part.buffer, byteOffset: part.byteOffset + start, byteLength: bytes },
    ),
  };
}

/** Whether the rows are their own digests. */
export function isCopied({ rule, rowElements, field }: Matrix): boolean {
  return rule === 'or-noop' && rowElements * field.elementBytes <= DIGEST_BYTES;
}

/** Elements of a row with the padding of its rule: whole blocks of `rate` for `pad`. */
export function paddedElements({ rule, rowElements, rate }: Matrix): number {
  return rule === 'pad' ? (Math.floor((rowElements + 1) / rate!) + 1) * rate! : rowElements;
}

/** The element 1 in the encoding of a field. */
function one({ elementBytes, order }: FieldInput): Uint8Array {
  const bytes = new Uint8Array(elementBytes);
  bytes[order === 'le' ? 0 : elementBytes - 1] = 1;
  return bytes;
}

/**
 * Writes rows that lie in memory one after the other, `wide` elements each, into `out`: what is missing is zero.
 *
 * @param marks `pad`: the encoding of 1, for the first and the last element behind a row.
 */
function layOut(matrix: Matrix, wide: number, out: Uint8Array, marks?: Uint8Array): void {
  const { parts, order, rows, rowElements, field } = matrix;
  const { elementBytes } = field;
  const rowBytes = wide * elementBytes;
  for (let i = 0; i < rows; i++) {
    const row = out.subarray(i * rowBytes, (i + 1) * rowBytes);
    if (order === 'rows') {
      const bytes = rowElements * elementBytes;
      row.set((parts[0] as Uint8Array).subarray(i * bytes, (i + 1) * bytes));
    } else {
      for (let j = 0; j < rowElements; j++) {
        const column = parts[j] as Uint8Array;
        for (let k = 0; k < elementBytes; k++) row[j * elementBytes + k] = column[i * elementBytes + k]!;
      }
    }
    if (!marks) continue;
    row.set(marks, rowElements * elementBytes);
    row.set(marks, rowBytes - elementBytes);
  }
}

/**
 * Rows as a hash takes them, and how many elements each then has.
 *
 * Rows that already lie so are returned as they are.
 */
export function hashableRows(matrix: Matrix): { readonly rows: Uint8Array; readonly rowElements: number } {
  const { rule, order, parts, field } = matrix;
  const rowElements = paddedElements(matrix);
  if (order === 'rows' && rule !== 'pad') return { rows: parts[0] as Uint8Array, rowElements };
  const rows = new Uint8Array(matrix.rows * rowElements * field.elementBytes);
  layOut(matrix, rowElements, rows, rule === 'pad' ? one(field) : undefined);
  return { rows, rowElements };
}

/** Rows that are their own digests, with zeros behind them. */
export function copiedRows(matrix: Matrix): Uint8Array<ArrayBuffer> {
  const digests = new Uint8Array(matrix.rows * DIGEST_BYTES);
  layOut(matrix, DIGEST_BYTES / matrix.field.elementBytes, digests);
  return digests;
}

/** Permutations that a row takes, beside each other for hashes that are no sponge. */
export function rowWeight(matrix: Matrix): number {
  return Math.max(1, Math.ceil(paddedElements(matrix) / (matrix.rate ?? 2)));
}

/**
 * Refuses an element of a matrix in memory, by its place among the rows.
 *
 * @param firstRow rows of the user's matrix before these.
 * @throws {CambiumError} `NOT_CANONICAL`. @throws {TypeError} when a part lies on a device.
 */
export function assertCanonicalRows({ parts, order, rowElements, field }: Matrix, firstRow: number): void {
  parts.forEach((part, column) => {
    if (!(part instanceof Uint8Array)) throw new TypeError('leaves: the rows lie on a device');
    const found = firstNonCanonical(part, field);
    const place = order === 'rows' ? found : found * rowElements + column;
    if (found >= 0) throw notCanonical(firstRow * rowElements + place, field);
  });
}
