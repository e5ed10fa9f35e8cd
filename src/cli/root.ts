import { Command } from 'commander';
import { addTreeOptions, type TreeFlags } from './options.js';
import { printJson, printPairs } from './output.js';
import { treeJson, treePairs } from './report.js';
import { withTree } from './session.js';

/** `cambium root FILE`. */
export function rootCommand(signal: AbortSignal): Command {
  const command = new Command('root')
    .description('print the Merkle root of a file')
    .argument('<file>', 'file to hash, - for standard input');
  return addTreeOptions(command).action(async (file: string, flags: TreeFlags) => {
    await withTree(file, flags, 'root', signal, async (grown) => {
      if (flags.json) printJson(treeJson(grown));
      else printPairs(treePairs(grown));
    });
  });
}
