/**
 * The permutation of circomlib's Poseidon, rearranged so that a partial round of width t costs 2 t - 1 products by
 * constants that are the same in every round, instead of t^2.
 *
 * With the matrix cut into [m00 r; c B], elements 1 to t - 1 only show through r. In the observer form of that linear
 * system (`w1 = r v`, and `w` shifts up by one place a round) a partial round is
 *
 *     x0' = m00 y + w1 + constant        y: element 0 behind its S-box
 *     wi' = beta_i y + tau_i w1 + w(i+1)
 *
 * The dense layer before the partial rounds leads into that form and the one behind them leads out of it.
 */
import { fr } from '../field/bn254.js';
import { HALF_FULL_ROUNDS, type PoseidonParameters, parameters } from './poseidon-bn254.js';

type Vector = readonly bigint[];
type Matrix = readonly Vector[];

/** `state' = matrix * state + constants`. */
export interface DenseLayer {
  readonly matrix: Matrix;
  readonly constants: Vector;
}

/** All layers between S-boxes, constants of the following round included. */
export interface PoseidonSchedule {
  /** What is added before the first S-boxes. */
  readonly first: Vector;
  /** Behind full rounds 0 to 3; the last of them leads into the form of the partial rounds. */
  readonly before: readonly DenseLayer[];
  /** `m00`, then `beta`; and `tau`. The same in all partial rounds but the last. */
  readonly sparse: { readonly ofBox: Vector; readonly ofFirst: Vector };
  /** Added to element 0 by each sparse layer. */
  readonly sparseConstants: Vector;
  /** Behind the last partial round and the full rounds that follow it. */
  readonly behind: readonly DenseLayer[];
}

const dot = (a: Vector, b: Vector): bigint => fr.reduce(a.reduce((sum, x, i) => sum + x * b[i]!, 0n));
const times = (m: Matrix, v: Vector): bigint[] => m.map((row) => dot(row, v));
const transposed = (m: Matrix): bigint[][] => m[0]!.map((_, j) => m.map((row) => row[j]!));
const product = (a: Matrix, b: Matrix): bigint[][] => a.map((row) => times(transposed(b), row));
const added = (a: Vector, b: Vector): bigint[] => a.map((x, i) => fr.add(x, b[i]!));

/** The inverse of a regular matrix (Gauss and Jordan). */
function inverted(matrix: Matrix): bigint[][] {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1n : 0n))]);
  for (let k = 0; k < n; k++) {
    const pivot = rows.findIndex((row, i) => i >= k && row[k] !== 0n);
    [rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!];
    const scale = fr.inverse(rows[k]![k]!);
    const unit = rows[k]!.map((x) => fr.mul(x, scale));
    rows.forEach((row, i) => {
      const factor = row[k]!;
      rows[i] = i === k ? unit : row.map((x, j) => fr.sub(x, fr.mul(factor, unit[j]!)));
    });
  }
  return rows.map((row) => row.slice(n));
}

/** The matrix with a 1 in front of its diagonal. */
const bordered = (m: Matrix): bigint[][] => [[1n, ...m.map(() => 0n)], ...m.map((row) => [0n, ...row])];

/** Rows q with `w = q v`, and the coefficients tau. */
function observerForm(r: Vector, b: Matrix): { q: bigint[][]; tau: bigint[] } {
  const bT = transposed(b);
  const krylov = [r];
  while (krylov.length <= b.length) krylov.push(times(bT, krylov.at(-1)!));
  const highest = krylov.pop()!;
  // highest = tau_1 (second highest) + ... + tau_m r
  const tau = times(transposed(inverted(krylov)), highest).reverse();
  const q = [[...r]];
  for (let i = 1; i < b.length; i++) {
    q.push(times(bT, q[i - 1]!).map((x, j) => fr.sub(x, fr.mul(tau[i - 1]!, r[j]!))));
  }
  return { q, tau };
}

/** The rearranged permutation of one width. */
export function schedule(width: number): PoseidonSchedule {
  return arranged(parameters(width));
}

function arranged({ matrix, roundConstants, partialRounds }: PoseidonParameters): PoseidonSchedule {
  const [m00, ...r] = matrix[0]!;
  const c = matrix.slice(1).map((row) => row[0]!);
  const { q, tau } = observerForm(
    r,
    matrix.slice(1).map((row) => row.slice(1)),
  );
  const into = bordered(q);
  const outOf = inverted(into);
  const beta = times(q, c);
  const firstPartial = HALF_FULL_ROUNDS;
  const firstBehind = firstPartial + partialRounds;

  const before = roundConstants.slice(1, firstPartial).map((constants) => ({ matrix, constants }));
  before.push({ matrix: product(into, matrix), constants: times(into, roundConstants[firstPartial]!) });

  // Sparse layers add to element 0 alone; what they should have added to w is carried along as an offset.
  const step = (w: Vector): bigint[] => w.map((_, i) => fr.add(fr.mul(tau[i]!, w[0]!), w[i + 1] ?? 0n));
  const sparseConstants: bigint[] = [];
  let offset = tau.map(() => 0n);
  for (let round = firstPartial + 1; round < firstBehind; round++) {
    const [ofFirst, ...ofOthers] = roundConstants[round]!;
    sparseConstants.push(fr.add(ofFirst!, offset[0]!));
    offset = added(step(offset), times(q, ofOthers));
  }
  const plain = product(matrix, outOf);
  const leading: DenseLayer = {
    matrix: plain,
    constants: added(times(plain, [0n, ...offset]), roundConstants[firstBehind]!),
  };
  const following = roundConstants.slice(firstBehind + 1).map((constants) => ({ matrix, constants }));
  const last = { matrix, constants: matrix.map(() => 0n) };
  return {
    first: roundConstants[0]!,
    before,
    sparse: { ofBox: [m00!, ...beta], ofFirst: tau },
    sparseConstants,
    behind: [leading, ...following, last],
  };
}
