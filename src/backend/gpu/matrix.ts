/** The leaf stage for rows of field elements, given as rows or as columns, in memory or on the device. */
import { concatBytes, DIGEST_BYTES } from '../../bytes.js';
import { isCopied, rowRange, rowWeight } from '../rows.js';
import type { Matrix, MatrixPart } from '../types.js';
import { type TakeBuffer, Usage } from './buffer-pool.js';
import { type CanonicalCheck, checkRange } from './check.js';
import type { Kernel } from './kernel.js';
import { ALIGNED_NODES, dispatchItems, GROUP } from './plan.js';
import type { Arrived, Readback } from './readback.js';
import type { Range, Recorder } from './recorder.js';
import type { GpuBufferLike, GpuLimitsLike } from './types.js';

export interface MatrixContext {
  readonly recorder: Recorder;
  readonly take: TakeBuffer;
  readonly kernel: Kernel;
}

/** How `shaders/kernel/rows.wgsl` numbers the rules. */
const RULES = { hash: 0, 'or-noop': 1, pad: 2 } as const;

const rowBytesOf = ({ rowElements, field }: Matrix): number => rowElements * field.elementBytes;

/** Rows of which the elements are on the device at a time: they fit a binding, and one dispatch. */
function rowsAtOnce(matrix: Matrix, limits: GpuLimitsLike, hashes: number): number {
  const bytes = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const budget = Math.max(GROUP, Math.floor(hashes / rowWeight(matrix)));
  const rows = Math.min(Math.floor(bytes / rowBytesOf(matrix)), dispatchItems(limits), budget, matrix.rows);
  if (rows < Math.min(ALIGNED_NODES, matrix.rows)) {
    throw new RangeError(`leaves: rows of ${rowBytesOf(matrix)} bytes are too long for this device`);
  }
  // The digests of all parts but the last end where a binding may begin.
  return rows === matrix.rows ? rows : rows - (rows % ALIGNED_NODES);
}

/** In how many parts the matrix is hashed; each is checked on its own. */
export function matrixParts(matrix: Matrix, limits: GpuLimitsLike, hashes: number): number {
  return Math.ceil(matrix.rows / rowsAtOnce(matrix, limits, hashes));
}

/** Brings bytes of the user's to a place on the device. */
function place(recorder: Recorder, part: MatrixPart, buffer: GpuBufferLike, offset: number): void {
  if (part instanceof Uint8Array) {
    recorder.upload(buffer, offset, part);
  } else {
    const source = { buffer: part.buffer as GpuBufferLike, offset: part.byteOffset, size: part.byteLength };
    recorder.copy(source, buffer, offset);
  }
}

/**
 * Hashes all rows to `output`, in submits that stay within the time budget.
 *
 * @param onPart is told where the elements of each part are, before they are hashed.
 */
export async function recordMatrix(
  { recorder, take, kernel }: MatrixContext,
  matrix: Matrix,
  output: Range,
  onPart: (elements: Range, part: Matrix, first: number) => Promise<void> = async () => {},
): Promise<void> {
  const rowBytes = rowBytesOf(matrix);
  const most = rowsAtOnce(matrix, recorder.live.limits, recorder.hashesPerSubmit);
  const buffer = await take('rows', Usage.nodes, most * rowBytes);
  for (let first = 0; first < matrix.rows; first += most) {
    // The buffer is used again: what is recorded must be submitted before it is written.
    if (first > 0) await recorder.flush();
    const part = rowRange(matrix, first, Math.min(most, matrix.rows - first));
    const elements = { buffer, offset: 0, size: part.rows * rowBytes };
    part.parts.forEach((bytes, j) => {
      place(recorder, bytes, buffer, j * part.rows * matrix.field.elementBytes);
    });
    await onPart(elements, part, first);
    const [rowStride, elementStride] = matrix.order === 'rows' ? [matrix.rowElements, 1] : [1, part.rows];
    await recorder.dispatch({
      kernel,
      storage: [
        elements,
        {
          buffer: output.buffer,
          offset: output.offset + first * DIGEST_BYTES,
          size: part.rows * DIGEST_BYTES,
        },
      ],
      params: [part.rows, matrix.rowElements, RULES[matrix.rule], rowStride, elementStride],
      groups: Math.ceil(part.rows / GROUP),
      hashes: isCopied(matrix) ? 0 : part.rows,
      cost: part.rows * rowWeight(matrix),
    });
  }
}

/** The elements of one row of a part that is on the device. */
export function takeRow(
  readback: Readback,
  { buffer, offset }: Range,
  { order, rows, rowElements, field }: Matrix,
  row: number,
): Arrived {
  const size = field.elementBytes;
  if (order === 'rows') {
    return readback.take({ buffer, offset: offset + row * rowElements * size, size: rowElements * size });
  }
  const elements = Array.from({ length: rowElements }, (_, column) =>
    readback.take({ buffer, offset: offset + (column * rows + row) * size, size }),
  );
  return () => concatBytes(...elements.map((element) => element()));
}

/**
 * Checks the elements of a part of a matrix, once the readback has arrived.
 *
 * @param firstRow rows of the user's matrix before the part.
 */
export function checkMatrix(
  context: { recorder: Recorder; take: TakeBuffer; readback: Readback },
  check: CanonicalCheck,
  elements: Range,
  { order, rows, rowElements }: Matrix,
  firstRow: number,
): Promise<() => void> {
  return checkRange(context, check, elements, (position) => {
    const place = order === 'rows' ? position : (position % rows) * rowElements + Math.floor(position / rows);
    return firstRow * rowElements + place;
  });
}
