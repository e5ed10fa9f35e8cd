import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AbstractLevel } from 'abstract-level';
import { open } from 'lmdb';
import { MemoryLevel } from 'memory-level';
import { describe, expect, it } from 'vitest';
import { hasCode } from '../../src/errors.ts';
import { levelStore } from '../../src/store/level.ts';
import { lmdbStore } from '../../src/store/lmdb.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { storeSuite } from '../../src/testing/store-suite.ts';
import { stores } from '../support/stores.ts';

for (const [name, openStore] of stores) {
  storeSuite({ describe, it, expect }, `store over ${name}`, openStore);
}

/** Any abstract-level database fits, by its own types. */
const overAny = (db: AbstractLevel<string | Buffer | Uint8Array, string, string>): NodeStore =>
  levelStore(db);

describe('store over abstract-level', () => {
  it('refuses what is no database', () => {
    expect(() => levelStore(undefined as never)).toThrow(TypeError);
    expect(() => levelStore(new Map() as never)).toThrow(TypeError);
    expect(() => lmdbStore({} as never)).toThrow(TypeError);
  });

  it('leaves the database open, and says so when the caller closed it', async () => {
    const db = new MemoryLevel();
    const store = overAny(db as AbstractLevel<string | Buffer | Uint8Array, string, string>);
    await store.commit([{ put: Uint8Array.of(1), value: Uint8Array.of(2) }]);
    await store.close();
    expect(db.status).toBe('open');
    const again = levelStore(db);
    expect(await again.getMany([Uint8Array.of(1)])).toEqual([Uint8Array.of(2)]);
    await db.close();
    await expect(again.getMany([Uint8Array.of(1)])).rejects.toSatisfy((error) => hasCode(error, 'CLOSED'));
    expect(() => again.getSync!(Uint8Array.of(1))).toThrow(expect.objectContaining({ code: 'CLOSED' }));
  });

  it('hands on what the database says, as the cause', async () => {
    const failure = new Error('disk full');
    const db = Object.assign(new MemoryLevel(), { batch: () => Promise.reject(failure) });
    const commit = levelStore(db).commit([{ del: Uint8Array.of(1) }]);
    await expect(commit).rejects.toMatchObject({ code: 'STORE_FAILED', cause: failure });
  });
});

describe('store over lmdb', () => {
  it('says so when the caller closed the environment', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'cambium-lmdb-'));
    const env = open({ path: directory });
    const store = lmdbStore(env);
    await store.commit([{ put: Uint8Array.of(1), value: Uint8Array.of(2) }]);
    const snapshot = store.snapshot!();
    await env.close();
    const closed = { code: 'CLOSED' };
    for (const view of [store, snapshot]) {
      await expect(view.getMany([Uint8Array.of(1)])).rejects.toMatchObject(closed);
      expect(() => view.getSync!(Uint8Array.of(1))).toThrow(expect.objectContaining(closed));
      const walk = view.iterate()[Symbol.asyncIterator]();
      await expect(walk.next()).rejects.toMatchObject(closed);
    }
    await expect(store.commit([])).rejects.toMatchObject(closed);
    expect(() => store.snapshot!()).toThrow(expect.objectContaining(closed));
    await snapshot.close();
    await rm(directory, { recursive: true });
  });
});
