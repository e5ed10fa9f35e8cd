/** Making proofs. Only chunks that exist and the nodes above them are hashed; all else is a subtree of zeros. */
import type { Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { buildNode } from './build.js';
import { gindexOf, type Path } from './gindex.js';
import { branchGindices, checkGindices, checkProvable, helperGindices } from './gindex-set.js';
import type { KeptNode } from './node.js';
import { wholeScope } from './scopes.js';
import { encodingOf, type Serialized } from './serialized.js';
import type { SszType, SszValue } from './types.js';
import { digestOf } from './walk.js';
import { run, type Work, type WorkOptions } from './work.js';

/** That a node stands at a generalized index. */
export interface SszProof {
  readonly gindex: bigint;
  /** 32 bytes. */
  readonly leaf: Digest;
  /** The siblings from below, one a level, 32 bytes each. */
  readonly branch: readonly Digest[];
}

/** That several nodes stand at their generalized indices. */
export interface SszMultiproof {
  /** In the caller's order. */
  readonly gindices: readonly bigint[];
  /** The node at each index, 32 bytes each. */
  readonly leaves: readonly Digest[];
  /** The nodes at `helperGindices(gindices)`, 32 bytes each. */
  readonly proof: readonly Digest[];
}

/** A part of a value: a path to it, or its generalized index. */
export type Place = Path | bigint;

/**
 * Proves what stands at a place in a value, or in {@link serialized} bytes.
 *
 * @throws {TypeError} or {RangeError} for a place that the type, or this value, does not have; for a value that is not of
 *   the type; for an index deeper than 256.
 * @throws {CambiumError} `MALFORMED` for bytes that encode no value of the type; what the hasher throws.
 * @example
 * ```ts
 * const { gindex, leaf, branch } = await ssz.createProof(hasher, blockType, block, ['body', 'transactions', 1]);
 * ssz.verifyProof(hasher, { root, gindex, leaf }, branch); // true
 * ```
 */
export async function createProof(
  hasher: Hasher,
  type: SszType,
  value: SszValue | Serialized,
  place: Place,
  options: WorkOptions = {},
): Promise<SszProof> {
  const gindex = placeGindex(type, place);
  return await run(
    hasher,
    (function* () {
      return yield* proofAt(yield* rootNode(type, value), gindex);
    })(),
    options,
  );
}

/**
 * Proves what stands at several places.
 *
 * @throws what {@link createProof} throws, and {RangeError} for no place, more than 4096, one twice, or one within
 *   another.
 */
export async function createMultiproof(
  hasher: Hasher,
  type: SszType,
  value: SszValue | Serialized,
  places: readonly Place[],
  options: WorkOptions = {},
): Promise<SszMultiproof> {
  const gindices = places.map((place) => placeGindex(type, place));
  checkGindices(gindices);
  return await run(
    hasher,
    (function* () {
      return yield* multiproofAt(yield* rootNode(type, value), gindices);
    })(),
    options,
  );
}

/** The index of a place. */
export function placeGindex(type: SszType, place: Place): bigint {
  const gindex = typeof place === 'bigint' ? place : gindexOf(type, place);
  checkProvable(gindex, 'gindex');
  return gindex;
}

/** The nodes of a value. */
export function* rootNode(type: SszType, value: SszValue | Serialized): Work<KeptNode> {
  const bytes = encodingOf(type, value);
  const { starts, ends } = wholeScope(type, bytes);
  return yield* buildNode({ type, bytes, start: starts[0]!, end: ends[0]! });
}

/** A single proof out of kept nodes. */
export function* proofAt(root: KeptNode, gindex: bigint): Work<SszProof> {
  const [leaf, ...branch] = yield* digestsOf(root, [gindex, ...branchGindices(gindex)]);
  return { gindex, leaf: leaf!, branch };
}

/** A multiproof out of kept nodes. */
export function* multiproofAt(root: KeptNode, gindices: readonly bigint[]): Work<SszMultiproof> {
  const leaves = yield* digestsOf(root, gindices);
  const proof = yield* digestsOf(root, helperGindices(gindices));
  return { gindices, leaves, proof };
}

function* digestsOf(root: KeptNode, gindices: readonly bigint[]): Work<Digest[]> {
  const digests: Digest[] = [];
  for (const gindex of gindices) digests.push(new Uint8Array(yield* digestOf(root, gindex)));
  return digests;
}
