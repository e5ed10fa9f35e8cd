/**
 * The head of an append-only tree: all that the next append needs to know, in one entry.
 */
import { concatBytes, DIGEST_BYTES, type Digest, digestAt } from '../bytes.js';
import { CambiumError } from '../errors.js';

/** A committed state of the tree. */
export interface Head {
  readonly size: bigint;
  /** Commits so far. */
  readonly version: bigint;
  readonly root: Digest;
  /** The complete subtrees that the leaves form, by height: `peaks.get(k)` where bit `k` of the size is set. */
  readonly peaks: ReadonlyMap<number, Uint8Array>;
}

/** Version and size, the latter in 128 bits: a full tree of depth 64 has 2^64 leaves. */
const FIXED_BYTES = 8 + 16;

/** Heights of the complete subtrees that `size` leaves form, lowest first. */
export function peakHeights(size: bigint): number[] {
  // Digits: far cheaper than a shift of a bigint for each.
  const bits = size.toString(2);
  const heights: number[] = [];
  for (let height = 0; height < bits.length; height++) {
    if (bits[bits.length - 1 - height] === '1') heights.push(height);
  }
  return heights;
}

export function encodeHead({ size, version, root, peaks }: Head): Digest {
  const fixed = new Uint8Array(FIXED_BYTES);
  const view = new DataView(fixed.buffer);
  view.setBigUint64(0, version);
  view.setBigUint64(8, size >> 64n);
  view.setBigUint64(16, BigInt.asUintN(64, size));
  return concatBytes(fixed, root, ...peakHeights(size).map((height) => peaks.get(height)!));
}

/** @throws {CambiumError} `STORE_CORRUPT` when the bytes are no head. */
export function decodeHead(bytes: Uint8Array): Head {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const long = bytes.length >= FIXED_BYTES;
  const size = long ? (view.getBigUint64(8) << 64n) | view.getBigUint64(16) : 0n;
  const heights = peakHeights(size);
  if (!long || bytes.length !== FIXED_BYTES + (1 + heights.length) * DIGEST_BYTES) {
    throw new CambiumError('STORE_CORRUPT', `the head of the tree has ${bytes.length} bytes`);
  }
  const digests = bytes.subarray(FIXED_BYTES);
  return {
    size,
    version: view.getBigUint64(0),
    root: digestAt(digests, 0).slice(),
    peaks: new Map(heights.map((height, i) => [height, digestAt(digests, i + 1)])),
  };
}
