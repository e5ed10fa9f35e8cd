import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceEngine } from '../../src/backend/cpu/engine.ts';
import { checkSamples } from '../../src/backend/cross-check.ts';
import { type OpenGpu, openGpuBackend } from '../../src/backend/gpu/index.ts';
import { copiedRows, hashableRows, isCopied, rowRange } from '../../src/backend/rows.ts';
import type { ChunkJob, Matrix, MatrixPart, SyncEngine } from '../../src/backend/types.ts';
import { concatBytes, type Digest, toHex } from '../../src/bytes.ts';
import { elementsToBytes, gl } from '../../src/field/goldilocks.ts';
import { type HashId, hashSpec } from '../../src/hash/registry.ts';
import type { FieldInput, RowRule } from '../../src/hash/types.ts';
import { seriesElement } from '../support/goldilocks-vectors.ts';
import { openDevice } from '../support/run-shader.ts';

const IDS = [
  'rpo',
  'rpx-capacity-first',
  'poseidon-plonky2',
  'poseidon2-miden',
  'poseidon2-plonky3-8',
] as const satisfies readonly HashId[];
const RULES: readonly RowRule[] = ['hash', 'or-noop', 'pad'];

const elements = (count: number): Digest =>
  elementsToBytes(Array.from({ length: count }, (_, i) => seriesElement(i)));

/** Columns of a matrix whose rows stand one after the other. */
const columnsOf = (rows: Uint8Array, rowElements: number): Digest[] =>
  Array.from({ length: rowElements }, (_, j) =>
    concatBytes(
      ...Array.from({ length: rows.length / (8 * rowElements) }, (_, i) =>
        rows.subarray(8 * (i * rowElements + j), 8 * (i * rowElements + j + 1)),
      ),
    ),
  );

describe.each(IDS)('[gpu] rows of %s', (id) => {
  let device: GPUDevice;
  let gpu: OpenGpu;
  let engine: SyncEngine;
  let rate: number;
  beforeAll(async () => {
    const spec = hashSpec(id);
    const module = await spec.load();
    engine = referenceEngine(module, spec.input);
    rate = module.rate!;
    device = await openDevice();
    const opened = await openGpuBackend(spec, { engine, messageBlocks: module.messageBlocks, gpu: device });
    if ('refused' in opened) throw new Error(opened.refused);
    gpu = opened;
  });
  afterAll(async () => {
    await gpu?.backend.close();
    device?.destroy();
  });

  const matrixOf = (
    parts: readonly MatrixPart[],
    [rows, rowElements]: readonly [number, number],
    rule: RowRule = 'hash',
    order: Matrix['order'] = 'rows',
  ): Matrix => ({ parts, order, rows, rowElements, rule, field: hashSpec(id).input as FieldInput, rate });

  const jobOf = (matrix: Matrix, samples = 0): ChunkJob => ({
    source: { kind: 'matrix', matrix },
    leafCount: matrix.rows,
    levels: 0,
    padding: 'none',
    zeros: [],
    samples,
  });

  const onGpu = async (matrix: Matrix): Promise<string> =>
    toHex((await gpu.backend.chunk(jobOf(matrix))).layers[0]!);

  /** The reference, row by row. */
  function expected(matrix: Matrix): string {
    if (isCopied(matrix)) return toHex(copiedRows(matrix));
    const { rows, rowElements } = hashableRows(matrix);
    const out = new Uint8Array(32 * matrix.rows);
    engine.hashRows!(rows, rowElements, out);
    return toHex(out);
  }

  it('hashes rows of every length around the blocks, by every rule', async () => {
    for (const rowElements of [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15, 16, 17, 33]) {
      const rows = elements(3 * rowElements);
      for (const rule of RULES) {
        const matrix = matrixOf([rows], [3, rowElements], rule);
        expect(`${rowElements} ${rule} ${await onGpu(matrix)}`).toBe(
          `${rowElements} ${rule} ${expected(matrix)}`,
        );
      }
    }
  });

  it('hashes more rows than a workgroup has, and columns as the rows that they make', async () => {
    const rows = elements(65 * 5);
    const matrix = matrixOf([rows], [65, 5]);
    expect(await onGpu(matrix)).toBe(expected(matrix));
    expect(await onGpu(matrixOf(columnsOf(rows, 5), [65, 5], 'hash', 'columns'))).toBe(expected(matrix));
  });

  it('hashes columns that are on the device, without an upload of leaves', async () => {
    const rows = elements(9 * 3);
    const parts = columnsOf(rows, 3).map((column): MatrixPart => {
      const buffer = device.createBuffer({ size: 8 + column.length, usage: 0x80 | 0x04 | 0x08 });
      device.queue.writeBuffer(buffer, 8, column);
      return { buffer, byteOffset: 8, byteLength: column.length };
    });
    const before = gpu.backend.counters.bytesUp;
    const tree = {
      ...jobOf(matrixOf(parts, [9, 3], 'hash', 'columns'), 1),
      levels: 4,
      padding: 'promote',
    } as const;
    const { layers, samples } = await gpu.backend.chunk(tree);
    // The place where the check writes what it finds, and nothing else.
    expect(gpu.backend.counters.bytesUp - before).toBe(4);
    expect(checkSamples(engine, samples, tree.source)).toBe(5);

    const out = new Uint8Array(32 * 9);
    engine.hashRows!(rows, 3, out);
    let level = Array.from({ length: 9 }, (_, i) => out.subarray(32 * i, 32 * i + 32));
    while (level.length > 1) {
      level = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) =>
        level[2 * i + 1] ? engine.hashPair(level[2 * i]!, level[2 * i + 1]!) : level[2 * i]!,
      );
    }
    expect(toHex(layers[0]!)).toBe(toHex(level[0]!));
  });

  it('refuses an element that is not canonical, by its place among the rows', async () => {
    const rows = elements(70 * 3);
    rows.set(elementsToBytes([gl.modulus]), 8 * (3 * 66 + 2));
    const refused = { code: 'NOT_CANONICAL', index: 3 * 66 + 2 };
    await expect(onGpu(matrixOf([rows], [70, 3]))).rejects.toMatchObject(refused);
    const columns = matrixOf(columnsOf(rows, 3), [70, 3], 'hash', 'columns');
    await expect(onGpu(columns)).rejects.toMatchObject(refused);
    const later = { ...jobOf(rowRange(columns, 60, 10)), firstLeaf: 60 };
    await expect(gpu.backend.chunk(later)).rejects.toMatchObject(refused);
  });

  it('hands out samples of rows that are what was hashed', async () => {
    for (const rule of RULES) {
      const job = jobOf(matrixOf(columnsOf(elements(12), 3), [4, 3], rule, 'columns'), 2);
      const { samples } = await gpu.backend.chunk(job);
      expect(samples.map(({ kind }) => kind)).toEqual(['row', 'row']);
      expect(checkSamples(engine, samples, job.source)).toBe(2);
      const wrong = samples.map((sample) => ({ ...sample, digest: new Uint8Array(32).fill(1) }));
      expect(() => checkSamples(engine, wrong, job.source)).toThrow(
        expect.objectContaining({ code: 'CROSS_CHECK_MISMATCH' }),
      );
    }
  });
});
