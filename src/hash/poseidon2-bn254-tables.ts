/** Constants of Poseidon2 over BN254 as the kernels read them. */
import { concatBytes, type Digest } from '../bytes.js';
import { elementToBytes, fr } from '../field/bn254.js';
import { constantTable, type LimbShape, montgomeryLimbs, radix, SHAPE } from '../field/bn254-limbs.js';
import {
  HALF_FULL_ROUNDS,
  internalDiagonal,
  PARTIAL_ROUNDS,
  ROUNDS,
  roundConstants,
  WIDTH,
} from './poseidon2-bn254.js';

/** What the linear layers add: layer k stands before round k, the last one behind all rounds. */
export interface FoldedConstants {
  /** The external layers, in order: before rounds 0 to 4 and 61 to 63, and behind round 63. */
  readonly external: readonly (readonly bigint[])[];
  /** The internal layers, before rounds 5 to 60: one constant, added to the sum that all elements get. */
  readonly internal: readonly bigint[];
}

/**
 * Moves the round constants into the linear layers.
 *
 * An internal layer adds to all elements, though only element 0 wants its constant: elements 1 to 3 then carry an
 * offset that is known, `offset' = diagonal * offset + constant`. Its start is chosen so that, after the last internal
 * layer, it is what round 60 adds to them.
 */
export function foldedConstants(): FoldedConstants {
  const rounds = roundConstants();
  const first = HALF_FULL_ROUNDS;
  const behind = first + PARTIAL_ROUNDS;
  const offsets = internalDiagonal.slice(1).map((d, i) => {
    let [slope, constant] = [1n, 0n];
    for (let r = first + 1; r <= behind; r++) {
      [slope, constant] = [fr.mul(slope, d), fr.add(fr.mul(constant, d), rounds[r]![0]!)];
    }
    return fr.mul(fr.sub(rounds[behind]![i + 1]!, constant), fr.inverse(slope));
  });
  const external = rounds.slice(0, first).map((constants) => [...constants]);
  external.push([rounds[first]![0]!, ...offsets]);

  const internal: bigint[] = [];
  for (let r = first + 1; r <= behind; r++) {
    const constant = rounds[r]![0]!;
    internal.push(fr.reduce(constant - offsets.reduce((a, b) => a + b)));
    offsets.forEach((offset, i) => {
      offsets[i] = fr.add(fr.mul(internalDiagonal[i + 1]!, offset), constant);
    });
  }
  for (let r = behind + 1; r < ROUNDS; r++) external.push([...rounds[r]!]);
  external.push(new Array<bigint>(WIDTH).fill(0n));
  return { external, internal };
}

/**
 * Constants as the CPU kernel loads them, 32 big-endian bytes each: diagonal, external and internal layers, and behind
 * them what pairs have in front.
 */
export function poseidon2Constants(prefix: readonly bigint[]): Digest {
  const { external, internal } = foldedConstants();
  const all = [...internalDiagonal, ...external.flat(), ...internal, ...prefix];
  return concatBytes(...all.map(elementToBytes));
}

/** Storage of `@group(1)`: the constants to multiply by, then the rows to add. */
export function poseidon2Tables(shape: LimbShape = SHAPE): readonly Uint8Array[] {
  const { external, internal } = foldedConstants();
  const toMontgomery = fr.reduce(radix(shape));
  const factors = [...internalDiagonal, toMontgomery, fr.inverse(toMontgomery)];
  const products = factors.flatMap((d) => constantTable(d, shape));
  const rows = [...external.flat(), ...internal].flatMap((c) => montgomeryLimbs(c, shape));
  return [products, rows].map((words) => new Uint8Array(Uint32Array.from(words).buffer));
}
