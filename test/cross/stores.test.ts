import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AbstractLevel } from 'abstract-level';
import { ClassicLevel } from 'classic-level';
import { open } from 'lmdb';
import { MemoryLevel } from 'memory-level';
import { describe, expect, it } from 'vitest';
import { levelStore } from '../../src/store/level.ts';
import { lmdbStore } from '../../src/store/lmdb.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { storeSuite } from '../../src/testing/store-suite.ts';

const runner = { describe, it, expect };

storeSuite(runner, 'memory store', async () => {
  const store = memoryStore();
  return { store, dispose: () => store.close() };
});

type AnyLevel = AbstractLevel<string | Buffer | Uint8Array, string, string>;

const overLevel = async (db: AnyLevel) => ({ store: levelStore(db), dispose: () => db.close() });

storeSuite(runner, 'level store over memory-level', () => overLevel(new MemoryLevel() as AnyLevel));
storeSuite(runner, 'level store over memory-level that stores views', () =>
  overLevel(new MemoryLevel({ storeEncoding: 'view' }) as unknown as AnyLevel),
);
storeSuite(runner, 'level store over a sublevel', () =>
  overLevel(new MemoryLevel().sublevel('trees') as unknown as AnyLevel),
);

storeSuite(runner, 'level store over classic-level', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cambium-level-'));
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
});

storeSuite(runner, 'lmdb store', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'cambium-lmdb-'));
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
});
