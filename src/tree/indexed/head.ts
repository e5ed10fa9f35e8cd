/**
 * The head of an indexed tree.
 */
import { concatBytes, DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';

/** A committed state of the tree. */
export interface Head {
  /** Leaves, padding included. */
  readonly size: number;
  /** Commits so far; 0 before the first. */
  readonly version: bigint;
  readonly root: Digest;
}

const FIXED_BYTES = 16;

export function encodeHead({ size, version, root }: Head): Digest {
  const fixed = new Uint8Array(FIXED_BYTES);
  const view = new DataView(fixed.buffer);
  view.setBigUint64(0, version);
  view.setBigUint64(8, BigInt(size));
  return concatBytes(fixed, root);
}

/** @throws {CambiumError} `STORE_CORRUPT` when the bytes are no head. */
export function decodeHead(bytes: Uint8Array): Head {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = bytes.length === FIXED_BYTES + DIGEST_BYTES ? Number(view.getBigUint64(8)) : Number.NaN;
  if (!Number.isSafeInteger(size)) {
    throw new CambiumError('STORE_CORRUPT', `the head of the tree is unreadable, ${bytes.length} bytes`);
  }
  return { size, version: view.getBigUint64(0), root: new Uint8Array(bytes.subarray(FIXED_BYTES)) };
}
