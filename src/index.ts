/** The public names of the core. */
export type { GpuAdapterInfo } from './backend/gpu/adapter.js';
export type { GpuBufferLike, GpuDeviceLike, GpuLike } from './backend/gpu/types.js';
export type { JobOptions, Padding, Progress } from './backend/types.js';
export { type Digest, fromHex, toHex } from './bytes.js';
export { CambiumError, type ErrorCode } from './errors.js';
export { type HashId, hashes, loadHash } from './hash/registry.js';
export type {
  CpuKernels,
  GpuKernels,
  HashInput,
  HashModule,
  HashSpec,
  KernelLoader,
  WasmFeature,
} from './hash/types.js';
export {
  type BackendChoice,
  type CrossCheck,
  createHasher,
  type HashedTree,
  type Hasher,
  type HasherCounters,
  type HasherInfo,
  type HasherOptions,
  type HashTreeOptions,
  type LeafSource,
} from './hasher.js';
export { leafDigests } from './leaf-digests.js';
export { type LeafFormat, parseLeafFormat } from './leaf-format.js';
export type { KeyRange, NodeStore, StoreOp } from './store/types.js';
export {
  type AppendOnlyOptions,
  AppendOnlyTree,
  type AppendOptions,
  type TreeState,
} from './tree/append-only.js';
export {
  type IndexedProofDocument,
  indexedProofFromJson,
  indexedProofToJson,
} from './tree/indexed/proof-json.js';
export { type ReplayClaim, type ReplayedBatch, replayBatch } from './tree/indexed/replay.js';
export {
  type IndexedClaim,
  type MembershipClaim,
  type VerifyingHasher,
  verifyAbsence,
  verifyMembership,
} from './tree/indexed/verify.js';
export {
  type IndexedBatch,
  type IndexedBatchOptions,
  type IndexedInsertOptions,
  type IndexedLeaf,
  type IndexedOptions,
  type IndexedProof,
  type IndexedScheme,
  type IndexedSequence,
  type IndexedState,
  IndexedTree,
} from './tree/indexed.js';
export { buildTree, MerkleTree, merkleRoot, type RootOptions, type TreeOptions } from './tree/merkle.js';
export { pathPairs } from './tree/path-pairs.js';
export {
  type MultiProof,
  type MultiProofClaim,
  type Proof,
  type ProofClaim,
  type TreeClaim,
  verifyMultiproof,
  verifyProof,
} from './tree/proof.js';
export {
  type MultiProofDocument,
  type ProofDocument,
  type ProofTree,
  proofFromJson,
  proofToJson,
} from './tree/proof-json.js';
export { SimpleSmt } from './tree/simple-smt.js';
export { emptySubtreeRoots } from './tree/smt/empty-roots.js';
export type { SmtVerifyingHasher } from './tree/smt/leaf-rules.js';
export type {
  SimpleSmtOptions,
  SmtClaim,
  SmtMutations,
  SmtOptions,
  SmtProof,
  SmtScheme,
  SmtWriteOptions,
} from './tree/smt/types.js';
export { verifySmtProof } from './tree/smt/verify.js';
export { Smt } from './tree/smt.js';
export {
  fromMonotreeNodes,
  fromMonotreeProof,
  type MonotreeStep,
  toMonotreeProof,
  verifyMonotreeProof,
} from './tree/sparse/monotree-proof.js';
export {
  type SparseProofDocument,
  sparseProofFromJson,
  sparseProofToJson,
} from './tree/sparse/proof-json.js';
export {
  type SiblingsClaim,
  type SiblingsProof,
  toSiblingsProof,
  verifySiblingsProof,
} from './tree/sparse/siblings-proof.js';
export {
  type SparseClaim,
  type SparseMultiClaim,
  type SparseRangeClaim,
  type SparseTreeClaim,
  verifySparseMultiproof,
  verifySparseProof,
  verifySparseRange,
} from './tree/sparse/verify.js';
export {
  type ByteStrings,
  type PruneResult,
  type SparseAbsenceProof,
  type SparseInsertOptions,
  type SparseLayout,
  type SparseMultiProof,
  type SparseOp,
  type SparseOptions,
  type SparseProof,
  type SparseRangeProof,
  type SparseReader,
  SparseTree,
  type SparseView,
  type SparseWriteOptions,
} from './tree/sparse.js';
