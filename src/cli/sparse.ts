/** `cambium sparse`: sparse trees in a folder. */
import { Command } from 'commander';
import { type Digest, toHex } from '../bytes.js';
import { hasCode } from '../errors.js';
import { type HashId, loadHash } from '../hash/registry.js';
import type { Hasher } from '../hasher.js';
import { sparseProofFromJson, sparseProofToJson } from '../tree/sparse/proof-json.js';
import { verifySparseProof } from '../tree/sparse/verify.js';
import type { SparseLayout, SparseOp, SparseTree } from '../tree/sparse.js';
import { EXIT, InputError } from './exit.js';
import { openInput, readText } from './input.js';
import { hashOption, jsonOption, parseDigest } from './options.js';
import { formatRate, formatSeconds, print, printJson, printPairs } from './output.js';
import { withProgress } from './progress.js';
import { writeProof } from './prove.js';
import { type EntriesFormat, formatOf, readOps } from './sparse-import.js';
import {
  addSparseOptions,
  layoutOption,
  parseBytes,
  type SparseFlags,
  withSparseTree,
} from './sparse-store.js';

/** Entries of one commit: bounds the memory of an import, and how much an interruption can lose. */
const BATCH_ENTRIES = 2 ** 16;

/** `cambium sparse put|get|del|import|prove|verify|info`. */
export function sparseCommand(signal: AbortSignal): Command {
  const sparse = new Command('sparse').description('sparse Merkle trees on disk');
  for (const command of [
    putCommand(),
    getCommand(),
    delCommand(),
    importCommand(signal),
    proveCommand(),
    verifyCommand(signal),
    infoCommand(),
  ]) {
    sparse.addCommand(command);
  }
  return sparse;
}

const keyArgument = 'key, 64 hexadecimal digits; text in the layouts celestia and jmt';

function putCommand(): Command {
  const command = new Command('put')
    .description('insert an entry, or replace its leaf; makes the tree where there is none')
    .argument('<key>', keyArgument)
    .argument('<leaf>', 'leaf, in the same form');
  return addSparseOptions(command).action(async (key: string, leaf: string, flags: SparseFlags) => {
    await withSparseTree(flags, true, async (tree, hasher) => {
      await tree.insert(parseBytes(key, tree.layout, 'key'), parseBytes(leaf, tree.layout, 'leaf'), {
        durable: true,
      });
      await printTree(flags, tree, hasher);
    });
  });
}

function getCommand(): Command {
  const command = new Command('get')
    .description('print the leaf of a key; exit code 1 when there is none')
    .argument('<key>', keyArgument)
    .option('--root <hex>', 'read the tree as it was with this root', parseDigest);
  return addSparseOptions(command).action(
    async (key: string, flags: SparseFlags & { readonly root?: Digest }) => {
      await withSparseTree(flags, false, async (tree) => {
        const reader = flags.root ? await viewAt(tree, flags.root) : tree;
        const leaf = await reader.get(parseBytes(key, tree.layout, 'key'));
        if (flags.json) printJson({ leaf: leaf ? toHex(leaf) : null });
        else print(leaf ? toHex(leaf) : 'absent');
        process.exitCode = leaf ? EXIT.fine : EXIT.proofFalse;
      });
    },
  );
}

function delCommand(): Command {
  const command = new Command('del').description('remove an entry').argument('<key>', keyArgument);
  return addSparseOptions(command).action(async (key: string, flags: SparseFlags) => {
    await withSparseTree(flags, false, async (tree, hasher) => {
      await tree.remove(parseBytes(key, tree.layout, 'key'), { durable: true });
      await printTree(flags, tree, hasher);
    });
  });
}

function importCommand(signal: AbortSignal): Command {
  const command = new Command('import')
    .description('insert and remove the entries of a file; makes the tree where there is none')
    .argument('<file>', 'JSON lines or CSV, - for standard input')
    .option('--format <kind>', 'jsonl or csv (default: by the name of the file)', parseFormat);
  return addSparseOptions(command, { backend: true }).action(
    async (file: string, flags: SparseFlags & { readonly format?: EntriesFormat }) => {
      const input = await openInput(file, signal);
      await withSparseTree(flags, true, async (tree, hasher) => {
        const began = performance.now();
        let entries = 0;
        const commit = async (batch: readonly SparseOp[]): Promise<void> => {
          await tree.batch(batch, { signal, durable: true });
          entries += batch.length;
        };
        const read = async (): Promise<void> => {
          let batch: SparseOp[] = [];
          for await (const op of readOps(input, flags.format ?? formatOf(file), tree.layout)) {
            batch.push(op);
            if (batch.length < BATCH_ENTRIES) continue;
            await commit(batch);
            batch = [];
          }
          await commit(batch);
        };
        await (flags.json ? read() : withProgress(input, read));
        await printTree(flags, tree, hasher, { entries, seconds: (performance.now() - began) / 1000 });
      });
    },
  );
}

function proveCommand(): Command {
  const command = new Command('prove')
    .description('prove the leaf of a key, or that it has none')
    .argument('<key>', keyArgument)
    .option('--root <hex>', 'prove it for the tree as it was with this root', parseDigest)
    .option('--out <proof.json>', 'write the proof there instead of to standard output');
  return addSparseOptions(command).action(
    async (text: string, flags: SparseFlags & { readonly root?: Digest; readonly out?: string }) => {
      await withSparseTree(flags, false, async (tree, hasher) => {
        const root = flags.root ?? (await tree.root());
        const view = await viewAt(tree, root);
        const key = parseBytes(text, tree.layout, 'key');
        const { leaf, path } = await view.prove(key).catch(async (error: unknown) => {
          if (!hasCode(error, 'KEY_ABSENT')) throw error;
          return { leaf: null, path: (await view.proveAbsence(key)).path };
        });
        const json = sparseProofToJson({ hash: hasher.spec.id, layout: tree.layout, root, key, leaf, path });
        if (flags.out === undefined) process.stdout.write(json);
        else await writeProof(flags.out, json);
      });
    },
  );
}

interface VerifyFlags {
  readonly root: Digest;
  readonly key: string;
  readonly leaf?: string;
  readonly hash: HashId;
  readonly layout: SparseLayout;
  readonly json?: boolean;
}

function verifyCommand(signal: AbortSignal): Command {
  return new Command('verify')
    .description('check a proof against what you know of the tree; exit code 1 when it is false')
    .argument('<proof>', 'proof file, - for standard input')
    .requiredOption('--root <hex>', 'root of the tree', parseDigest)
    .requiredOption('--key <key>', keyArgument)
    .option('--leaf <leaf>', 'leaf of the key; without it the key must be absent')
    .addOption(hashOption())
    .addOption(layoutOption())
    .addOption(jsonOption())
    .action(async (file: string, flags: VerifyFlags) => {
      const input = await openInput(file, signal);
      const { path } = sparseProofFromJson(await readText(input));
      const { root, layout } = flags;
      const key = parseBytes(flags.key, layout, '--key');
      const leaf = flags.leaf === undefined ? null : parseBytes(flags.leaf, layout, '--leaf');
      const { hash } = await loadHash(flags.hash);
      if (!hash) throw new InputError(`--hash ${flags.hash}: it has no form for bytes`);
      const valid = verifySparseProof(
        { hash: (message) => hash(message) },
        { root, layout, key, leaf },
        path,
      );
      if (flags.json) printJson({ valid });
      else print(valid ? 'the proof is valid' : 'the proof is not valid');
      process.exitCode = valid ? EXIT.fine : EXIT.proofFalse;
    });
}

function infoCommand(): Command {
  return addSparseOptions(new Command('info').description('print the root')).action(
    async (flags: SparseFlags) => {
      await withSparseTree(flags, false, async (tree, hasher) => await printTree(flags, tree, hasher));
    },
  );
}

async function viewAt(tree: SparseTree, root: Uint8Array | null): ReturnType<SparseTree['at']> {
  try {
    return await tree.at(root);
  } catch (error) {
    if (error instanceof RangeError) throw new InputError(`--${error.message}`, { cause: error });
    throw error;
  }
}

function parseFormat(text: string): EntriesFormat {
  if (text === 'jsonl' || text === 'csv') return text;
  throw new InputError(`--format ${text}: expected jsonl or csv`);
}

async function printTree(
  flags: SparseFlags,
  tree: SparseTree,
  hasher: Hasher,
  done?: { readonly entries: number; readonly seconds: number },
): Promise<void> {
  const root = await tree.root();
  const { name, layout, head } = tree;
  const hash = hasher.spec.id;
  if (flags.json) {
    printJson({ name, head, root: root && toHex(root), layout, hash, ...done });
    return;
  }
  const rows: [string, string][] = [
    ['tree', `${name}, ${layout}, ${hash}`],
    ['root', root ? toHex(root) : 'none, the tree is empty'],
  ];
  if (done) {
    const rate = formatRate(done.entries, done.seconds, 'entries');
    rows.push(['imported', `${done.entries} in ${formatSeconds(done.seconds)}: ${rate}`]);
  }
  printPairs(rows);
}
