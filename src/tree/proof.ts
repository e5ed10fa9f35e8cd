/**
 * Proofs that a leaf, or a set of leaves, stands at its place in a tree, and their verification.
 *
 * **Where the numbers come from.** A verifier states root, position, depth and size itself and never takes them from
 * the proof. Leaves and inner nodes are hashed alike (there is no domain separation), so an inner node, whose 64 bytes
 * of children are known to everyone, passes as the digest of a 64-byte "leaf" in a tree of one level less: a second
 * preimage of the root. With the depth fixed by the verifier, a proof can only reach the level of the real leaves.
 *
 * A wrong proof gives `false`; a claim that no tree can make (an index beyond the size, a digest of 31 bytes) throws.
 */
import type { Padding } from '../backend/types.js';
import { assertLength, DIGEST_BYTES, type Digest, equalBytes } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { checkIndex, checkShape, type Shape, standsAlone } from './shape.js';

/** That one leaf stands at `index`: the digests beside its path, from the leaf upward. */
export interface Proof {
  readonly index: number | bigint;
  /** 32 bytes. */
  readonly leaf: Digest;
  /**
   * One 32-byte digest a level. Under `promote` a node that moves up alone has none, so there can be fewer; under
   * `duplicate` such a node is its own sibling.
   */
  readonly siblings: readonly Digest[];
}

/** That several leaves stand at their places. */
export interface MultiProof {
  /** Ascending, each once. */
  readonly indices: readonly (number | bigint)[];
  /** The leaf at each index, 32 bytes each. */
  readonly leaves: readonly Digest[];
  /** The 32-byte digests that the leaves do not give, level by level upward, left to right. */
  readonly nodes: readonly Digest[];
}

/** The tree that a verifier has in mind. */
export interface TreeClaim {
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** Levels above the leaves, 0 to 64. */
  readonly depth: number;
  /** Number of leaves. Needed for `promote` and `duplicate`; for `zero` it bounds the index further. */
  readonly size?: number | bigint;
  /** Default `zero`. */
  readonly padding?: Padding;
}

/** What {@link verifyProof} is to confirm. */
export interface ProofClaim extends TreeClaim {
  /** 32 bytes. */
  readonly leaf: Uint8Array;
  /** Position of the leaf, from 0. */
  readonly index: number | bigint;
}

/** What {@link verifyMultiproof} is to confirm. */
export interface MultiProofClaim extends TreeClaim {
  /** Ascending, each once, at least one. */
  readonly indices: readonly (number | bigint)[];
  /** The leaf at each index, 32 bytes each. */
  readonly leaves: readonly Uint8Array[];
}

/**
 * Whether `siblings` lead from the claimed leaf at the claimed position to the claimed root.
 *
 * Root, index, depth and size must come from the verifier, not from the proof: leaves and nodes are not domain
 * separated, so a proof that may choose its depth can pass an inner node off as a leaf. Under `duplicate` the size
 * matters as much: the lists `[a, b, c]` and `[a, b, c, c]` have one root (CVE-2012-2459).
 *
 * @returns `false` for a wrong proof, a wrong number of siblings included.
 * @throws {TypeError} for arguments of the wrong type.
 * @throws {RangeError} for a claim that no tree can make: a digest not of 32 bytes, an index beyond the tree, a size
 *   that does not fit the depth, no size under `promote` or `duplicate`.
 * @throws {CambiumError} `NOT_CANONICAL` from a field hash, for a digest that is no field element.
 * @example
 * ```ts
 * const { leaf, index, siblings } = tree.prove(5);
 * verifyProof(hasher, { root, leaf, index, depth: 20 }, siblings); // true
 * ```
 */
export function verifyProof(
  hash: Pick<Hasher, 'hashPair'>,
  claim: ProofClaim,
  siblings: readonly Uint8Array[],
): boolean {
  const shape = checkShape(claim);
  assertLength(claim.root, DIGEST_BYTES, 'root');
  assertLength(claim.leaf, DIGEST_BYTES, 'leaf');
  checkDigests(siblings, 'siblings');
  let at = checkIndex(claim.index, 'index', shape);
  let width = shape.size;
  let node = claim.leaf;
  let used = 0;
  for (let level = 0; level < shape.depth; level++) {
    const alone = standsAlone(at, width);
    if (!(alone && shape.padding === 'promote')) {
      const sibling = siblings[used++];
      if (!sibling || (alone && shape.padding === 'duplicate' && !equalBytes(sibling, node))) return false;
      node = at % 2n ? hash.hashPair(sibling, node) : hash.hashPair(node, sibling);
    }
    at /= 2n;
    width = above(width);
  }
  return used === siblings.length && equalBytes(node, claim.root);
}

/**
 * Whether `nodes` lead from the claimed leaves at the claimed positions to the claimed root.
 *
 * What {@link verifyProof} says about who states root, indices, depth and size holds here too.
 *
 * @returns `false` for a wrong proof, a wrong number of nodes included.
 * @throws {TypeError} for arguments of the wrong type.
 * @throws {RangeError} for a claim that no tree can make; also when there is no index, when the indices do not ascend
 *   strictly, or when there is not one leaf for each.
 * @throws {CambiumError} `NOT_CANONICAL` from a field hash, for a digest that is no field element.
 * @example
 * ```ts
 * const { indices, leaves, nodes } = tree.proveMany([3, 9]);
 * verifyMultiproof(hasher, { root, indices, leaves, depth: 20 }, nodes); // true
 * ```
 */
export function verifyMultiproof(
  hash: Pick<Hasher, 'hashPair'>,
  claim: MultiProofClaim,
  nodes: readonly Uint8Array[],
): boolean {
  const shape = checkShape(claim);
  assertLength(claim.root, DIGEST_BYTES, 'root');
  checkDigests(claim.leaves, 'leaves');
  checkDigests(nodes, 'nodes');
  const indices = checkIndices(claim.indices, shape);
  if (claim.leaves.length !== indices.length) {
    throw new RangeError(
      `leaves: expected ${indices.length}, one for each index, got ${claim.leaves.length}`,
    );
  }
  let level: Level = { indices, nodes: claim.leaves };
  let width = shape.size;
  let used = 0;
  for (let k = 0; k < shape.depth; k++) {
    const folded = foldKnown(hash, level, width, shape.padding, nodes, used);
    if (!folded) return false;
    ({ level, used } = folded);
    width = above(width);
  }
  return used === nodes.length && equalBytes(level.nodes[0]!, claim.root);
}

/** The nodes of one level that the proof gives so far, ascending. */
interface Level {
  readonly indices: readonly bigint[];
  readonly nodes: readonly Uint8Array[];
}

/** The parents of the known nodes, with proof nodes from position `used` where a sibling is missing; undefined when they run out. */
function foldKnown(
  hash: Pick<Hasher, 'hashPair'>,
  { indices, nodes }: Level,
  width: bigint | undefined,
  padding: Padding,
  given: readonly Uint8Array[],
  used: number,
): { level: Level; used: number } | undefined {
  const parents: Uint8Array[] = [];
  const parentIndices: bigint[] = [];
  for (let i = 0; i < indices.length; i++) {
    const at = indices[i]!;
    const node = nodes[i]!;
    parentIndices.push(at / 2n);
    if (at % 2n === 0n && indices[i + 1] === at + 1n) {
      parents.push(hash.hashPair(node, nodes[++i]!));
    } else if (padding === 'promote' && standsAlone(at, width)) {
      parents.push(node);
    } else if (padding === 'duplicate' && standsAlone(at, width)) {
      parents.push(hash.hashPair(node, node));
    } else {
      const sibling = given[used++];
      if (!sibling) return undefined;
      parents.push(at % 2n ? hash.hashPair(sibling, node) : hash.hashPair(node, sibling));
    }
  }
  return { level: { indices: parentIndices, nodes: parents }, used };
}

/** Nodes of the level above. */
function above(width: bigint | undefined): bigint | undefined {
  return width === undefined ? undefined : (width + 1n) / 2n;
}

function checkIndices(indices: unknown, shape: Shape): bigint[] {
  if (!Array.isArray(indices)) throw new TypeError(`indices: expected an array, got ${typeof indices}`);
  if (!indices.length) throw new RangeError('indices: expected at least one');
  const checked = indices.map((index, i) => checkIndex(index, `indices[${i}]`, shape));
  for (let i = 1; i < checked.length; i++) {
    if (checked[i]! <= checked[i - 1]!) {
      throw new RangeError(
        `indices[${i}]: expected more than the ${checked[i - 1]} before it, got ${checked[i]}`,
      );
    }
  }
  return checked;
}

function checkDigests(digests: unknown, name: string): asserts digests is readonly Uint8Array[] {
  if (!Array.isArray(digests)) throw new TypeError(`${name}: expected an array, got ${typeof digests}`);
  digests.forEach((digest, i) => {
    assertLength(digest, DIGEST_BYTES, `${name}[${i}]`);
  });
}
