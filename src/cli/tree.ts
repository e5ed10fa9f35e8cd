/** `cambium tree`: append-only trees in a folder. */
import { Command } from 'commander';
import { concatBytes, DIGEST_BYTES, toHex } from '../bytes.js';
import { AppendOnlyTree } from '../tree/append-only.js';
import { readIdentity } from '../tree/identity.js';
import { proofToJson } from '../tree/proof-json.js';
import { InputError } from './exit.js';
import { openInput } from './input.js';
import type { LeafFormat } from './leaf-format.js';
import { leafDigests } from './leaves.js';
import {
  addHasherOptions,
  type HasherFlags,
  jsonOption,
  leavesOption,
  parseDepth,
  parsePosition,
} from './options.js';
import { formatRate, formatSeconds, printJson, printPairs } from './output.js';
import { withProgress } from './progress.js';
import { writeProof } from './prove.js';
import { withHasher } from './session.js';
import { type StoreFlags, withStore, withStoredTree } from './tree-store.js';
import { verifyCommand } from './verify.js';

/** Leaves of one append: bounds the memory of a batch, and how much an interruption can lose. */
const BATCH_LEAVES = 2 ** 18;

/** `cambium tree create|append|prove|verify|info --store DIR`. */
export function treeCommand(signal: AbortSignal): Command {
  const tree = new Command('tree').description('append-only trees on disk');
  for (const command of [createCommand(), appendCommand(signal), proveStoredCommand(), infoCommand()]) {
    tree.addCommand(command);
  }
  return tree.addCommand(verifyCommand(signal));
}

const addStoreOptions = (command: Command): Command =>
  command
    .requiredOption('--store <dir>', 'folder of the store')
    .option('--name <name>', 'name of the tree in the store', 'main');

function createCommand(): Command {
  const command = addStoreOptions(new Command('create').description('make an empty tree'));
  return addHasherOptions(command)
    .requiredOption('--depth <d>', 'levels above the leaves, 1 to 64', parseDepth)
    .action(async (flags: StoreFlags & HasherFlags & { readonly depth: number }) => {
      if (flags.depth < 1) throw new InputError('--depth 0: expected 1 to 64');
      await withStore(flags, true, async (store) => {
        if (await readIdentity(store, flags.name)) {
          throw new InputError(`--name ${flags.name}: ${flags.store} has such a tree already`);
        }
        await withHasher(flags, async (hasher) => {
          const tree = await AppendOnlyTree.open(hasher, store, { depth: flags.depth, name: flags.name });
          await tree.append(new Uint8Array(0), { durable: true });
          await printTree(flags, tree, hasher.spec.id);
        });
      });
    });
}

function appendCommand(signal: AbortSignal): Command {
  const command = new Command('append')
    .description('append the leaves of a file')
    .argument('<file>', 'file with the leaves, - for standard input')
    .addOption(leavesOption());
  return addBackendOptions(addStoreOptions(command)).action(
    async (file: string, flags: StoreFlags & HasherFlags & { readonly leaves: LeafFormat }) => {
      const input = await openInput(file, signal);
      await withStoredTree(flags, async (tree, hasher) => {
        const before = BigInt(tree.size);
        const began = performance.now();
        const grow = async (): Promise<void> => {
          for await (const batch of leafBatches(leafDigests(input, flags.leaves, hasher, signal))) {
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

function proveStoredCommand(): Command {
  const command = new Command('prove')
    .description('prove a leaf, now or when the tree had N leaves')
    .requiredOption('--index <i>', 'position of the leaf, from 0', parsePosition)
    .option('--size <n>', 'number of leaves that the tree had', parsePosition)
    .option('--out <proof.json>', 'write the proof there instead of to standard output');
  return addStoreOptions(command).action(
    async (flags: StoreFlags & { readonly index: bigint; readonly size?: bigint; readonly out?: string }) => {
      await withStoredTree(flags, async (tree, hasher) => {
        const size = flags.size ?? BigInt(tree.size);
        if (size > BigInt(tree.size))
          throw new InputError(`--size ${size}: the tree has ${tree.size} leaves`);
        if (flags.index >= size) throw new InputError(`--index ${flags.index}: the tree had ${size} leaves`);
        const [proof, root] = [await tree.prove(flags.index, size), await tree.root(size)];
        const shape = { hash: hasher.spec.id, root, depth: tree.depth, size, padding: 'zero' as const };
        const text = proofToJson({ ...shape, ...proof });
        if (flags.out === undefined) process.stdout.write(text);
        else await writeProof(flags.out, text);
      });
    },
  );
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

/** Digests in batches of whole leaves. */
async function* leafBatches(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < BATCH_LEAVES * DIGEST_BYTES) continue;
    const all = concatBytes(...held);
    const whole = all.length - (all.length % DIGEST_BYTES);
    yield all.subarray(0, whole);
    held = [all.subarray(whole)];
    bytes = all.length - whole;
  }
  if (bytes) yield concatBytes(...held);
}

async function printTree(
  flags: StoreFlags,
  tree: AppendOnlyTree,
  hash: string,
  done?: { readonly appended: number; readonly seconds: number },
): Promise<void> {
  const root = toHex(await tree.root());
  const { name, depth, size } = tree;
  if (flags.json) {
    printJson({ name, root, size: typeof size === 'bigint' ? String(size) : size, depth, hash, ...done });
    return;
  }
  const rows: [string, string | number][] = [
    ['tree', `${name}, depth ${depth}, ${hash}`],
    ['root', root],
    ['size', String(size)],
  ];
  if (done) {
    const rate = formatRate(done.appended, done.seconds, 'leaves');
    rows.push(['appended', `${done.appended} in ${formatSeconds(done.seconds)}: ${rate}`]);
  }
  printPairs(rows);
}
