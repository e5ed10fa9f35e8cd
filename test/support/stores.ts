/** Every store that the tests run on: name and how to open a fresh one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { open } from 'lmdb';
import { MemoryLevel } from 'memory-level';
import { type LevelLike, levelStore } from '../../src/store/level.ts';
import { lmdbStore } from '../../src/store/lmdb.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { OpenStore } from '../../src/testing/store-suite.ts';

const overLevel = (makeDb: () => LevelLike & { close(): Promise<void> }): OpenStore => {
  return async () => {
    const db = makeDb();
    return { store: levelStore(db), dispose: () => db.close() };
  };
};

const temporary = () => mkdtemp(join(tmpdir(), 'cambium-store-'));

const classicLevel: OpenStore = async () => {
  const directory = await temporary();
  let db = new ClassicLevel(directory);
  return {
    store: levelStore(db),
    async reopen() {
      await db.close();
      db = new ClassicLevel(directory);
      return levelStore(db);
    },
    async dispose() {
      await db.close();
      await rm(directory, { recursive: true });
    },
  };
};

const lmdb: OpenStore = async () => {
  const directory = await temporary();
  let env = open({ path: directory });
  return {
    store: lmdbStore(env),
    async reopen() {
      await env.close();
      env = open({ path: directory });
      return lmdbStore(env);
    },
    async dispose() {
      await env.close();
      await rm(directory, { recursive: true });
    },
  };
};

export const stores: ReadonlyMap<string, OpenStore> = new Map([
  [
    'memory',
    async () => {
      const store = memoryStore();
      return { store, dispose: () => store.close() };
    },
  ],
  ['memory-level', overLevel(() => new MemoryLevel())],
  ['memory-level of views', overLevel(() => new MemoryLevel({ storeEncoding: 'view' }))],
  ['a sublevel', overLevel(() => new MemoryLevel().sublevel('trees'))],
  ['classic-level', classicLevel],
  ['lmdb', lmdb],
]);
