/**
 * A process that appends to a tree until it is killed, and writes the size to standard output after every commit.
 * Arguments: name of the store, folder.
 */
import { writeSync } from 'node:fs';
import { concatBytes } from '../../src/bytes.ts';
import { AppendOnlyTree } from '../../src/tree/append-only.ts';
import { diskStores } from './disk-stores.ts';
import { endlessLeaf, nextSize } from './endless-tree.ts';
import { pairHasher } from './pair-hasher.ts';

const [kind, directory] = process.argv.slice(2);
const { store } = diskStores.get(kind!)!(directory!);
const tree = await AppendOnlyTree.open(pairHasher, store, { depth: 20 });
for (;;) {
  const size = Number(tree.size);
  const leaves = Array.from({ length: nextSize(size) - size }, (_, i) => endlessLeaf(size + i));
  await tree.append(concatBytes(...leaves));
  writeSync(1, `${tree.size}\n`);
}
