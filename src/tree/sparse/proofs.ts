/**
 * What a sparse tree proves.
 */
import { type Digest, digestAt } from '../../bytes.js';
import { KEY_BYTES } from './bits.js';
import { type TreeContext, withDraft } from './context.js';
import { type Draft, ENTRY_BYTES } from './draft.js';
import { Loader } from './load.js';
import { ProofWriter } from './proof-bytes.js';
import type { State } from './shelf.js';
import { sortKeys } from './sort-keys.js';

/** A proof that a key has a leaf. */
export interface SparseProof {
  readonly key: Digest;
  /** 32 bytes; in the layouts `celestia` and `jmt` the value. */
  readonly leaf: Digest;
  /** The part of the tree that shows it, for `verifySparseProof`. */
  readonly path: Digest;
}

/** A proof that a key has no leaf. */
export interface SparseAbsenceProof {
  readonly key: Digest;
  readonly path: Digest;
}

/** A proof for many keys at once, present ones and absent ones. */
export interface SparseMultiProof {
  readonly keys: readonly Digest[];
  /** As many: leaves, or values; undefined for absent keys. */
  readonly leaves: readonly (Digest | undefined)[];
  readonly path: Digest;
}

/** All entries from one key to another. */
export interface SparseRangeProof {
  readonly from: Digest;
  readonly to: Digest;
  /** Ascending; in the layouts `celestia` and `jmt` hashes of keys. */
  readonly keys: readonly Digest[];
  /** In the layouts `celestia` and `jmt` hashes of values. */
  readonly leaves: readonly Digest[];
  readonly path: Digest;
}

const writers: ProofWriter[] = [];

/** Writes a proof; nothing waits meanwhile, so that a writer serves all trees. */
function writeProof(draft: Draft, top: number, shown: Parameters<ProofWriter['write']>[2]) {
  const writer = writers.pop() ?? new ProofWriter();
  const proof = writer.write(draft, top, shown);
  writers.push(writer);
  return proof;
}

/** The proof for one path, and its leaf where there is one. */
export async function provePath(
  context: TreeContext,
  state: State,
  path: Digest,
): Promise<{ proof: Digest; leaf: Digest | undefined }> {
  return await withDraft(context, async (draft) => {
    const at = draft.allocate(ENTRY_BYTES);
    draft.pool.set(path, at);
    const top = context.shelf.open(draft, state);
    const loading = new Loader(context.store, context.shelf, draft).loadKeys(top, at, 1);
    if (loading) await loading;
    const { path: proof, claimed } = writeProof(draft, top, { at, count: 1 });
    return { proof, leaf: claimed.length ? draft.digest(draft.hashAt[claimed[0]!]!) : undefined };
  });
}

/** One proof for many paths, `n x 32` bytes, and the leaf of each. @throws {RangeError} when a path is there twice. */
export async function provePaths(
  context: TreeContext,
  state: State,
  paths: Digest,
): Promise<{ proof: Digest; leaves: (Digest | undefined)[] }> {
  const order = sortKeys(paths);
  const count = paths.length / KEY_BYTES;
  if (order.length !== count) throw new RangeError('keys: one is there twice');
  return await withDraft(context, async (draft) => {
    const at = draft.allocate(count * ENTRY_BYTES);
    for (let i = 0; i < count; i++) draft.pool.set(digestAt(paths, order[i]!), at + i * ENTRY_BYTES);
    const top = context.shelf.open(draft, state);
    const loading = new Loader(context.store, context.shelf, draft).loadKeys(top, at, count);
    if (loading) await loading;
    const { path: proof, claimed } = writeProof(draft, top, { at, count });
    const leaves = new Array<Digest | undefined>(count).fill(undefined);
    let next = 0;
    for (const position of order) {
      const node = claimed[next];
      if (node === undefined) break;
      const keyAt = draft.keyAt[node]!;
      const isIt = digestAt(paths, position).every((byte, i) => byte === draft.pool[keyAt + i]);
      if (!isIt) continue;
      leaves[position] = draft.digest(draft.hashAt[node]!);
      next++;
    }
    return { proof, leaves };
  });
}

/** The proof for all entries from one key to another. */
export async function proveEntries(
  context: TreeContext,
  state: State,
  from: Digest,
  to: Digest,
): Promise<SparseRangeProof> {
  return await withDraft(context, async (draft) => {
    const [fromAt, toAt] = [draft.keep(from), draft.keep(to)];
    const top = context.shelf.open(draft, state);
    await new Loader(context.store, context.shelf, draft).loadRange(top, fromAt, toAt);
    const { path, claimed } = writeProof(draft, top, { fromAt, toAt });
    return {
      from,
      to,
      keys: claimed.map((node) => draft.digest(draft.keyAt[node]!)),
      leaves: claimed.map((node) => draft.digest(draft.hashAt[node]!)),
      path,
    };
  });
}
