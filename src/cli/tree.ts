/** `cambium tree`: trees in a folder. */
import { Command } from 'commander';
import { DIGEST_BYTES, type Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import type { LeafFormat } from '../leaf-format.js';
import type { NodeStore } from '../store/types.js';
import { AppendOnlyTree } from '../tree/append-only.js';
import { readIdentity } from '../tree/identity.js';
import { type IndexedScheme, IndexedTree } from '../tree/indexed.js';
import { proofToJson } from '../tree/proof-json.js';
import { InputError } from './exit.js';
import { openInput } from './input.js';
import { inputLeaves } from './leaves.js';
import {
  addHasherOptions,
  type HasherFlags,
  jsonOption,
  leavesOption,
  parseCount,
  parseDepth,
  parseDigest,
  parsePosition,
} from './options.js';
import { withProgress } from './progress.js';
import { writeProof } from './prove.js';
import { withHasher } from './session.js';
import { addStoreOptions, batchesOf, printTree } from './tree-common.js';
import {
  insertCommand,
  proveAbsenceCommand,
  schemeOption,
  verifyValueCommand,
  writeIndexedProof,
} from './tree-indexed.js';
import { type StoreFlags, withAppendOnlyTree, withStore, withStoredTree } from './tree-store.js';
import { verifyCommand } from './verify.js';

/** Leaves of one append: bounds the memory of a batch, and how much an interruption can lose. */
const BATCH_LEAVES = 2 ** 18;

/** `cambium tree create|append|insert|prove|prove-absence|info --store DIR`, and `verify`, `verify-value`. */
export function treeCommand(signal: AbortSignal): Command {
  const tree = new Command('tree').description('append-only and indexed trees on disk');
  const commands = [
    createCommand(),
    appendCommand(signal),
    insertCommand(signal),
    proveStoredCommand(),
    proveAbsenceCommand(),
    infoCommand(),
    verifyCommand(signal),
    verifyValueCommand(signal),
  ];
  for (const command of commands) tree.addCommand(command);
  return tree;
}

interface CreateFlags extends StoreFlags, HasherFlags {
  readonly depth: number;
  readonly scheme?: IndexedScheme;
  readonly prefill?: number;
  readonly updatable?: boolean;
}

function createCommand(): Command {
  const command = addStoreOptions(
    new Command('create').description('make an empty tree: append-only, or with --scheme indexed'),
  );
  return addHasherOptions(command)
    .requiredOption('--depth <d>', 'levels above the leaves, 1 to 64', parseDepth)
    .addOption(schemeOption())
    .option('--prefill <n>', 'values that an indexed tree begins with', parseCount(1, 2 ** 20))
    .option('--updatable', 'an indexed tree of slots whose data can be replaced')
    .action(async (flags: CreateFlags) => {
      if (flags.depth < 1) throw new InputError('--depth 0: expected 1 to 64');
      await withStore(flags, true, async (store) => {
        if (await readIdentity(store, flags.name)) {
          throw new InputError(`--name ${flags.name}: ${flags.store} has such a tree already`);
        }
        await withHasher(flags, async (hasher) => {
          const tree = await createTree(flags, hasher, store);
          await printTree(flags, tree, hasher.spec.id);
        });
      });
    });
}

async function createTree(
  flags: CreateFlags,
  hasher: Hasher,
  store: NodeStore,
): Promise<AppendOnlyTree | IndexedTree> {
  const { depth, name, scheme, prefill, updatable } = flags;
  if (scheme === undefined) {
    if (prefill !== undefined || updatable) {
      throw new InputError('--prefill and --updatable go with --scheme, for an indexed tree');
    }
    const tree = await AppendOnlyTree.open(hasher, store, { depth, name });
    await tree.append(new Uint8Array(0), { durable: true });
    return tree;
  }
  try {
    const options = { depth, name, scheme, ...(prefill && { prefill }), ...(updatable && { updatable }) };
    return await IndexedTree.open(hasher, store, options);
  } catch (error) {
    // The scheme can be one that does not go with the hash, the prefill more than there is room for.
    if (error instanceof RangeError) throw new InputError(`--${error.message}`, { cause: error });
    throw error;
  }
}

function appendCommand(signal: AbortSignal): Command {
  const command = new Command('append')
    .description('append the leaves of a file')
    .argument('<file>', 'file with the leaves, - for standard input')
    .addOption(leavesOption());
  return addBackendOptions(addStoreOptions(command)).action(
    async (file: string, flags: StoreFlags & HasherFlags & { readonly leaves: LeafFormat }) => {
      const input = await openInput(file, signal);
      await withAppendOnlyTree(flags, async (tree, hasher) => {
        const before = BigInt(tree.size);
        const began = performance.now();
        const grow = async (): Promise<void> => {
          const leaves = inputLeaves(input, flags.leaves, hasher, signal);
          for await (const batch of batchesOf(leaves, BATCH_LEAVES * DIGEST_BYTES)) {
            await tree.append(batch, { signal, durable: true });
          }
        };
        await (flags.json ? grow() : withProgress(input, grow));
        const seconds = (performance.now() - began) / 1000;
        const appended = Number(BigInt(tree.size) - before);
        await printTree(flags, tree, hasher.spec.id, { appended, seconds });
      });
    },
  );
}

interface ProveFlags extends StoreFlags {
  readonly index?: bigint;
  readonly value?: Digest;
  readonly size?: bigint;
  readonly out?: string;
}

function proveStoredCommand(): Command {
  const command = new Command('prove')
    .description('prove a leaf, now or when the tree had N leaves, or a value of an indexed tree')
    .option('--index <i>', 'position of the leaf in an append-only tree, from 0', parsePosition)
    .option('--size <n>', 'number of leaves that the tree had', parsePosition)
    .option('--value <hex>', 'the value in an indexed tree, 32 bytes', parseDigest)
    .option('--out <proof.json>', 'write the proof there instead of to standard output');
  return addStoreOptions(command).action(async (flags: ProveFlags) => {
    await withStoredTree(flags, async (tree, hasher) => {
      if (tree instanceof AppendOnlyTree) await proveLeaf(tree, hasher, flags);
      else if (flags.value === undefined) throw new InputError('--value: an indexed tree proves values');
      else if (flags.size !== undefined) throw new InputError('--size: an indexed tree has no past');
      else await writeIndexedProof(tree, hasher, { ...flags, value: flags.value }, true);
    });
  });
}

async function proveLeaf(tree: AppendOnlyTree, hasher: Hasher, flags: ProveFlags): Promise<void> {
  const { index, size = BigInt(tree.size) } = flags;
  if (index === undefined) throw new InputError('--index: an append-only tree proves positions');
  if (size > BigInt(tree.size)) throw new InputError(`--size ${size}: the tree has ${tree.size} leaves`);
  if (index >= size) throw new InputError(`--index ${index}: the tree had ${size} leaves`);
  const [proof, root] = [await tree.prove(index, size), await tree.root(size)];
  const shape = { hash: hasher.spec.id, root, depth: tree.depth, size, padding: 'zero' as const };
  const text = proofToJson({ ...shape, ...proof });
  if (flags.out === undefined) process.stdout.write(text);
  else await writeProof(flags.out, text);
}

function infoCommand(): Command {
  const command = addStoreOptions(new Command('info').description('print root and size')).addOption(
    jsonOption(),
  );
  return command.action(async (flags: StoreFlags) => {
    await withStoredTree(flags, async (tree, hasher) => await printTree(flags, tree, hasher.spec.id));
  });
}

/** The options of a hasher but for the hash, which the tree has. */
function addBackendOptions(command: Command): Command {
  return addHasherOptions(command, { hash: false });
}
