/**
 * Grumpkin: y^2 = x^3 - 17 over the scalar field of BN254, a group of prime order. Bigints, short and slow: the oracle.
 */
import { fr } from './bn254.js';

/** An affine point. */
export interface GrumpkinPoint {
  readonly x: bigint;
  readonly y: bigint;
}

/** A point, or `undefined` for the identity, which has no coordinates. */
export type GrumpkinSum = GrumpkinPoint | undefined;

/** Order of the group: the modulus of BN254's base field. */
export const GRUMPKIN_ORDER = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;

/** What the equation adds to x^3. */
const B = -17n;

/** Jacobian coordinates, x = X / Z^2 and y = Y / Z^3; Z = 0 for the identity. */
type Jacobian = readonly [x: bigint, y: bigint, z: bigint];

const IDENTITY: Jacobian = [1n, 1n, 0n];

/** Whether the coordinates are canonical and satisfy the equation. */
export function isOnGrumpkin({ x, y }: GrumpkinPoint): boolean {
  const canonical = [x, y].every((value) => value >= 0n && value < fr.modulus);
  return canonical && fr.square(y) === curveSide(x);
}

/** `x^3 - 17`. */
export const curveSide = (x: bigint): bigint => fr.reduce(fr.mul(fr.square(x), x) + B);

function double([x, y, z]: Jacobian): Jacobian {
  const yy = fr.square(y);
  const s = fr.mul(4n * x, yy);
  const m = fr.mul(3n * x, x);
  const x3 = fr.reduce(m * m - 2n * s);
  return [x3, fr.reduce(m * (s - x3) - 8n * yy * yy), fr.mul(2n * y, z)];
}

function addAffine(sum: Jacobian, { x, y }: GrumpkinPoint): Jacobian {
  const [x1, y1, z1] = sum;
  if (z1 === 0n) return [x, y, 1n];
  const zz = fr.square(z1);
  const h = fr.reduce(x * zz - x1);
  const r = fr.reduce(y * fr.mul(zz, z1) - y1);
  if (h === 0n) return r === 0n ? double(sum) : IDENTITY;
  const hh = fr.square(h);
  const hhh = fr.mul(hh, h);
  const v = fr.mul(x1, hh);
  const x3 = fr.reduce(r * r - hhh - 2n * v);
  return [x3, fr.reduce(r * (v - x3) - y1 * hhh), fr.mul(z1, h)];
}

function affine([x, y, z]: Jacobian): GrumpkinSum {
  if (z === 0n) return undefined;
  const inverse = fr.inverse(z);
  const square = fr.square(inverse);
  return { x: fr.mul(x, square), y: fr.mul(y, fr.mul(square, inverse)) };
}

/** The sum of two points. */
export function addPoints(a: GrumpkinSum, b: GrumpkinSum): GrumpkinSum {
  if (!a || !b) return a ?? b;
  return affine(addAffine([a.x, a.y, 1n], b));
}

/** `-point`. */
export function negatePoint({ x, y }: GrumpkinPoint): GrumpkinPoint {
  return { x, y: fr.neg(y) };
}

/**
 * `scalar` times a point.
 *
 * @throws {RangeError} when the scalar is negative.
 */
export function multiplyPoint(point: GrumpkinPoint, scalar: bigint): GrumpkinSum {
  if (scalar < 0n) throw new RangeError(`scalar: expected 0 or more, got ${scalar}`);
  let sum = IDENTITY;
  for (const bit of scalar.toString(2)) {
    sum = double(sum);
    if (bit === '1') sum = addAffine(sum, point);
  }
  return affine(sum);
}
