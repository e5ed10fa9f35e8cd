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

/** Ids of the hashes that the library brings. */
export type HashId = 'sha256' | 'sha256-truncated';

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
