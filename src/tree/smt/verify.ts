/**
 * Verification of what an `Smt` proves.
 */
import { assertLength, assertMultiple, DIGEST_BYTES, equalBytes } from '../../bytes.js';
import { assertCanonical } from '../../hash/canonical.js';
import { verifyProof } from '../proof.js';
import { areLeafEntries, findValue, leafOf } from './entries.js';
import { leafNode, leafRule, type SmtVerifyingHasher } from './leaf-rules.js';
import { ENTRY_BYTES } from './record.js';
import type { SmtClaim, SmtProof } from './types.js';

/** Levels of every `Smt`. */
export const SMT_DEPTH = 64;

/**
 * Whether a proof shows that a key has a value in the tree of a root; with a value of zeros, that the key is absent.
 *
 * Root, key, value and scheme come from the verifier. The proof's own `value` is not looked at.
 *
 * @param hash a hasher of the scheme's hash.
 * @returns `false` for a wrong proof: other siblings, entries of another leaf, out of order, twice or empty.
 * @throws {TypeError} for arguments of the wrong type. @throws {RangeError} for wrong lengths, an unknown scheme, or one
 *   over another hash.
 * @throws {CambiumError} `NOT_CANONICAL` for words that are no elements of the field.
 * @example
 * ```ts
 * const proof = await tree.prove(key);
 * verifySmtProof(hasher, { scheme: 'v0.25', root, key, value }, proof); // true
 * ```
 */
export function verifySmtProof(
  hash: SmtVerifyingHasher,
  claim: SmtClaim,
  proof: Pick<SmtProof, 'entries' | 'siblings'>,
): boolean {
  const { scheme, root, key, value } = claim;
  const { entries, siblings } = proof;
  const rule = leafRule(scheme, hash.spec);
  for (const [name, word] of Object.entries({ root, key, value })) {
    assertLength(word, DIGEST_BYTES, name);
    assertCanonical(word, hash.spec.input);
  }
  assertMultiple(entries, ENTRY_BYTES, 'entries');
  assertCanonical(entries, hash.spec.input);
  if (!areLeafEntries(entries, key) || !equalBytes(findValue(entries, key), value)) return false;
  const leaf = leafNode(hash, rule, entries);
  const { high, low } = leafOf(key);
  const index = (BigInt(high) << 32n) | BigInt(low);
  return verifyProof(hash, { root, leaf, index, depth: SMT_DEPTH }, siblings);
}
