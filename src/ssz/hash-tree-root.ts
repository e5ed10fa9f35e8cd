/** `hash_tree_root`, and the merkleization under it. */
import { assertMultiple, DIGEST_BYTES, type Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { uint256 } from './construct.js';
import { foldGroups, foldProgressive } from './fold.js';
import { activeChunk, rootsOf } from './roots.js';
import { wholeScope } from './scopes.js';
import { serialize } from './serialize.js';
import { encodingOf, type Serialized } from './serialized.js';
import { depthOf, type SszType, type SszValue } from './types.js';
import { run, runSync, type Work, type WorkOptions } from './work.js';

/**
 * Root of a value, or of {@link serialized} bytes, by whatever the hasher has: 32 bytes.
 *
 * @throws {TypeError} or {RangeError} for a value that is not of the type, or a hasher of another hash than `sha256`.
 * @throws {CambiumError} `MALFORMED` for bytes that encode no value of the type; `ABORTED`; what the hasher throws.
 * @example
 * ```ts
 * const root = await ssz.hashTreeRoot(hasher, ssz.list(ssz.uint64, 2n ** 40n), ssz.serialized(bytes));
 * ```
 */
export async function hashTreeRoot(
  hasher: Hasher,
  type: SszType,
  value: SszValue | Serialized,
  options: WorkOptions = {},
): Promise<Digest> {
  return await run(hasher, rootOf(type, value), options);
}

/** {@link hashTreeRoot} on the CPU and the caller's thread. */
export function hashTreeRootSync(hasher: Hasher, type: SszType, value: SszValue | Serialized): Digest {
  return runSync(hasher, rootOf(type, value));
}

/**
 * Root of a tree over chunks, padded virtually to `limit` chunks: 32 bytes.
 *
 * @param limit number of chunks that the tree has room for, to 2^64; default: as many as there are.
 * @throws {RangeError} when there are more chunks than `limit`, or `chunks` is no whole number of them.
 */
export async function merkleize(
  hasher: Hasher,
  chunks: Uint8Array,
  limit?: number | bigint,
  options: WorkOptions = {},
): Promise<Digest> {
  const count = countChunks(chunks);
  const room = limit ?? count;
  if (room < count) throw new RangeError(`chunks: expected at most ${room}, got ${count}`);
  const work = foldGroups(new Uint8Array(chunks), Uint32Array.of(count), depthOf(room));
  return (await run(hasher, work, options)).slice();
}

/**
 * Root of a progressive tree over chunks: 32 bytes, zeros for no chunk.
 *
 * @throws {RangeError} when `chunks` is no whole number of chunks.
 */
export async function merkleizeProgressive(
  hasher: Hasher,
  chunks: Uint8Array,
  options: WorkOptions = {},
): Promise<Digest> {
  const count = countChunks(chunks);
  return await run(hasher, foldProgressive(new Uint8Array(chunks), Uint32Array.of(count)), options);
}

function* rootOf(type: SszType, value: SszValue | Serialized): Work<Digest> {
  const bytes = encodingOf(type, value);
  const roots = yield* rootsOf(type, bytes, wholeScope(type, bytes));
  // A view of a whole layer would keep that alive.
  return roots.slice();
}

function countChunks(chunks: Uint8Array): number {
  assertMultiple(chunks, DIGEST_BYTES, 'chunks');
  return chunks.length / DIGEST_BYTES;
}

/**
 * `mix_in_length` and `mix_in_selector`: a root hashed with a number, on the CPU; 32 bytes.
 *
 * @throws {RangeError} when `root` is not 32 bytes, or `value` not from 0 to 2^256 - 1.
 */
export function mixInNumber(hasher: Hasher, root: Uint8Array, value: bigint): Digest {
  return hasher.hashPair(root, serialize(uint256, value));
}

/**
 * `mix_in_active_fields`: a root hashed with the marks of a progressive container, on the CPU; 32 bytes.
 *
 * @throws {RangeError} when `root` is not 32 bytes, or there are more than 256 marks.
 */
export function mixInActiveFields(hasher: Hasher, root: Uint8Array, active: readonly boolean[]): Digest {
  if (active.length > 256) throw new RangeError(`active: expected at most 256 marks, got ${active.length}`);
  return hasher.hashPair(root, activeChunk(active));
}
