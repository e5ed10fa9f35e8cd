/**
 * Verification of what an indexed tree proves.
 */
import { assertLength, DIGEST_BYTES, type Digest, equalBytes } from '../../bytes.js';
import { assertCanonical } from '../../hash/canonical.js';
import type { Hasher } from '../../hasher.js';
import { verifyProof } from '../proof.js';
import { wholeNumber } from '../shape.js';
import { compareKeys, isZero, turnKey } from './keys.js';
import { type Leaf, type LeafForm, leafForm, leafNode } from './leaf-form.js';
import type { IndexedLeaf, IndexedProof, IndexedScheme } from './types.js';

/** What a verifier needs of a hasher; all of it is synchronous. */
export type VerifyingHasher = Pick<Hasher, 'spec' | 'hash' | 'hashElements' | 'hashPair'>;

/** The tree that a verifier has in mind, and the value that it asks about. */
export interface IndexedClaim {
  /** 32 bytes. */
  readonly root: Uint8Array;
  /** Levels above the leaves, 1 to 64. */
  readonly depth: number;
  readonly scheme: IndexedScheme;
  /** Whether it is an updatable tree; default false. */
  readonly updatable?: boolean;
  /** 32 bytes. */
  readonly value: Uint8Array;
}

/** That a value is in a tree. */
export interface MembershipClaim extends IndexedClaim {
  /** What the slot holds, 32 bytes; for an updatable tree, and there it is needed. */
  readonly data?: Uint8Array;
}

/**
 * Whether a proof shows that a value is in a tree; in an updatable one, with this data.
 *
 * Root, depth and scheme must come from the verifier, never from the proof.
 *
 * @returns `false` for a wrong proof.
 * @throws {TypeError} for arguments, or parts of the proof, of the wrong type.
 * @throws {RangeError} for a claim that no tree can make, or parts of the proof that are not 32 bytes.
 * @throws {CambiumError} `NOT_CANONICAL` for a value, or a part of the proof, that is no element.
 * @example
 * ```ts
 * const proof = await tree.prove(value);
 * verifyMembership(hasher, { root, depth: 20, scheme: 'typescript', value }, proof); // true
 * ```
 */
export function verifyMembership(
  hash: VerifyingHasher,
  claim: MembershipClaim,
  proof: IndexedProof,
): boolean {
  const { form, key, leaf } = checkClaim(hash, claim, proof);
  if (form.updatable) {
    assertLength(claim.data, DIGEST_BYTES, 'data');
    if (!equalBytes(leaf.data!, claim.data)) return false;
  } else if (claim.data !== undefined) {
    throw new RangeError('data: the tree is not updatable, its leaves have none');
  }
  return compareKeys(leaf.key, key) === 0 && leadsToRoot(hash, form, claim, proof, leaf);
}

/**
 * Whether a proof shows that a value is not in a tree: the leaf below it, which points above it.
 *
 * Root, depth and scheme must come from the verifier, never from the proof. Zero is in every tree.
 *
 * @returns `false` for a wrong proof.
 * @throws as {@link verifyMembership} does.
 * @example
 * ```ts
 * const proof = await tree.proveAbsence(value);
 * verifyAbsence(hasher, { root, depth: 20, scheme: 'typescript', value }, proof); // true
 * ```
 */
export function verifyAbsence(hash: VerifyingHasher, claim: IndexedClaim, proof: IndexedProof): boolean {
  const { form, key, leaf } = checkClaim(hash, claim, proof);
  return isLowLeaf(leaf, key) && leadsToRoot(hash, form, claim, proof, leaf);
}

/** Whether a leaf stands directly below a key that is not in the list. */
export function isLowLeaf({ key: low, nextKey, nextIndex }: Leaf, key: Uint8Array): boolean {
  if (compareKeys(low, key) >= 0) return false;
  return compareKeys(nextKey, key) > 0 || (BigInt(nextIndex) === 0n && isZero(nextKey));
}

/**
 * Whether a leaf can only be padding: zero stands at position 0 and nowhere else. Under `pr` the node of an empty leaf is
 * the hash of one with the value zero and nothing behind it, which would prove that any value is absent.
 */
export function isPadding({ key }: Leaf, position: bigint): boolean {
  return position !== 0n && isZero(key);
}

/**
 * A leaf that somebody else wrote, as keys; its position is not looked at.
 *
 * @throws {TypeError} @throws {RangeError} that names the part.
 */
export function readLeaf(form: LeafForm, leaf: IndexedLeaf, name: string): Leaf {
  const { value, data, nextIndex, nextValue } = leaf;
  const part = (bytes: unknown, of: string): Digest => {
    assertLength(bytes, DIGEST_BYTES, `${name}.${of}`);
    return new Uint8Array(bytes);
  };
  return {
    index: 0,
    key: turnKey(part(value, 'value'), form.input),
    data: form.updatable ? part(data, 'data') : undefined,
    nextIndex: wholeNumber(nextIndex, `${name}.nextIndex`, 0n, (1n << 64n) - 1n),
    nextKey: turnKey(part(nextValue, 'nextValue'), form.input),
  };
}

function checkClaim(hash: VerifyingHasher, claim: IndexedClaim, { leaf }: IndexedProof) {
  const form = leafForm(hash.spec, claim);
  wholeNumber(claim.depth, 'depth', 1n, 64n);
  assertLength(claim.root, DIGEST_BYTES, 'root');
  assertLength(claim.value, DIGEST_BYTES, 'value');
  assertCanonical(claim.value, form.input);
  return { form, key: turnKey(claim.value, form.input), leaf: readLeaf(form, leaf, 'leaf') };
}

function leadsToRoot(
  hash: VerifyingHasher,
  form: LeafForm,
  { root, depth }: IndexedClaim,
  { index, siblings }: IndexedProof,
  leaf: Leaf,
): boolean {
  const slots = 1n << BigInt(depth);
  const position = wholeNumber(index, 'index', 0n, (1n << 64n) - 1n);
  if (position >= slots || BigInt(leaf.nextIndex) >= slots || isPadding(leaf, position)) return false;
  return verifyProof(hash, { root, leaf: leafNode(hash, form, leaf), index: position, depth }, siblings);
}
