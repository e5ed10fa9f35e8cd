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
import { GRUMPKIN_ORDER, type GrumpkinPoint, multiplyPoint, negatePoint } from '../field/grumpkin.js';
import { DATA_DOMAIN, generators, lengthGenerator, MAX_GENERATORS } from './pedersen-generators.js';
import { Rest } from './rest.js';
import type { BuiltTable, Digest, GpuKernels } from './types.js';

/** Bits of an element that windows cover; two are above them. */
const WINDOWED_BITS = 252;
/** Words at the head of a table, and of a seed. */
const [TABLE_HEAD, SEED_HEAD] = [4, 8];
const POINT_BYTES = 64;
/** Points that share an inversion in `shaders/lib/pedersen-build.wgsl`. */
const BATCH = 16;
/** Generators whose combs are made at a time, two or more: many would hold a page's thread too long. */
const AT_A_TIME = 2;

/** Bits of a window of pairs: 5.5 MB. */
export const PAIR_BITS = 12;

/** Bits of a window by the most elements of a row: 11, 7, 9, 22 and 33 MB, each made when it is needed. */
export const ROW_CLASSES: readonly (readonly [elements: number, bits: number])[] = [
  [4, 12],
  [16, 9],
  [64, 7],
  [256, 6],
  [MAX_GENERATORS, 4],
];

/** Sums of points, one by one, for the price of one inversion; no sum may be the identity. */
function addAll(a: readonly GrumpkinPoint[], b: readonly GrumpkinPoint[]): GrumpkinPoint[] {
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

const doubleAll = (points: readonly GrumpkinPoint[]): GrumpkinPoint[] => addAll(points, points);

/** 1 to `count` times each point, `count` a power of two: `result[k - 1][i]` is k times point i. */
async function multiples(
  points: readonly GrumpkinPoint[],
  count: number,
  rest: Rest,
): Promise<GrumpkinPoint[][]> {
  let known = [[...points]];
  while (known.length < count) {
    await rest.due();
    const last = known.at(-1)!;
    const sums = addAll(
      known.flat(),
      known.flatMap(() => last),
    );
    known = [...known, ...known.map((_, k) => sums.slice(k * points.length, (k + 1) * points.length))];
  }
  return known;
}

/** How many points the two combs of a window have. */
function combSizes(bits: number): [fine: number, coarse: number] {
  const fine = 2 ** Math.floor((bits - 1) / 2);
  return [fine, 2 ** (bits - 1) / fine];
}

/** The points of some generators in a seed. */
interface Combs {
  /** Points for top bits 0 to 3 of each generator, with the constant rest of its windows. */
  readonly tops: readonly (readonly GrumpkinPoint[])[];
  /** Fine and then coarse multiples, window by window, of one generator after the other. */
  readonly combs: readonly GrumpkinPoint[];
}

async function combsOf(points: readonly GrumpkinPoint[], bits: number, rest: Rest): Promise<Combs> {
  const halves = points.map((point) => multiplyPoint(point, (GRUMPKIN_ORDER + 1n) / 2n)!);
  // Doubled at the borders of windows: 2^(bits i) times each half.
  const borders = [halves];
  let power = halves;
  for (let i = 1; i <= WINDOWED_BITS; i++) {
    await rest.due();
    power = doubleAll(power);
    if (i % bits === 0) borders.push(power);
  }
  const [once, twice, thrice] = (await multiples(doubleAll(power), 4, rest)) as [
    GrumpkinPoint[],
    GrumpkinPoint[],
    GrumpkinPoint[],
  ];
  const constant = addAll(power, halves.map(negatePoint));
  const tops = [constant, ...[once, twice, thrice].map((top) => addAll(constant, top))];
  const bases = points.flatMap((_, g) => borders.slice(0, -1).map((border) => border[g]!));
  const [fine, coarse] = combSizes(bits);
  const small = await multiples(bases, 2 * fine, rest);
  const large = await multiples(small.at(-1)!, coarse, rest);
  const combs = bases.flatMap((_, i) => [
    // Odd multiples, below zero: from the one furthest from it.
    ...Array.from({ length: fine }, (_, k) => negatePoint(small[2 * (fine - 1 - k)]![i]!)),
    ...large.map((multiple) => multiple[i]!),
  ]);
  return { tops: points.map((_, g) => tops.map((top) => top[g]!)), combs };
}

/** Combs of the first generators, a power of two of them. */
async function allCombs(count: number, bits: number): Promise<Combs> {
  const rest = new Rest();
  const parts: Combs[] = [];
  for (let g = 0; g < count; g += AT_A_TIME) {
    parts.push(await combsOf(generators(DATA_DOMAIN, g, AT_A_TIME), bits, rest));
  }
  return { tops: parts.flatMap(({ tops }) => tops), combs: parts.flatMap(({ combs }) => combs) };
}

/** Writes points as kernels read them: coordinates in Montgomery form, 32 bytes little-endian. */
function writePoints(view: DataView, at: number, points: readonly GrumpkinPoint[]): void {
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

/** A seed: its head, the points that the table begins with, and the combs of its windows. */
function seedOf(
  bits: number,
  starts: readonly GrumpkinPoint[],
  tops: readonly GrumpkinPoint[],
  combs: readonly GrumpkinPoint[],
): Digest {
  const points = [...starts, ...tops, ...combs];
  const seed: Digest = new Uint8Array(4 * SEED_HEAD + POINT_BYTES * points.length);
  const view = new DataView(seed.buffer);
  const first = starts.length + tops.length;
  const head = [bits, WINDOWED_BITS / bits, starts.length, first, Math.log2(combSizes(bits)[0])];
  head.forEach((word, i) => {
    view.setUint32(4 * i, word, true);
  });
  writePoints(view, 4 * SEED_HEAD, points);
  return seed;
}

/** The size of a table of so many generators behind the points that it begins with. */
function sizeOf(bits: number, elements: number, first: number): Pick<BuiltTable, 'bytes' | 'items'> {
  const points = first + (elements * WINDOWED_BITS * 2 ** (bits - 1)) / bits;
  return { bytes: 4 * TABLE_HEAD + POINT_BYTES * points, items: Math.ceil(points / BATCH) };
}

/** The table of pairs, with windows of so many bits: a divisor of 252. */
export function pairTable(bits: number): BuiltTable {
  return {
    ...sizeOf(bits, 2, 16),
    seed: async () => {
      const { tops, combs } = await allCombs(2, bits);
      const [left, right] = tops;
      const both = addAll(
        left!.flatMap((point) => [point, point, point, point]),
        left!.flatMap(() => right!),
      );
      const length = doubleAll([lengthGenerator()]);
      const starts = addAll(
        both,
        both.flatMap(() => length),
      );
      return seedOf(bits, starts, [], combs);
    },
  };
}

/** The table of rows of up to `elements` elements, a power of two. */
export function rowTable(bits: number, elements: number): BuiltTable {
  return {
    ...sizeOf(bits, elements, 5 * elements),
    seed: async () => {
      const { tops, combs } = await allCombs(elements, bits);
      const starts = await multiples([lengthGenerator()], elements, new Rest());
      return seedOf(bits, starts.flat(), tops.flat(), combs);
    },
  };
}

/** What kernels are given: the table of pairs, and one for each class of rows. */
export function builtTables(): NonNullable<GpuKernels['built']> {
  const pairs = pairTable(PAIR_BITS);
  const classes = ROW_CLASSES.map(([elements, bits]) => ({ elements, table: rowTable(bits, elements) }));
  return {
    pairs: () => pairs,
    rows: (rowElements) => {
      const found = classes.find(({ elements }) => rowElements <= elements);
      if (found) return found.table;
      throw new RangeError(`rows: expected at most ${MAX_GENERATORS} elements, got ${rowElements}`);
    },
  };
}
