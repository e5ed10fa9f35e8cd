/**
 * A process that changes a sparse tree until it is killed, and writes the number of the step to standard output after
 * every commit. Arguments: name of the store, folder, layout, first step.
 */
import { writeSync } from 'node:fs';
import type { Hasher } from '../../src/hasher.ts';
import type { SparseLayout } from '../../src/tree/sparse/layout.ts';
import { SparseTree } from '../../src/tree/sparse.ts';
import { diskStores } from './disk-stores.ts';
import { endlessChanges } from './endless-sparse.ts';
import { messageHasher } from './message-hasher.ts';

const [kind, directory, layout, first] = process.argv.slice(2);
const { store } = diskStores.get(kind!)!(directory!);
const tree = await SparseTree.open(messageHasher as Hasher, store, { layout: layout as SparseLayout });
for (let step = Number(first); ; step++) {
  await tree.batch(endlessChanges(step));
  writeSync(1, `${step}\n`);
}
