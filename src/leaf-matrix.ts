/**
 * Leaves that are rows of field elements: given row by row, or as columns, in memory or on the device.
 */
import { type GpuBufferLike, isGpuBuffer } from './backend/gpu/types.js';
import { rowRange, rowWeight } from './backend/rows.js';
import type { Matrix, MatrixPart } from './backend/types.js';
import type { HashInput, RowRule } from './hash/types.js';
import type { ChunkedLeaves } from './leaf-source.js';

/** `n` rows of `rowElements` elements, one after the other; each becomes a leaf by `rule` (default `hash`). */
export interface RowsSource {
  readonly rows: Uint8Array | GpuBufferLike;
  readonly rowElements: number;
  readonly rule?: RowRule;
}

/** Columns of `n` elements each; leaf i is made of element i of every column. */
export interface ColumnsSource {
  readonly columns: readonly (Uint8Array | GpuBufferLike)[];
  readonly rule?: RowRule;
}

/** What a matrix needs to know of its hash. */
export interface MatrixHash {
  readonly id: string;
  readonly input: HashInput;
  readonly rate: number | undefined;
  /** Most elements of a row; 0 for a hash that takes none. */
  readonly maxElements: number;
}

/** Bytes of elements that one chunk holds at most. */
const MATRIX_CHUNK_BYTES = 64 * 2 ** 20;

const RULES: readonly RowRule[] = ['hash', 'or-noop', 'pad'];

/**
 * Checks a matrix and makes it chunkable.
 *
 * @throws {TypeError} for a hash of bytes, or a source of another type. @throws {RangeError} on lengths that do not fit.
 */
export function matrixLeaves(source: RowsSource | ColumnsSource, hash: MatrixHash): ChunkedLeaves {
  const { rule = 'hash' } = source;
  if (hash.input === 'bytes' || hash.maxElements === 0)
    throw new TypeError(`leaves: ${hash.id} does not hash rows of elements`);
  if (!RULES.includes(rule))
    throw new RangeError(`rule: expected one of ${RULES.join(', ')}, got ${String(rule)}`);
  if (rule === 'pad' && hash.rate === undefined) throw new RangeError(`rule: ${hash.id} has no padded form`);
  const { elementBytes } = hash.input;
  const shape = 'rows' in source ? rowShape(source, elementBytes) : columnShape(source, elementBytes);
  const { rows, rowElements } = shape;
  if (rowElements > hash.maxElements) {
    throw new RangeError(
      `leaves: ${hash.id} takes rows of at most ${hash.maxElements} elements, got ${rowElements}`,
    );
  }
  const matrix: Matrix = { ...shape, rule, field: hash.input, rate: hash.rate };
  return {
    count: rows,
    leafHashes: rows * rowWeight(matrix),
    chunkLeaves(wanted) {
      let size = wanted;
      while (size > 1 && size * rowElements * elementBytes > MATRIX_CHUNK_BYTES) size /= 2;
      return size;
    },
    *chunks(size) {
      for (let first = 0; first < rows; first += size) {
        const count = Math.min(size, rows - first);
        yield { source: { kind: 'matrix', matrix: rowRange(matrix, first, count) }, leafCount: count };
      }
    },
  };
}

type Shape = Pick<Matrix, 'parts' | 'order' | 'rows' | 'rowElements'>;

function rowShape({ rows, rowElements }: RowsSource, elementBytes: number): Shape {
  if (!(Number.isInteger(rowElements) && rowElements >= 1)) {
    throw new RangeError(`rowElements: expected a whole number from 1 on, got ${rowElements}`);
  }
  const part = partOf(rows, 'rows');
  const rowBytes = rowElements * elementBytes;
  if (bytesOf(part) % rowBytes) {
    throw new RangeError(`rows: expected a multiple of ${rowBytes} bytes, got ${bytesOf(part)}`);
  }
  return { parts: [part], order: 'rows', rows: bytesOf(part) / rowBytes, rowElements };
}

function columnShape({ columns }: ColumnsSource, elementBytes: number): Shape {
  if (!Array.isArray(columns) || columns.length === 0) {
    throw new TypeError('columns: expected an array of at least one column');
  }
  const parts = columns.map((column, i) => partOf(column, `columns[${i}]`));
  const bytes = bytesOf(parts[0]!);
  if (bytes % elementBytes) {
    throw new RangeError(`columns[0]: expected a multiple of ${elementBytes} bytes, got ${bytes}`);
  }
  const other = parts.findIndex((part) => bytesOf(part) !== bytes);
  if (other >= 0) {
    throw new RangeError(
      `columns[${other}]: expected ${bytes} bytes like the first, got ${bytesOf(parts[other]!)}`,
    );
  }
  return { parts, order: 'columns', rows: bytes / elementBytes, rowElements: parts.length };
}

function partOf(value: Uint8Array | GpuBufferLike, name: string): MatrixPart {
  if (value instanceof Uint8Array) return value;
  if (isGpuBuffer(value)) return { buffer: value, byteOffset: 0, byteLength: value.size };
  throw new TypeError(`${name}: expected a Uint8Array or a GPU buffer, got ${typeof value}`);
}

const bytesOf = (part: MatrixPart): number => part.byteLength;
