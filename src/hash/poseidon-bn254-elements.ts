/** Constants of circomlib's Poseidon as the CPU kernel reads them: in the order of its work. */
import { concatBytes } from '../bytes.js';
import { elementToBytes } from '../field/bn254.js';
import { type DenseLayer, schedule } from './poseidon-bn254-schedule.js';
import type { Digest } from './types.js';

/** Products that are summed before a reduction. */
const CHUNK = 3;

/** Each row: three factors and a constant, as often as it takes; the constant stands in the last chunk. */
function denseElements({ matrix, constants }: DenseLayer): bigint[] {
  return matrix.flatMap((row, i) => {
    const elements: bigint[] = [];
    for (let at = 0; at < row.length; at += CHUNK) {
      const factors = Array.from({ length: CHUNK }, (_, k) => row[at + k] ?? 0n);
      elements.push(...factors, at + CHUNK < row.length ? 0n : constants[i]!);
    }
    return elements;
  });
}

/**
 * For rows of `inputs` elements, 32 big-endian bytes each: what is added first; the dense layers before the partial
 * rounds; their factors, `m00`, then `beta` and `tau` by turns; their constants; the dense layers behind them.
 *
 * @throws {RangeError} when `inputs` is not 1 to 16.
 */
export function poseidonElements(inputs: number): Digest {
  const { first, before, sparse, sparseConstants, behind } = schedule(inputs + 1);
  const [m00, ...beta] = sparse.ofBox;
  return concatBytes(
    ...[
      ...first,
      ...before.flatMap(denseElements),
      m00!,
      ...beta.flatMap((factor, i) => [factor, sparse.ofFirst[i]!]),
      ...sparseConstants,
      ...behind.flatMap(denseElements),
    ].map(elementToBytes),
  );
}
