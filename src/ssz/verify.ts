/**
 * Verification of proofs. The verifier states root and generalized index itself: leaves and nodes are hashed alike, so
 * only the index says what a node is.
 */
import { assertLength, DIGEST_BYTES, equalBytes } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { gindexDepth } from './gindex.js';
import { checkGindices, checkProvable, helperGindices, MAX_PROOF_DEPTH } from './gindex-set.js';

type PairHash = Pick<Hasher, 'hashPair'>;

/** What {@link verifyProof} is to confirm. */
export interface ProofClaim {
  /** 32 bytes. */
  readonly root: Uint8Array;
  readonly gindex: bigint;
  /** The node at `gindex`, 32 bytes. */
  readonly leaf: Uint8Array;
}

/** What {@link verifyMultiproof} is to confirm. */
export interface MultiproofClaim {
  /** 32 bytes. */
  readonly root: Uint8Array;
  readonly gindices: readonly bigint[];
  /** The node at each index, in their order, 32 bytes each. */
  readonly leaves: readonly Uint8Array[];
}

/**
 * Whether `branch` leads from the claimed node to the claimed root.
 *
 * @param branch siblings from below; one a level, no more and no less.
 * @returns `false` for a wrong proof, a branch of another length included.
 * @throws {TypeError} or {RangeError} for a claim that no tree can make: an index below 1 or too deep, a digest not of 32
 *   bytes.
 */
export function verifyProof(hash: PairHash, claim: ProofClaim, branch: readonly Uint8Array[]): boolean {
  const { root, gindex, leaf } = claim;
  checkProvable(gindex, 'gindex');
  assertLength(root, DIGEST_BYTES, 'root');
  assertLength(leaf, DIGEST_BYTES, 'leaf');
  checkNodes(branch, 'branch');
  if (branch.length !== gindexDepth(gindex)) return false;
  let node = leaf;
  let at = gindex;
  for (const sibling of branch) {
    node = at & 1n ? hash.hashPair(sibling, node) : hash.hashPair(node, sibling);
    at >>= 1n;
  }
  return equalBytes(node, root);
}

/**
 * The specification's `is_valid_merkle_branch`, strict: {@link verifyProof} with the node at position `index` of level
 * `depth`.
 *
 * @throws what {@link verifyProof} throws, and {RangeError} for an index that the level does not have.
 */
export function isValidMerkleBranch(
  hash: PairHash,
  claim: {
    readonly root: Uint8Array;
    readonly leaf: Uint8Array;
    readonly depth: number;
    readonly index: bigint;
  },
  branch: readonly Uint8Array[],
): boolean {
  const { root, leaf, depth, index } = claim;
  if (!(Number.isInteger(depth) && depth >= 0 && depth <= MAX_PROOF_DEPTH)) {
    throw new RangeError(`depth: expected a whole number from 0 to ${MAX_PROOF_DEPTH}, got ${depth}`);
  }
  const width = 1n << BigInt(depth);
  if (!(index >= 0n && index < width)) {
    throw new RangeError(`index: expected one of the ${width} of the level, got ${index}`);
  }
  return verifyProof(hash, { root, leaf, gindex: width + index }, branch);
}

/**
 * The specification's `is_valid_normalized_merkle_branch`: {@link verifyProof} for a branch made for a deeper index,
 * whose first nodes must be zero chunks.
 *
 * @throws what {@link verifyProof} throws.
 */
export function isValidNormalizedMerkleBranch(
  hash: PairHash,
  claim: ProofClaim,
  branch: readonly Uint8Array[],
): boolean {
  checkProvable(claim.gindex, 'gindex');
  checkNodes(branch, 'branch');
  const extra = branch.length - gindexDepth(claim.gindex);
  if (extra < 0 || branch.slice(0, extra).some((node) => node.some(Boolean))) return false;
  return verifyProof(hash, claim, branch.slice(extra));
}

/**
 * Whether `proof` leads from all claimed nodes to the claimed root.
 *
 * @param proof the nodes at `helperGindices(gindices)`, in that order.
 * @returns `false` for a wrong proof, another number of nodes included.
 * @throws {TypeError} or {RangeError} for a claim that no tree can make, or that does not fix all its nodes: no index, an
 *   index twice, one above another, not one leaf for each; more than 4096, deeper than 256.
 */
export function verifyMultiproof(
  hash: PairHash,
  claim: MultiproofClaim,
  proof: readonly Uint8Array[],
): boolean {
  const { root, gindices, leaves } = claim;
  checkGindices(gindices);
  assertLength(root, DIGEST_BYTES, 'root');
  checkNodes(leaves, 'leaves');
  checkNodes(proof, 'proof');
  if (leaves.length !== gindices.length) {
    throw new RangeError(`leaves: expected ${gindices.length}, one for each index, got ${leaves.length}`);
  }
  const helpers = helperGindices(gindices);
  if (proof.length !== helpers.length) return false;
  const nodes = new Map<bigint, Uint8Array>();
  for (const [i, gindex] of gindices.entries()) nodes.set(gindex, leaves[i]!);
  for (const [i, gindex] of helpers.entries()) nodes.set(gindex, proof[i]!);
  // A sibling that is not known yet joins the end later, and then finds this node.
  const order = [...nodes.keys()].sort((a, b) => (a < b ? 1 : -1));
  for (const gindex of order) {
    const parent = gindex >> 1n;
    if (gindex === 1n || nodes.has(parent) || !nodes.has(gindex ^ 1n)) continue;
    const left = nodes.get(gindex & ~1n)!;
    const right = nodes.get(gindex | 1n)!;
    nodes.set(parent, hash.hashPair(left, right));
    order.push(parent);
  }
  return equalBytes(nodes.get(1n)!, root);
}

function checkNodes(nodes: unknown, name: string): asserts nodes is readonly Uint8Array[] {
  if (!Array.isArray(nodes)) throw new TypeError(`${name}: expected an array, got ${typeof nodes}`);
  nodes.forEach((node, i) => {
    assertLength(node, DIGEST_BYTES, `${name}[${i}]`);
  });
}
