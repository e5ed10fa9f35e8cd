/** What the `tree` commands share. */
import type { Command } from 'commander';
import { concatBytes, toHex } from '../bytes.js';
import type { AppendOnlyTree } from '../tree/append-only.js';
import { IndexedTree } from '../tree/indexed.js';
import { formatRate, formatSeconds, printJson, printPairs } from './output.js';
import type { StoreFlags } from './tree-store.js';

/** Adds the options that name a tree. */
export function addStoreOptions(command: Command): Command {
  return command
    .requiredOption('--store <dir>', 'folder of the store')
    .option('--name <name>', 'name of the tree in the store', 'main');
}

/** Digests in batches of `bytes` bytes, a whole number of digests each but for the end of the input. */
export async function* batchesOf(
  pieces: AsyncIterable<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    held.push(piece);
    length += piece.length;
    if (length < bytes) continue;
    const all = concatBytes(...held);
    let at = 0;
    for (; all.length - at >= bytes; at += bytes) yield all.subarray(at, at + bytes);
    held = [all.subarray(at)];
    length = all.length - at;
  }
  if (length) yield concatBytes(...held);
}

/** What a command did to a tree. */
export type Done = { readonly seconds: number } & (
  | { readonly appended: number }
  | { readonly inserted: number }
);

/** Prints what a tree is now. */
export async function printTree(
  flags: StoreFlags,
  tree: AppendOnlyTree | IndexedTree,
  hash: string,
  done?: Done,
): Promise<void> {
  const root = toHex(await tree.root());
  const { name, depth, size } = tree;
  const scheme = tree instanceof IndexedTree ? { scheme: tree.scheme, updatable: tree.updatable } : {};
  if (flags.json) {
    const written = typeof size === 'bigint' ? String(size) : size;
    printJson({ name, root, size: written, depth, hash, ...scheme, ...done });
    return;
  }
  const kind =
    'scheme' in scheme ? `, indexed, ${scheme.scheme}${scheme.updatable ? ', updatable' : ''}` : '';
  const rows: [string, string | number][] = [
    ['tree', `${name}, depth ${depth}, ${hash}${kind}`],
    ['root', root],
    ['size', String(size)],
  ];
  if (done) {
    const [what, count] = 'appended' in done ? ['appended', done.appended] : ['inserted', done.inserted];
    const rate = formatRate(count, done.seconds, 'leaves');
    rows.push([what, `${count} in ${formatSeconds(done.seconds)}: ${rate}`]);
  }
  printPairs(rows);
}
