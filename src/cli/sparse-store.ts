/** The trees of the `sparse` commands. */
import { type Command, Option } from 'commander';
import { type Digest, fromHex } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { type HashId, hashes } from '../hash/registry.js';
import type { Hasher } from '../hasher.js';
import { readIdentity } from '../tree/identity.js';
import { LAYOUTS, type SparseLayout } from '../tree/sparse/layout.js';
import { SparseTree } from '../tree/sparse.js';
import { InputError } from './exit.js';
import { addHasherOptions, type HasherFlags, hashOption, jsonOption } from './options.js';
import { withHasher } from './session.js';
import { type StoreFlags, withStore } from './tree-store.js';

/** Which sparse tree, and how a new one is made. */
export interface SparseFlags extends StoreFlags, Partial<Omit<HasherFlags, 'hash'>> {
  readonly hash: HashId;
  readonly head: string;
  readonly layout: SparseLayout;
}

export const layoutOption = (): Option =>
  new Option('--layout <kind>', 'layout of a new tree').choices(LAYOUTS).default('canonical');

/** Options of every command that opens a tree; only large batches are worth a choice of what to hash on. */
export function addSparseOptions(
  command: Command,
  { backend }: { readonly backend: boolean } = { backend: false },
): Command {
  command
    .requiredOption('--store <dir>', 'folder of the store')
    .option('--name <name>', 'name of the tree in the store', 'main')
    .option('--head <name>', 'head of the tree', 'main')
    .addOption(layoutOption());
  return backend ? addHasherOptions(command) : command.addOption(hashOption()).addOption(jsonOption());
}

/**
 * Opens the tree that the flags name; one that is there has its hash and layout already, a new one takes those of the
 * flags.
 */
export async function withSparseTree<T>(
  flags: SparseFlags,
  create: boolean,
  work: (tree: SparseTree, hasher: Hasher) => Promise<T>,
): Promise<T> {
  return await withStore(flags, create, async (store) => {
    const identity = await readIdentity(store, flags.name);
    if (identity && identity.tree !== 'sparse') {
      throw new InputError(`--name ${flags.name}: the tree is of the kind ${identity.tree}`);
    }
    // A database of Monotree has no identity.
    if (!identity && !create && flags.layout !== 'monotree') {
      throw new InputError(`--name ${flags.name}: no such tree in ${flags.store}`);
    }
    const hash = identity?.hash ?? flags.hash;
    const layout = identity?.layout ?? flags.layout;
    if (!hashes.has(hash as HashId)) {
      throw new CambiumError('VERSION_MISMATCH', `the tree uses the unknown hash ${hash}`);
    }
    return await withHasher(
      { backend: 'cpu', threads: 1, ...flags, hash: hash as HashId },
      async (hasher) => {
        const { name, head } = flags;
        const options = { name, head, layout: layout as SparseLayout };
        let tree: SparseTree;
        try {
          tree = await SparseTree.open(hasher, store, options);
        } catch (error) {
          if (error instanceof TypeError || error instanceof RangeError) throw new InputError(error.message);
          throw error;
        }
        return await work(tree, hasher);
      },
    );
  });
}

/**
 * Bytes of a key or leaf: 64 hexadecimal digits; in layouts that hash keys and values `0x` and digits, or text.
 *
 * @throws {InputError} that names the argument.
 */
export function parseBytes(text: string, layout: SparseLayout, name: string): Digest {
  const takesText = layout === 'celestia' || layout === 'jmt';
  if (takesText && !/^0x/i.test(text)) return new TextEncoder().encode(text);
  try {
    const bytes = fromHex(text);
    if (takesText || bytes.length === 32) return bytes;
  } catch {
    // Said below.
  }
  throw new InputError(
    `${name} ${JSON.stringify(text)}: expected ${takesText ? 'text, or 0x and digits' : '64 hexadecimal digits'}`,
  );
}
