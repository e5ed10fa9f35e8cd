/**
 * A process that changes an Smt until it is killed, and writes the number of the step to standard output after every
 * commit. Arguments: name of the store, folder, first step.
 */
import { writeSync } from 'node:fs';
import { Smt } from '../../src/tree/smt.ts';
import { diskStores } from './disk-stores.ts';
import { endlessEntries } from './endless-smt.ts';
import { wordHasher } from './word-hasher.ts';

const [kind, directory, first] = process.argv.slice(2);
const { store } = diskStores.get(kind!)!(directory!);
const tree = await Smt.open(wordHasher, store, { scheme: 'v0.24' });
for (let step = Number(first); ; step++) {
  await tree.insertMany(endlessEntries(step));
  writeSync(1, `${step}\n`);
}
