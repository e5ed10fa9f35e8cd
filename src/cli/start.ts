import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { verifyProof } from '../tree/proof.js';
import { addTreeOptions, type TreeFlags } from './options.js';
import { print, printJson, printPairs } from './output.js';
import { treeJson, treePairs } from './report.js';
import { type GrownTree, withTree } from './session.js';

/** What there is to hash right after a clone. */
const OWN_FILE = new URL('../../package-lock.json', import.meta.url);

/** `cambium start [PATH]`, behind `npm start`: a file's root, then a proof of one of its leaves. */
export function startCommand(signal: AbortSignal): Command {
  const command = new Command('start').argument('[file]', 'file to hash, - for standard input');
  return addTreeOptions(command).action(async (file: string | undefined, flags: TreeFlags) => {
    const path = file ?? fileURLToPath(OWN_FILE);
    await withTree(path, flags, 'layers', signal, async (grown) => {
      const proof = proveOne(grown);
      if (flags.json) printJson(treeJson(grown));
      else {
        printPairs([['file', grown.input.name], ...treePairs(grown)]);
        if (proof) print(proof);
      }
    });
  });
}

/** Proves a random leaf and checks the proof; undefined where there is no leaf. */
function proveOne({ tree, hasher }: GrownTree): string | undefined {
  if (!tree.size) return undefined;
  const { root, depth, size, padding } = tree;
  const { index, leaf, siblings } = tree.prove(Math.floor(Math.random() * size));
  if (!verifyProof(hasher, { root, depth, size, padding, index, leaf }, siblings)) {
    throw new Error(`the proof of leaf ${index} does not verify`);
  }
  return `proof  of leaf ${index}: ${siblings.length} siblings, verified`;
}
