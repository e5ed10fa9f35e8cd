import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { toHex } from '../bytes.js';
import { proofToJson } from '../tree/proof-json.js';
import { type ShardProofFlags, shardProof } from './cluster.js';
import { InputError } from './exit.js';
import { addTreeOptions, parsePosition, type TreeFlags } from './options.js';
import { printJson, printPairs } from './output.js';
import { treeJson, treePairs } from './report.js';
import { withTree } from './session.js';

interface ProveFlags extends TreeFlags {
  readonly index: bigint;
  readonly out?: string;
  readonly subtrees?: string;
}

/** `cambium prove FILE --index I [--out PROOF.json]`. */
export function proveCommand(signal: AbortSignal): Command {
  const command = new Command('prove')
    .description('prove that a leaf stands in the tree of a file')
    .argument('<file>', 'file to hash, - for standard input')
    .requiredOption('--index <i>', 'position of the leaf, from 0', parsePosition)
    .option('--out <proof.json>', 'write the proof there instead of to standard output')
    .option('--subtrees <roots.json>', 'hash one shard alone, with the roots that `root --cluster` wrote');
  return addTreeOptions(command).action(async (file: string, flags: ProveFlags) => {
    if (flags.subtrees !== undefined) {
      const text = await shardProof(file, flags as ShardProofFlags, signal);
      if (flags.out === undefined) process.stdout.write(text);
      else await writeProof(flags.out, text);
      return;
    }
    await withTree(file, flags, 'layers', signal, async (grown) => {
      const { tree, hasher, input } = grown;
      const { root, depth, size, padding } = tree;
      if (flags.index >= size) {
        const range = size ? `leaves 0 to ${size - 1}` : 'no leaves';
        throw new InputError(`--index ${flags.index}: ${input.name} has ${range}`);
      }
      const proof = tree.prove(flags.index);
      const text = proofToJson({ hash: hasher.spec.id, root, depth, size, padding, ...proof });
      if (flags.out === undefined) return void process.stdout.write(text);
      await writeProof(flags.out, text);
      if (flags.json) printJson(treeJson(grown));
      else printPairs([...treePairs(grown), ['leaf', `${toHex(proof.leaf)} at ${proof.index}`]]);
    });
  });
}

/** Writes a proof where the user asked for it. */
export async function writeProof(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new InputError(`--out ${path}: ${(error as Error).message}`, { cause: error });
  }
}
