/**
 * Window tables of Pedersen hashes: how fixed points are cut into windows, and the seeds that devices make tables of.
 *
 * Let k be the lower 252 bits of an element and H half of a generator G. Then k G = sum over i of (2 k_i - 1) 2^i H, plus
 * (2^252 - 1) H: written so, a window of any bits is an odd number, never zero, and flipping its bits negates it. A
 * table holds the odd multiples above zero of each window; their constant rest is added to the points for the two top
 * bits. A pair's sum starts from one of sixteen points that hold those of both, and the length.
 *
 * A device makes a table from combs: multiple 2 m + 1 is the sum of a coarse and a fine multiple, which never are equal.
 */
import { fr } from '../field/bn254.js';
import { radix, SHAPE } from '../field/bn254-limbs.js';
import type { BuiltTable, Digest } from './types.js';

/** An affine point of Grumpkin, which is not the identity. */
export interface AffinePoint {
  readonly x: bigint;
  readonly y: bigint;
}

/** Bits of an element that windows cover; two are above them. */
const WINDOWED_BITS = 252;
/** Order of the group, which is odd. */
const ORDER = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
/** Words at the head of a table, and of a seed. */
const [TABLE_HEAD, SEED_HEAD] = [4, 8];
/** Points that share an inversion in `shaders/lib/pedersen-build.wgsl`. */
const BATCH = 16;
const POINT_BYTES = 64;

/** Sums of points, one by one, for the price of one inversion; no sum may be the identity. */
function addAll(a: readonly AffinePoint[], b: readonly AffinePoint[]): AffinePoint[] {
  const equal = a.map(({ x }, i) => x === b[i]!.x);
  const inverses = fr.batchInverse(a.map((p, i) => (equal[i] ? fr.add(p.y, p.y) : fr.sub(b[i]!.x, p.x))));
  return a.map((p, i) => {
    const q = b[i]!;
    const rise = equal[i] ? 3n * p.x * p.x : q.y - p.y;
    const slope = fr.reduce(rise * inverses[i]!);
    const x = fr.reduce(slope * slope - p.x - q.x);
    return { x, y: fr.reduce(slope * (p.x - x) - p.y) };
  });
}

const doubleAll = (points: readonly AffinePoint[]): AffinePoint[] => addAll(points, points);
const negated = ({ x, y }: AffinePoint): AffinePoint => ({ x, y: fr.neg(y) });

/** Halves of points: each times the inverse of 2 modulo the order. */
function halves(points: readonly AffinePoint[]): AffinePoint[] {
  const scalar = ((ORDER + 1n) / 2n).toString(2).slice(1);
  let sums = [...points];
  for (const bit of scalar) {
    sums = doubleAll(sums);
    if (bit === '1') sums = addAll(sums, points);
  }
  return sums;
}

/** 1 to `count` times each point, `count` a power of two: `result[k - 1][i]` is k times point i. */
function multiples(points: readonly AffinePoint[], count: number): AffinePoint[][] {
  let known = [[...points]];
  while (known.length < count) {
    const last = known.at(-1)!;
    const sums = addAll(
      known.flat(),
      known.flatMap(() => last),
    );
    known = [...known, ...known.map((_, k) => sums.slice(k * points.length, (k + 1) * points.length))];
  }
  return known;
}

/** The points of a seed, by window and generator. */
interface Combs {
  /** Points for top bits 0 to 3 of each generator, with the constant rest of its windows. */
  readonly tops: readonly (readonly AffinePoint[])[];
  /** Fine and then coarse multiples, window by window, of one generator after the other. */
  readonly combs: readonly AffinePoint[];
}

function combsOf(generators: readonly AffinePoint[], bits: number): Combs {
  const windows = WINDOWED_BITS / bits;
  const [fine, coarse] = combSizes(bits);
  const half = halves(generators);
  /** `chain[i]`: 2^(bits i) times each half. */
  const chain = [half];
  for (let i = 0; i < WINDOWED_BITS; i++) {
    const doubled = doubleAll(i % bits ? chain.pop()! : chain.at(-1)!);
    chain.push(doubled);
  }
  const last = chain.pop()!;
  const rest = addAll(last, half.map(negated));
  const top = doubleAll(last);
  const [once, twice, thrice] = multiples(top, 4) as [AffinePoint[], AffinePoint[], AffinePoint[]];
  const tops = [rest, addAll(rest, once), addAll(rest, twice), addAll(rest, thrice)];
  const bases = generators.flatMap((_, g) => Array.from({ length: windows }, (_, i) => chain[i]![g]!));
  // Odd multiples 1 to 2 fine - 1, negated and from the greatest down; then those of 2 fine.
  const small = multiples(bases, 2 * fine);
  const large = multiples(small.at(-1)!, coarse);
  const combs = bases.flatMap((_, i) => [
    ...Array.from({ length: fine }, (_, k) => negated(small[2 * (fine - 1 - k)]![i]!)),
    ...large.map((points) => points[i]!),
  ]);
  return { tops: generators.map((_, g) => tops.map((points) => points[g]!)), combs };
}

/** How many points the two combs of a window have. */
function combSizes(bits: number): [fine: number, coarse: number] {
  const fine = 2 ** Math.floor((bits - 1) / 2);
  return [fine, 2 ** (bits - 1) / fine];
}

/** Writes points as kernels read them: coordinates in Montgomery form, 32 bytes little-endian. */
function writePoints(view: DataView, at: number, points: readonly AffinePoint[]): void {
  const one = fr.reduce(radix(SHAPE));
  points.forEach(({ x, y }, i) => {
    [x, y].forEach((coordinate, j) => {
      let rest = fr.mul(coordinate, one);
      for (let k = 0; k < 4; k++, rest >>= 64n) {
        view.setBigUint64(at + POINT_BYTES * i + 32 * j + 8 * k, BigInt.asUintN(64, rest), true);
      }
    });
  });
}

interface TableShape {
  readonly bits: number;
  readonly generators: readonly AffinePoint[];
}

function builtTable(
  { bits, generators }: TableShape,
  combs: readonly AffinePoint[],
  starts: readonly AffinePoint[],
  tops: readonly AffinePoint[],
): BuiltTable {
  const first = starts.length + tops.length;
  const seed: Digest = new Uint8Array(4 * SEED_HEAD + POINT_BYTES * (first + combs.length));
  const view = new DataView(seed.buffer);
  const head = [bits, WINDOWED_BITS / bits, starts.length, first, Math.log2(combSizes(bits)[0])];
  head.forEach((word, i) => {
    view.setUint32(4 * i, word, true);
  });
  writePoints(view, 4 * SEED_HEAD, [...starts, ...tops, ...combs]);
  const points = first + generators.length * (WINDOWED_BITS / bits) * 2 ** (bits - 1);
  return { seed, bytes: 4 * TABLE_HEAD + POINT_BYTES * points, items: Math.ceil(points / BATCH) };
}

/**
 * The table of pairs.
 *
 * @param bits of a window: a divisor of 252.
 * @param generators the two of a pair. @param length the point that is added once for each element.
 */
export function pairTable(bits: number, generators: readonly AffinePoint[], length: AffinePoint): BuiltTable {
  const { tops, combs } = combsOf(generators, bits);
  const [left, right] = tops;
  const both = addAll(
    left!.flatMap((p) => [p, p, p, p]),
    left!.flatMap(() => right!),
  );
  const twice = doubleAll([length]);
  const starts = addAll(
    both,
    both.flatMap(() => twice),
  );
  return builtTable({ bits, generators }, combs, starts, []);
}

/** The table of rows of up to as many elements as there are generators, a power of two. */
export function rowTable(bits: number, generators: readonly AffinePoint[], length: AffinePoint): BuiltTable {
  const { tops, combs } = combsOf(generators, bits);
  const starts = multiples([length], generators.length).flat();
  return builtTable({ bits, generators }, combs, starts, tops.flat());
}
