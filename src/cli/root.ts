import { Command } from 'commander';
import { type ClusterFlags, clusterRoot } from './cluster.js';
import { InputError } from './exit.js';
import { addTreeOptions, parseCount, type TreeFlags } from './options.js';
import { printJson, printPairs } from './output.js';
import { treeJson, treePairs } from './report.js';
import { withTree } from './session.js';

type RootFlags = TreeFlags & Partial<ClusterFlags>;

/** `cambium root FILE`. */
export function rootCommand(signal: AbortSignal): Command {
  const command = new Command('root')
    .description('print the Merkle root of a file')
    .argument('<file>', 'file to hash, - for standard input; with --cluster also a URL')
    .option('--cluster <url>', 'let the workers of a cluster hash it: redis:// or rediss:// URL')
    .option('--shard-leaves <n>', 'cluster: leaves of a shard (default: 2^20)', parseCount(2 ** 16, 2 ** 32))
    .option('--audit <n>', 'cluster: shards to hash again here (default: 0)', parseCount(0, 2 ** 32))
    .option('--subtrees <roots.json>', 'cluster: write the roots of the shards there, for proofs')
    .option('--prefix <name>', 'cluster: beginning of the keys in Redis (default: cambium)');
  return addTreeOptions(command).action(async (file: string, flags: RootFlags) => {
    if (flags.cluster !== undefined) return await clusterRoot(file, flags as ClusterFlags, signal);
    for (const [flag, value] of Object.entries({
      'shard-leaves': flags.shardLeaves,
      audit: flags.audit,
      subtrees: flags.subtrees,
      prefix: flags.prefix,
    })) {
      if (value !== undefined) throw new InputError(`--${flag} goes with --cluster`);
    }
    await withTree(file, flags, 'root', signal, async (grown) => {
      if (flags.json) printJson(treeJson(grown));
      else printPairs(treePairs(grown));
    });
  });
}
