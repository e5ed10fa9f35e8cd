import { lazy } from './lazy.js';
import type {
  CpuKernels,
  Digest,
  GpuKernels,
  HashInput,
  HashModule,
  HashSpec,
  KernelLoader,
} from './types.js';

/** What the file of a hash exports. */
interface HashFile {
  readonly reference: HashModule;
  readonly cpu: KernelLoader<CpuKernels>;
  readonly gpu: KernelLoader<GpuKernels>;
}

const ZERO: Digest = /* @__PURE__ */ new Uint8Array(32);

/** Elements of the Goldilocks field. */
const GOLDILOCKS: HashInput = { elementBytes: 8, modulus: 0xffffffff00000001n, order: 'le' };

/** Elements of the scalar field of BN254. */
const BN254: HashInput = {
  elementBytes: 32,
  modulus: 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n,
  order: 'be',
};

const row = (id: HashId, input: HashInput, file: () => Promise<HashFile>): [HashId, HashSpec] => [
  id,
  {
    id,
    digestBytes: 32,
    input,
    zero: ZERO,
    load: async () => (await file()).reference,
    cpu: async () => (await file()).cpu(),
    gpu: async () => (await file()).gpu(),
  },
];

/** A hash that the CPU runs by its reference code. */
function referenceRow(
  id: HashId,
  input: HashInput,
  file: () => Promise<Omit<HashFile, 'cpu'>>,
): [HashId, HashSpec] {
  return [
    id,
    {
      id,
      digestBytes: 32,
      input,
      zero: ZERO,
      load: async () => (await file()).reference,
      gpu: async () => (await file()).gpu(),
    },
  ];
}

/** Poseidon2 nodes with a separator; the kernels of one row are the same at every call. */
function separatedRow(separator: 2982624097n | 1157584160n | 3756303423n): [HashId, HashSpec] {
  const file = lazy(async () => (await import('./poseidon2-bn254.js')).separated(separator));
  return row(`poseidon2-bn254-sep-${separator}`, BN254, file);
}

/** Ids of the hashes that the library brings. */
export type HashId =
  | 'sha256'
  | 'sha256-truncated'
  | 'blake3'
  | 'blake2s'
  | 'blake2b'
  | 'sha3-256'
  | 'keccak256'
  | 'poseidon2-bn254'
  | 'poseidon2-bn254-sep-2982624097'
  | 'poseidon2-bn254-sep-1157584160'
  | 'poseidon2-bn254-sep-3756303423'
  | 'pedersen-bn254'
  | 'poseidon-bn254'
  | 'rpo'
  | 'rpx'
  | 'rpo-capacity-first'
  | 'rpx-capacity-first'
  | 'poseidon-plonky2'
  | 'poseidon2-miden'
  | 'poseidon2-plonky3-12'
  | 'poseidon2-plonky3-8';

/**
 * All hashes that the library brings, by id.
 *
 * @example
 * ```ts
 * for (const spec of hashes.values()) console.log(spec.id);
 * ```
 */
export const hashes: ReadonlyMap<HashId, HashSpec> = /* @__PURE__ */ new Map([
  // THE table. Everything that goes through all hashes (tests, benches, command line, page) reads it.
  row('sha256', 'bytes', () => import('./sha256.js')),
  row('sha256-truncated', 'bytes', () => import('./sha256-truncated.js')),
  row('blake3', 'bytes', () => import('./blake3.js')),
  row('blake2s', 'bytes', () => import('./blake2s.js')),
  row('blake2b', 'bytes', () => import('./blake2b.js')),
  row('sha3-256', 'bytes', () => import('./sha3-256.js')),
  row('keccak256', 'bytes', () => import('./keccak256.js')),
  row('poseidon2-bn254', BN254, () => import('./poseidon2-bn254.js')),
  separatedRow(2982624097n),
  separatedRow(1157584160n),
  separatedRow(3756303423n),
  referenceRow('pedersen-bn254', BN254, () => import('./pedersen-bn254.js')),
  row('poseidon-bn254', BN254, () => import('./poseidon-bn254.js')),
  row('rpo', GOLDILOCKS, () => import('./rpo.js')),
  row('rpx', GOLDILOCKS, () => import('./rpx.js')),
  row('rpo-capacity-first', GOLDILOCKS, () => import('./rpo-capacity-first.js')),
  row('rpx-capacity-first', GOLDILOCKS, () => import('./rpx-capacity-first.js')),
  row('poseidon-plonky2', GOLDILOCKS, () => import('./poseidon-plonky2.js')),
  row('poseidon2-miden', GOLDILOCKS, () => import('./poseidon2-miden.js')),
  row('poseidon2-plonky3-12', GOLDILOCKS, () => import('./poseidon2-plonky3-12.js')),
  row('poseidon2-plonky3-8', GOLDILOCKS, () => import('./poseidon2-plonky3-8.js')),
]);

/**
 * The row of a hash by its id.
 *
 * @throws {RangeError} when there is none; the message lists the known ids.
 */
export function hashSpec(id: string): HashSpec {
  const spec = hashes.get(id as HashId);
  if (!spec)
    throw new RangeError(`hash: unknown id ${JSON.stringify(id)}; known: ${[...hashes.keys()].join(', ')}`);
  return spec;
}

/**
 * The reference code of a hash: synchronous, no kernels, no backend.
 *
 * @throws {RangeError} when there is no hash of this id.
 * @example
 * ```ts
 * const { hash } = await loadHash('sha256');
 * ```
 */
export async function loadHash(id: HashId): Promise<HashModule> {
  return await hashSpec(id).load();
}
