/** Points of Grumpkin that nobody knows a relation between: hashes of a domain and an index. */
import { concatBytes } from '../bytes.js';
import { fr, integerFromBytes } from '../field/bn254.js';
import { curveSide, type GrumpkinPoint } from '../field/grumpkin.js';
import { blake3 } from './blake3.js';

/** Domain of the points that inputs are multiplied by. */
export const DATA_DOMAIN = 'DEFAULT_DOMAIN_SEPARATOR';
/** Domain of the point that binds the number of inputs: its index 0. */
export const LENGTH_DOMAIN = 'pedersen_hash_length';
/**
 * Generators of a domain. Each takes a millisecond or two to derive and is kept: an index without a bound would be an
 * invitation to block a process, and no known use comes near this one.
 */
export const MAX_GENERATORS = 1024;

/** `p - 1 = 2^28 * ODD`, and 5 is no square. */
const TWO_ADICITY = 28;

/** A square root by Tonelli and Shanks, or `undefined` for what is no square. */
function squareRoot(square: bigint): bigint | undefined {
  const odd = (fr.modulus - 1n) >> BigInt(TWO_ADICITY);
  const power = fr.pow(square, (odd - 1n) / 2n);
  let root = fr.mul(square, power);
  let rest = fr.mul(root, power);
  let unit = fr.pow(5n, odd);
  for (let order = TWO_ADICITY; rest !== 1n; ) {
    if (rest === 0n) return 0n;
    let log = 0;
    for (let value = rest; value !== 1n; value = fr.square(value)) log++;
    if (log === order) return undefined;
    const factor = fr.pow(unit, 1n << BigInt(order - log - 1));
    root = fr.mul(root, factor);
    unit = fr.square(factor);
    rest = fr.mul(rest, unit);
    order = log;
  }
  return root;
}

/** Hashes 64 bytes to a point: the first x of a sequence that is on the curve. */
function hashToCurve(seed: Uint8Array): GrumpkinPoint {
  for (let attempt = 0; ; attempt++) {
    const half = (part: number): Uint8Array => blake3(concatBytes(seed, Uint8Array.of(attempt, part)));
    const high = half(0);
    const x = fr.reduce((integerFromBytes(high) << 256n) + integerFromBytes(half(1)));
    const root = squareRoot(curveSide(x));
    if (root === undefined) continue;
    const odd = high[0]! >= 128;
    return { x, y: (root & 1n) === (odd ? 1n : 0n) ? root : fr.neg(root) };
  }
}

/** Generators known so far, by domain. */
const known = new Map<string, GrumpkinPoint[]>();

function derive(domain: string, index: number): GrumpkinPoint {
  const seed = new Uint8Array(64);
  seed.set(blake3(new TextEncoder().encode(domain)));
  new DataView(seed.buffer).setUint32(32, index);
  return hashToCurve(seed);
}

/**
 * Generators `start` to `start + count - 1` of a domain, derived at first use and kept.
 *
 * @throws {RangeError} when one of them is beyond {@link MAX_GENERATORS}.
 */
export function generators(domain: string, start: number, count: number): readonly GrumpkinPoint[] {
  if (!Number.isSafeInteger(start) || start < 0 || count < 0 || start + count > MAX_GENERATORS) {
    throw new RangeError(
      `generators: expected indices 0 to ${MAX_GENERATORS - 1}, got ${start} to ${start + count - 1}`,
    );
  }
  const points = known.get(domain) ?? [];
  known.set(domain, points);
  return Array.from({ length: count }, (_, i) => {
    points[start + i] ??= derive(domain, start + i);
    return points[start + i]!;
  });
}

/** The point that is added once for each input. */
export const lengthGenerator = (): GrumpkinPoint => generators(LENGTH_DOMAIN, 0, 1)[0]!;
