/** Constants of circomlib's Poseidon as the GPU kernels read them. */
import { fr } from '../field/bn254.js';
import {
  constantTable,
  type LimbShape,
  limbsOf,
  montgomeryLimbs,
  radix,
  SHAPE,
} from '../field/bn254-limbs.js';
import { schedule } from './poseidon-bn254-schedule.js';

const PAIR_WIDTH = 3;

type Vector = readonly bigint[];

/** Storage of `@group(1)` for pairs: the constants to multiply by, then the rows to add. */
export function poseidonTables(shape: LimbShape = SHAPE): readonly Uint8Array[] {
  const { first, before, sparse, sparseConstants, behind } = schedule(PAIR_WIDTH);
  // An S-box of Montgomery products leaves x^5 / R^4.
  const r4 = fr.pow(fr.reduce(radix(shape)), 4n);
  const scaled = (vector: Vector): Vector => vector.map((x) => fr.mul(x, r4));
  const columns = (matrix: readonly Vector[]): Vector[] => first.map((_, j) => matrix.map((row) => row[j]!));

  const full = columns(before[0]!.matrix).map(scaled);
  const into = columns(before.at(-1)!.matrix).map(scaled);
  const [ofBox, ...others] = columns(behind[0]!.matrix);
  const factors = [...full, ...into, scaled(ofBox!), ...others, scaled(sparse.ofBox), sparse.ofFirst];
  const rows = [first, ...[...before, ...behind].map(({ constants }) => constants), sparseConstants];
  const words = [
    factors.flat().flatMap((d) => constantTable(d, shape)),
    rows.flat().flatMap((c) => limbsOf(c, shape)),
  ];
  return words.map((list) => new Uint8Array(Uint32Array.from(list).buffer));
}

/** Storage of `@group(1)` for rows of so many elements. */
export function poseidonRowTable(elements: number, shape: LimbShape = SHAPE): Uint8Array {
  const { first, before, sparse, sparseConstants, behind } = schedule(elements + 1);
  const form = sparse.ofBox.map((x, i) => [x, i ? sparse.ofFirst[i - 1]! : 0n]);
  const factors = [
    fr.reduce(radix(shape)),
    ...first,
    ...[...before, ...behind].flatMap(({ constants }) => constants),
    ...sparseConstants,
    ...[before[0]!.matrix, before.at(-1)!.matrix, behind[0]!.matrix, form].flat(2),
  ];
  const words = factors.flatMap((factor) => montgomeryLimbs(factor, shape));
  return new Uint8Array(Uint32Array.from(words).buffer);
}
