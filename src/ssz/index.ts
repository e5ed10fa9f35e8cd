/** SSZ, Ethereum's Simple Serialize: types, encodings, roots, generalized indices, proofs, trees. */
export * from './construct.js';
export { defaultValue } from './default-value.js';
export { deserialize } from './deserialize.js';
export { concatGindices, gindexDepth, gindexOf, type Path, type PathStep } from './gindex.js';
export { branchGindices, helperGindices, MAX_PROOF_DEPTH, MAX_PROOF_NODES } from './gindex-set.js';
export {
  hashTreeRoot,
  hashTreeRootSync,
  merkleize,
  merkleizeProgressive,
  mixInActiveFields,
  mixInNumber,
} from './hash-tree-root.js';
export { fromJson, type JsonValue, toJson } from './json.js';
export {
  type HashComputation,
  type HashObject,
  type PersistentMerkleTreeHasher,
  persistentMerkleTreeHasher,
} from './persistent-merkle-tree.js';
export { createMultiproof, createProof, type Place, type SszMultiproof, type SszProof } from './proof.js';
export { type SchemaNames, typeFromSchema } from './schema.js';
export { serialize } from './serialize.js';
export { type Serialized, serialized } from './serialized.js';
export { SszTree } from './tree.js';
export type * from './types.js';
export {
  isValidMerkleBranch,
  isValidNormalizedMerkleBranch,
  type MultiproofClaim,
  type ProofClaim,
  verifyMultiproof,
  verifyProof,
} from './verify.js';
export type { WorkOptions } from './work.js';
