/** Stores on disk by name, opened at a folder of the caller's choice: for tests with more than one process. */
import { ClassicLevel } from 'classic-level';
import { open } from 'lmdb';
import { levelStore } from '../../src/store/level.ts';
import { lmdbStore } from '../../src/store/lmdb.ts';
import type { NodeStore } from '../../src/store/types.ts';

export interface DiskStore {
  readonly store: NodeStore;
  /** Closes store and database. */
  close(): Promise<void>;
}

export const diskStores: ReadonlyMap<string, (directory: string) => DiskStore> = new Map([
  [
    'classic-level',
    (directory: string) => {
      const db = new ClassicLevel(directory);
      return { store: levelStore(db), close: () => db.close() };
    },
  ],
  [
    'lmdb',
    (directory: string) => {
      const env = open({ path: directory });
      return { store: lmdbStore(env), close: () => env.close() };
    },
  ],
]);
