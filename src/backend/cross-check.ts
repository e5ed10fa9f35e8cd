/**
 * Recomputes on the CPU what a GPU made. A wrong digest is worse than none.
 */
import { DIGEST_BYTES, type Digest, equalBytes, toHex } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { copiedRows, hashableRows, isCopied } from './rows.js';
import type { ChunkSource, Matrix, Sample, SyncEngine } from './types.js';

/** `off` trusts the GPU, `sample` recomputes random nodes of every level of every chunk, `full` recomputes all of it. */
export type CrossCheck = 'off' | 'sample' | 'full';

const mismatch = (what: string, gpu: Uint8Array, cpu: Uint8Array): CambiumError =>
  new CambiumError('CROSS_CHECK_MISMATCH', `${what}: the GPU says ${toHex(gpu)}, the CPU says ${toHex(cpu)}`);

/**
 * Hashes the samples of one job again.
 *
 * @returns how many hashes that took.
 * @throws {CambiumError} `CROSS_CHECK_MISMATCH`, naming level and digests.
 */
export function checkSamples(engine: SyncEngine, samples: readonly Sample[], source?: ChunkSource): number {
  const digest = new Uint8Array(DIGEST_BYTES);
  for (const sample of samples) {
    if (sample.kind === 'pair') {
      engine.hashPairs(sample.children, digest);
      if (!equalBytes(digest, sample.parent)) {
        throw mismatch(`a parent on level ${sample.level + 1}`, sample.parent, digest);
      }
    } else {
      if (sample.kind === 'row') hashRow(engine, source, sample.row, digest);
      else hashLeaf(engine, source, sample.index, digest);
      if (!equalBytes(digest, sample.digest)) throw mismatch(`leaf ${sample.index}`, sample.digest, digest);
    }
  }
  return samples.length;
}

function hashLeaf(engine: SyncEngine, source: ChunkSource | undefined, index: number, out: Digest): void {
  if (source?.kind !== 'messages' || !engine.hashMessages)
    throw new TypeError('sample of a leaf that is not hashed');
  const start = source.lengths.subarray(0, index).reduce((sum, length) => sum + length, 0);
  const length = source.lengths[index]!;
  engine.hashMessages(source.messages.subarray(start, start + length), Uint32Array.of(length), out);
}

function hashRow(engine: SyncEngine, source: ChunkSource | undefined, row: Uint8Array, out: Digest): void {
  if (source?.kind !== 'matrix' || !engine.hashRows)
    throw new TypeError('sample of a row that is not hashed');
  const matrix: Matrix = { ...source.matrix, parts: [row], order: 'rows', rows: 1 };
  if (isCopied(matrix)) {
    out.set(copiedRows(matrix));
  } else {
    const { rows, rowElements } = hashableRows(matrix);
    engine.hashRows(rows, rowElements, out);
  }
}

/**
 * Compares all that two backends made of one job.
 *
 * @throws {CambiumError} `CROSS_CHECK_MISMATCH`, naming layer and node.
 */
export function compareLayers(gpu: readonly Digest[], cpu: readonly Digest[]): void {
  cpu.forEach((layer, k) => {
    const other = gpu[k]!;
    for (let at = 0; at < layer.length; at += DIGEST_BYTES) {
      const [ours, theirs] = [layer.subarray(at, at + DIGEST_BYTES), other.subarray(at, at + DIGEST_BYTES)];
      if (!equalBytes(ours, theirs)) throw mismatch(`node ${at / DIGEST_BYTES} of layer ${k}`, theirs, ours);
    }
  });
}
