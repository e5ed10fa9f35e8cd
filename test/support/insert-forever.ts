/**
 * A process that inserts into an indexed tree until it is killed, and writes the size to standard output after every
 * commit. Arguments: name of the store, folder.
 */
import { writeSync } from 'node:fs';
import { concatBytes } from '../../src/bytes.ts';
import { IndexedTree } from '../../src/tree/indexed.ts';
import { diskStores } from './disk-stores.ts';
import { endlessLeaf, nextSize } from './endless-tree.ts';
import { pairHasher } from './pair-hasher.ts';

const [kind, directory] = process.argv.slice(2);
const { store } = diskStores.get(kind!)!(directory!);
const tree = await IndexedTree.open(pairHasher, store, { depth: 20, scheme: 'typescript' });
for (;;) {
  // Leaf 0 is the value zero; the value of a later leaf follows from its position.
  const { size } = tree;
  const values = Array.from({ length: nextSize(size) - size }, (_, i) => endlessLeaf(size + i));
  await tree.insert(concatBytes(...values));
  writeSync(1, `${tree.size}\n`);
}
