/**
 * How the entries of an `Smt` leaf become its node, in each published version.
 *
 * No entry: the empty word. One: key and value as a pair. More: all keys and values as one row of elements. From v0.25 on
 * both are in a domain of their own, so that no inner node passes for a leaf; before, leaves and nodes are hashed alike.
 */
import { DIGEST_BYTES, type Digest, digestAt } from '../../bytes.js';
import { elementsFromBytes } from '../../field/goldilocks.js';
import { hashInDomain, mergeInDomain } from '../../hash/poseidon2-miden.js';
import { LEAF_DOMAIN, leafSpec } from '../../hash/poseidon2-miden-leaf.js';
import type { HashId } from '../../hash/registry.js';
import { createHasher, type Hasher } from '../../hasher.js';
import { ENTRY_BYTES } from './record.js';
import type { SmtScheme } from './types.js';

/** Elements of a key and a value. */
const ENTRY_ELEMENTS = 8;

/** What a verifier needs of a hasher. */
export type SmtVerifyingHasher = Pick<Hasher, 'spec' | 'hashPair' | 'hashElements'>;

/** Hash and leaf domain of a scheme. */
interface LeafRule {
  readonly hash: HashId;
  readonly hasDomain: boolean;
}

const RULES: Readonly<Record<SmtScheme, LeafRule>> = {
  'v0.19': { hash: 'rpo-capacity-first', hasDomain: false },
  'v0.21': { hash: 'rpo', hasDomain: false },
  'v0.24': { hash: 'poseidon2-miden', hasDomain: false },
  'v0.25': { hash: 'poseidon2-miden', hasDomain: true },
};

/** @throws {RangeError} for an unknown scheme, or one that is not for this hash. */
export function leafRule(scheme: SmtScheme, { id }: { readonly id: string }): LeafRule {
  if (!Object.hasOwn(RULES, scheme)) {
    throw new RangeError(`scheme: expected ${Object.keys(RULES).join(', ')}, got ${String(scheme)}`);
  }
  const rule = RULES[scheme];
  if (rule.hash !== id) throw new RangeError(`scheme: ${scheme} is over ${rule.hash}, got a hasher of ${id}`);
  return rule;
}

let inDomain: Promise<Hasher> | undefined;

/** What hashes the leaves of a scheme: the tree's own hasher, or one for the domain, on the caller's thread. */
export function leafHasher(hasher: Hasher, { hasDomain }: LeafRule): Promise<Hasher> {
  if (!hasDomain) return Promise.resolve(hasher);
  // One for all trees: without workers it holds nothing that must be closed.
  inDomain ??= createHasher(leafSpec, { backend: 'cpu', threads: 0 });
  return inDomain;
}

/**
 * Hashes leaves together: one layer for all of one entry, one for each other number of entries.
 *
 * @param leaves entries of each leaf, `k x 64` bytes; none for an empty one.
 * @returns `n x 32` bytes, zeros for empty leaves.
 */
export async function hashLeaves(
  hasher: Hasher,
  leaves: readonly Digest[],
  signal: AbortSignal | undefined,
): Promise<Digest> {
  const byLength = new Map<number, number[]>();
  for (const [i, { length }] of leaves.entries()) {
    const same = byLength.get(length);
    if (same) same.push(i);
    else if (length) byLength.set(length, [i]);
  }
  const nodes = new Uint8Array(leaves.length * DIGEST_BYTES);
  const options = signal ? { signal } : {};
  for (const [length, same] of byLength) {
    const rows = new Uint8Array(same.length * length);
    for (const [i, leaf] of same.entries()) rows.set(leaves[leaf]!, i * length);
    const hashed =
      length === ENTRY_BYTES
        ? await hasher.hashPairs(rows, undefined, options)
        : await hasher.hashRows(rows, (length / ENTRY_BYTES) * ENTRY_ELEMENTS, options);
    if (same.length === leaves.length) return hashed;
    for (const [i, leaf] of same.entries()) nodes.set(digestAt(hashed, i), leaf * DIGEST_BYTES);
  }
  return nodes;
}

/** The node of one leaf, for verifiers. */
export function leafNode(hash: SmtVerifyingHasher, { hasDomain }: LeafRule, entries: Uint8Array): Digest {
  if (entries.length === 0) return hash.spec.zero;
  if (entries.length === ENTRY_BYTES) {
    const [key, value] = [digestAt(entries, 0), digestAt(entries, 1)];
    return hasDomain ? mergeInDomain(key, value, LEAF_DOMAIN) : hash.hashPair(key, value);
  }
  const elements = elementsFromBytes(entries);
  return hasDomain ? hashInDomain(elements, LEAF_DOMAIN) : hash.hashElements(elements);
}
