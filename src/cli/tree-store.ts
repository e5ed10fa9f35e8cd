/** The store of the `tree` commands: a LevelDB folder. */
import { access } from 'node:fs/promises';
import { CambiumError } from '../errors.js';
import { type HashId, hashes } from '../hash/registry.js';
import type { Hasher } from '../hasher.js';
import { levelStore } from '../store/level.js';
import type { NodeStore } from '../store/types.js';
import { AppendOnlyTree } from '../tree/append-only.js';
import { readIdentity, type TreeIdentity } from '../tree/identity.js';
import { type IndexedScheme, IndexedTree } from '../tree/indexed.js';
import { InputError } from './exit.js';
import type { HasherFlags } from './options.js';
import { withHasher } from './session.js';

/** Which tree of which store. */
export interface StoreFlags {
  readonly store: string;
  readonly name: string;
  readonly json?: boolean;
}

/** Opens the store for the length of one command. */
export async function withStore<T>(
  { store: folder }: StoreFlags,
  create: boolean,
  work: (store: NodeStore) => Promise<T>,
): Promise<T> {
  if (!create && !(await exists(folder))) throw new InputError(`--store ${folder}: no such folder`);
  const db = new (await classicLevel())(folder);
  const store = levelStore(db);
  try {
    return await work(store);
  } finally {
    await store.close();
    await db.close();
  }
}

/** Opens the tree that the flags name, with the hash and the shape that it was created with. */
export async function withStoredTree<T>(
  flags: StoreFlags & Partial<HasherFlags>,
  work: (tree: AppendOnlyTree | IndexedTree, hasher: Hasher) => Promise<T>,
): Promise<T> {
  return await withStore(flags, false, async (store) => {
    const identity = await readIdentity(store, flags.name);
    if (!identity) throw new InputError(`--name ${flags.name}: no such tree in ${flags.store}`);
    const { hash } = identity;
    if (!hashes.has(hash as HashId))
      throw new CambiumError('VERSION_MISMATCH', `the tree uses the unknown hash ${hash}`);
    const { backend = 'auto', threads } = flags;
    const hasherFlags = { hash: hash as HashId, backend, ...(threads !== undefined && { threads }) };
    return await withHasher(hasherFlags, async (hasher) => {
      return await work(await openStored(hasher, store, flags.name, identity), hasher);
    });
  });
}

/** The same for an append-only tree. @throws {InputError} when it is of another kind. */
export async function withAppendOnlyTree<T>(
  flags: StoreFlags & Partial<HasherFlags>,
  work: (tree: AppendOnlyTree, hasher: Hasher) => Promise<T>,
): Promise<T> {
  return await withStoredTree(flags, async (tree, hasher) => {
    if (tree instanceof AppendOnlyTree) return await work(tree, hasher);
    throw new InputError(`--name ${flags.name}: the tree is indexed, it takes values: insert`);
  });
}

/** The same for an indexed tree. @throws {InputError} when it is of another kind. */
export async function withIndexedTree<T>(
  flags: StoreFlags & Partial<HasherFlags>,
  work: (tree: IndexedTree, hasher: Hasher) => Promise<T>,
): Promise<T> {
  return await withStoredTree(flags, async (tree, hasher) => {
    if (tree instanceof IndexedTree) return await work(tree, hasher);
    throw new InputError(`--name ${flags.name}: the tree is append-only, it takes leaves: append`);
  });
}

async function openStored(
  hasher: Hasher,
  store: NodeStore,
  name: string,
  { tree, depth, scheme, updatable }: TreeIdentity,
): Promise<AppendOnlyTree | IndexedTree> {
  const shape = { name, depth: Number(depth) };
  if (tree === 'append-only') return await AppendOnlyTree.open(hasher, store, shape);
  if (tree !== 'indexed') throw new InputError(`--name ${name}: the tree is of the kind ${tree}`);
  const form = { scheme: scheme as IndexedScheme, updatable: updatable === true };
  return await IndexedTree.open(hasher, store, { ...shape, ...form });
}

async function classicLevel(): Promise<typeof import('classic-level').ClassicLevel> {
  try {
    return (await import('classic-level')).ClassicLevel;
  } catch (error) {
    throw new CambiumError(
      'BACKEND_UNAVAILABLE',
      'trees on disk need the package classic-level: npm install classic-level',
      {
        cause: error,
      },
    );
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
