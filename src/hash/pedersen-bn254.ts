/**
 * Pedersen hashes and commitments over Grumpkin, as Aztec and Noir use them: sums of fixed points times field elements.
 */
import { assertBytes } from '../bytes.js';
import { canonicalElement, elementFromBytes, elementToBytes } from '../field/bn254.js';
import { addPoints, type GrumpkinPoint, type GrumpkinSum, multiplyPoint } from '../field/grumpkin.js';
import { lazy } from './lazy.js';
import { DATA_DOMAIN, generators, lengthGenerator, MAX_GENERATORS } from './pedersen-generators.js';
import type { Digest, GpuKernels, HashModule, KernelLoader } from './types.js';

export type { GrumpkinPoint, GrumpkinSum } from '../field/grumpkin.js';
export { MAX_GENERATORS } from './pedersen-generators.js';

/** Bytes that one element of the byte form holds. */
const PIECE_BYTES = 31;

/** The generators of so many inputs; refuses none, too many, and an index out of range. */
function generatorsFor(count: number, hashIndex: number): readonly GrumpkinPoint[] {
  if (!Number.isSafeInteger(hashIndex) || hashIndex < 0 || hashIndex >= MAX_GENERATORS) {
    throw new RangeError(`hashIndex: expected an integer from 0 to ${MAX_GENERATORS - 1}, got ${hashIndex}`);
  }
  if (count < 1 || hashIndex + count > MAX_GENERATORS) {
    const most = MAX_GENERATORS - hashIndex;
    throw new RangeError(`elements: expected 1 to ${most} at hash index ${hashIndex}, got ${count}`);
  }
  return generators(DATA_DOMAIN, hashIndex, count);
}

/**
 * The commitment to canonical elements: the sum of each times its generator. It binds neither their number nor the
 * index: trailing zeros change nothing.
 *
 * @param hashIndex the generator of the first element; elements and index together stay below `MAX_GENERATORS`.
 * @returns a point, or `undefined` for the identity, which zeros alone give.
 * @throws {RangeError} for no elements, too many, or an index out of range.
 * @throws {CambiumError} `NOT_CANONICAL` with the index of an element at or above the modulus.
 * @example
 * ```ts
 * pedersenCommit([1n, 1n]); // { x: 0x2f7a8f9a6c96926682205fb73ee43215bf13523c19d7afe36f12760266cdfe15n, y: … }
 * ```
 */
export function pedersenCommit(elements: readonly bigint[], hashIndex = 0): GrumpkinSum {
  const points = generatorsFor(elements.length, hashIndex);
  elements.forEach(canonicalElement);
  return points.reduce<GrumpkinSum>(
    (sum, point, i) => addPoints(sum, multiplyPoint(point, elements[i]!)),
    undefined,
  );
}

/**
 * The hash of canonical elements: the coordinate x of their commitment and of their number times a point of its own.
 *
 * Elements at index h and the same ones behind h zeros give equal commitments; their hashes differ by length only.
 *
 * @param hashIndex the generator of the first element; elements and index together stay below `MAX_GENERATORS`.
 * @throws {RangeError} for no elements, too many, or an index out of range.
 * @throws {CambiumError} `NOT_CANONICAL` with the index of an element at or above the modulus.
 * @example
 * ```ts
 * pedersenHash([1n, 1n]); // 0x07ebfbf4df29888c6cd6dca13d4bb9d1a923013ddbbcbdc3378ab8845463297bn
 * ```
 */
export function pedersenHash(elements: readonly bigint[], hashIndex = 0): bigint {
  const commitment = pedersenCommit(elements, hashIndex);
  const length = multiplyPoint(lengthGenerator(), BigInt(elements.length));
  const sum = addPoints(length, commitment);
  // That is a known multiple of the length's point, which no one can find.
  if (!sum) throw new RangeError('elements: their sum is the identity, which has no coordinates');
  return sum.x;
}

/**
 * The hash of bytes as a chain over pieces of 31 bytes. **It does not bind their length**: a zero byte in front of the
 * last piece changes nothing, so `"abc"` and `"\0abc"` hash alike. For interoperation only.
 *
 * @throws {RangeError} for no bytes.
 */
export function pedersenHashBytesWithoutLength(bytes: Uint8Array, hashIndex = 0): bigint {
  assertBytes(bytes, 'bytes');
  if (!bytes.length) throw new RangeError('bytes: expected one or more, got none');
  const pieces: bigint[] = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    pieces.push(piece.reduce((value, byte) => (value << 8n) + BigInt(byte), 0n));
  }
  if (pieces.length === 1) return pedersenHash(pieces, hashIndex);
  return pieces.reduce((chain, piece) => pedersenHash([chain, piece], hashIndex));
}

export const reference: HashModule = {
  id: 'pedersen-bn254',
  maxElements: MAX_GENERATORS,
  hashElements: (elements): Digest => elementToBytes(pedersenHash(elements)),
  hashPair: (left, right) =>
    elementToBytes(pedersenHash([elementFromBytes(left, 0), elementFromBytes(right, 1)])),
};

/** The same kernels at every call: what runs on a device is known by them. */
export const gpu: KernelLoader<GpuKernels> = /* @__PURE__ */ lazy(async () => ({
  ...(await import('../generated/gpu/pedersen-bn254.js')),
  built: (await import('./pedersen-bn254-windows.js')).builtTables(),
}));
