/** Constants of circomlib's Poseidon as the CPU kernel reads them. */
import { concatBytes } from '../bytes.js';
import { elementToBytes, fr } from '../field/bn254.js';
import { type DenseLayer, type PoseidonSchedule, schedule } from './poseidon-bn254-schedule.js';
import type { Digest } from './types.js';

/** Products that are summed before a reduction: in dense layers, and in those that read the history. */
export const DENSE_CHUNK = 3;
export const HISTORY_CHUNK = 5;

type Vector = readonly bigint[];

/**
 * The partial rounds as a recurrence: element 0 before round r + 1 is a sum over what came before,
 *
 *     x[r + 1] = sum of b[j] y[r - j] for j = 0 to n  +  sum of tau[j] x[r + 1 - j] for j = 1 to n  +  constant[r]
 *
 * where y is x behind its S-box and n = t - 1. That takes 2 t - 1 products, too, but only one reduction. What is older
 * than `x[0]` is zero; instead, element r + 1 of the state joins the sums of the first n rounds.
 */
interface Recurrence {
  /** The dense layer before, less `tau[r + 1] x[0]`, which the sum of round r has too much. */
  readonly into: DenseLayer;
  /** In the order of the history: `b[0]`, `tau[1]`, `b[1]`, and so on to `b[n]`. */
  readonly factors: Vector;
  readonly constants: Vector;
  /** The dense layer behind the last S-box, of the history `y[r]`, `x[r]`, `y[r - 1]` to `y[r - n]`. */
  readonly leading: DenseLayer;
}

/** The recurrence of the sparse layers `x' = m00 y + w1 + constant`, `wi' = beta[i] y + tau[i] w1 + w(i + 1)`. */
function recurrence({ before, sparse, sparseConstants, behind }: PoseidonSchedule): Recurrence {
  const [m00, ...beta] = sparse.ofBox;
  const tau = sparse.ofFirst;
  const b = beta.map((factor, j) => fr.sub(factor, fr.mul(tau[j]!, m00!)));
  const owed = (i: number): bigint => tau[i - 1] ?? 0n;
  const factors = [m00!, ...tau.flatMap((factor, j) => [factor, b[j]!])];
  // w1 is what x[r + 1] has beside m00 y[r] and the constant of its round.
  const constants = sparseConstants.map((constant, r) =>
    tau.reduce((sum, factor, j) => fr.sub(sum, fr.mul(factor, sparseConstants[r - 1 - j] ?? 0n)), constant),
  );
  const last = before.at(-1)!;
  const into = {
    matrix: last.matrix.map((row, i) => row.map((x, k) => fr.sub(x, fr.mul(owed(i), last.matrix[0]![k]!)))),
    constants: last.constants.map((x, i) => fr.sub(x, fr.mul(owed(i), last.constants[0]!))),
  };
  const { matrix, constants: added } = behind[0]!;
  const ofHistory = matrix.map((row) => {
    const [ofBox, ...ofW] = row;
    const sums = new Array<bigint>(factors.length).fill(0n);
    sums[0] = ofBox!;
    // wi is the sum of b[j] y[r - 1 - (j - i)] and tau[j] x[r - (j - i)] for j from i on.
    ofW.forEach((factor, i) => {
      for (let j = i; j < tau.length; j++) {
        const age = 2 * (j - i);
        sums[age + 1] = fr.add(sums[age + 1]!, fr.mul(factor, tau[j]!));
        sums[age + 2] = fr.add(sums[age + 2]!, fr.mul(factor, b[j]!));
      }
    });
    return sums;
  });
  const offsets = matrix.map(([, ...ofW], row) =>
    ofW.reduce((sum, factor, i) => {
      const inW = tau.slice(i).reduce((s, t, age) => fr.add(s, fr.mul(t, sparseConstants.at(-1 - age)!)), 0n);
      return fr.sub(sum, fr.mul(factor, inW));
    }, added[row]!),
  );
  return { into, factors, constants, leading: { matrix: ofHistory, constants: offsets } };
}

const padded = (row: Vector, chunk: number): bigint[] => [
  ...row,
  ...new Array<bigint>(chunk * Math.ceil(row.length / chunk) - row.length).fill(0n),
];

/** Each row: factors in whole chunks, then the constant. */
function denseElements({ matrix, constants }: DenseLayer, chunk: number): bigint[] {
  return matrix.flatMap((row, i) => [...padded(row, chunk), constants[i]!]);
}

/**
 * For rows of `inputs` elements, 32 big-endian bytes each: what is added first; the dense layers before the partial
 * rounds; the factors of the recurrence in whole chunks and its constants; the dense layers behind it.
 *
 * @throws {RangeError} when `inputs` is not 1 to 16.
 */
export function poseidonElements(inputs: number): Digest {
  const all = schedule(inputs + 1);
  const { into, factors, constants, leading } = recurrence(all);
  const dense = (layer: DenseLayer): bigint[] => denseElements(layer, DENSE_CHUNK);
  const elements = [
    ...all.first,
    ...[...all.before.slice(0, -1), into].flatMap(dense),
    ...padded(factors, HISTORY_CHUNK),
    ...constants,
    ...denseElements(leading, HISTORY_CHUNK),
    ...all.behind.slice(1).flatMap(dense),
  ];
  return concatBytes(...elements.map(elementToBytes));
}
