/**
 * The tests that every store must pass. A store is one file and a call of this.
 */
import { toHex } from '../bytes.js';
import type { KeyRange, NodeStore, StoreOp } from '../store/types.js';
import { failureOf, randomBytes, randomNumbers, type TestRunner } from './runner.js';

/** A store under test, fresh and empty. */
export interface StoreUnderTest {
  readonly store: NodeStore;
  /** Closes the store and its database and opens the same data again; for persistent stores. */
  reopen?(): Promise<NodeStore>;
  /** Closes and removes everything. */
  dispose(): Promise<void>;
}

/** Opens a fresh, empty store. */
export type OpenStore = () => Promise<StoreUnderTest>;

interface Context extends Pick<TestRunner, 'it' | 'expect'> {
  /** A test that gets a fresh store. */
  check(name: string, body: (store: NodeStore, opened: StoreUnderTest) => Promise<void>): void;
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/**
 * Registers the store suite with a test runner.
 *
 * @param runner `describe`, `it` and `expect` of vitest, jest, Bun or Deno.
 * @param name Title of the suite.
 * @param open Opens a fresh, empty store for each test.
 * @example
 * ```ts
 * storeSuite({ describe, it, expect }, 'my store', async () => {
 *   const store = myStore();
 *   return { store, dispose: () => store.close() };
 * });
 * ```
 */
export function storeSuite(runner: TestRunner, name: string, open: OpenStore): void {
  const { describe, it, expect } = runner;
  const context: Context = {
    it,
    expect,
    check(title, body) {
      it(title, async () => {
        const opened = await open();
        try {
          await body(opened.store, opened);
        } finally {
          await opened.dispose();
        }
      });
    },
  };
  describe(name, () => {
    reading(context);
    copying(context);
    committing(context);
    ordering(context);
    snapshots(context);
    lifetime(context);
  });
}

function reading({ check, expect }: Context): void {
  check('gives back what was put, in the order of the keys asked for', async (store) => {
    await store.commit([
      { put: bytes(1), value: text('one') },
      { put: bytes(2), value: text('two') },
    ]);
    expect(await store.getMany([bytes(2), bytes(9), bytes(1), bytes(2)])).toEqual([
      text('two'),
      undefined,
      text('one'),
      text('two'),
    ]);
    expect(await store.getMany([])).toEqual([]);
  });

  check('tells keys apart that share beginnings, and takes any bytes', async (store) => {
    const keys = [bytes(0), bytes(0, 0), bytes(0, 0, 0), bytes(255), bytes(255, 255), new Uint8Array(511)];
    await store.commit(keys.map((put, i) => ({ put, value: bytes(i) })));
    expect(await store.getMany(keys)).toEqual(keys.map((_, i) => bytes(i)));
    expect(await store.getMany([bytes(0, 0, 0, 0)])).toEqual([undefined]);
  });

  check('takes values of any length', async (store) => {
    const random = randomNumbers(7);
    const lengths = [0, 1, 15, 16, 17, 31, 32, 33, 255, 4096, 65_535, 65_536, 300_000];
    const ops = lengths.map((length) => ({ put: text(`${length}`), value: randomBytes(random, length) }));
    await store.commit(ops);
    const values = await store.getMany(ops.map(({ put }) => put));
    expect(values.map((value) => toHex(value!))).toEqual(ops.map(({ value }) => toHex(value)));
  });

  check('reads without a promise exactly where it says so', async (store) => {
    expect(typeof store.getSync).toBe(store.supports.sync ? 'function' : 'undefined');
    await store.commit([{ put: bytes(1), value: bytes(2) }]);
    if (!store.getSync) return;
    expect(store.getSync(bytes(1))).toEqual(bytes(2));
    expect(store.getSync(bytes(2))).toBe(undefined);
  });

  check('gives plain byte arrays', async (store) => {
    await store.commit([{ put: bytes(1), value: bytes(2) }]);
    const found = [store.getSync?.(bytes(1)), ...(await store.getMany([bytes(1)]))];
    for await (const entry of store.iterate()) found.push(...entry);
    for (const value of found) if (value) expect(value.constructor).toBe(Uint8Array);
  });

  check('refuses wrong keys', async (store) => {
    const long = new Uint8Array(512);
    for (const key of [bytes(), long]) {
      expect(await failureOf(() => store.getMany([bytes(1), key]))).toBe('RangeError');
      expect(await failureOf(() => store.commit([{ del: key }]))).toBe('RangeError');
      expect(await failureOf(() => keysOf(store, { gte: key }))).toBe('RangeError');
      if (store.getSync) expect(await failureOf(() => store.getSync!(key))).toBe('RangeError');
    }
    expect(await failureOf(() => store.getMany(['a' as unknown as Uint8Array]))).toBe('TypeError');
  });
}

function copying({ check, expect }: Context): void {
  check('keeps no reference to what it was given', async (store) => {
    const key = bytes(1, 2, 3);
    const value = bytes(4, 5, 6);
    const removed = bytes(7);
    await store.commit([{ put: removed, value }]);
    const committed = store.commit([{ put: key, value }, { del: removed }]);
    for (const array of [key, value, removed]) array.fill(9);
    await committed;
    expect(await store.getMany([bytes(1, 2, 3), bytes(9, 9, 9), bytes(7)])).toEqual([
      bytes(4, 5, 6),
      undefined,
      undefined,
    ]);
    const asked = bytes(1, 2, 3);
    const answer = store.getMany([asked]);
    asked.fill(9);
    expect(await answer).toEqual([bytes(4, 5, 6)]);
  });

  check('gives results away', async (store) => {
    await store.commit([{ put: bytes(1), value: bytes(2) }]);
    for (const value of await store.getMany([bytes(1)])) value!.fill(9);
    store.getSync?.(bytes(1))?.fill(9);
    for await (const [key, value] of store.iterate()) for (const array of [key, value]) array.fill(9);
    expect(await store.getMany([bytes(1)])).toEqual([bytes(2)]);
  });

  check('takes views of any kind', async (store) => {
    const room = new Uint8Array(100).fill(7);
    room.set([1, 2, 3, 4], 33);
    // A page that is not isolated has no shared memory.
    const memory = typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(8) : new SharedArrayBuffer(8);
    const shared = new Uint8Array(memory).subarray(3, 5);
    shared.set([5, 6]);
    await store.commit([{ put: room.subarray(33, 35), value: room.subarray(35, 37) }]);
    await store.commit([{ put: shared, value: shared }]);
    expect(await store.getMany([bytes(1, 2), shared])).toEqual([bytes(3, 4), bytes(5, 6)]);
  });
}

function committing({ check, expect }: Context): void {
  check('replaces and removes', async (store) => {
    await store.commit([
      { put: bytes(1), value: bytes(1) },
      { put: bytes(2), value: bytes(2) },
    ]);
    await store.commit([{ put: bytes(1), value: text('longer than before') }, { del: bytes(2) }]);
    await store.commit([{ del: bytes(3) }]);
    expect(await store.getMany([bytes(1), bytes(2)])).toEqual([text('longer than before'), undefined]);
  });

  check('applies changes in their order', async (store) => {
    await store.commit([
      { put: bytes(1), value: bytes(1) },
      { del: bytes(1) },
      { put: bytes(2), value: bytes(2) },
      { put: bytes(2), value: bytes(3) },
      { del: bytes(4) },
      { put: bytes(4), value: bytes(4) },
    ]);
    expect(await store.getMany([bytes(1), bytes(2), bytes(4)])).toEqual([undefined, bytes(3), bytes(4)]);
    await store.commit([]);
  });

  check('changes nothing when one change is wrong', async (store) => {
    await store.commit([{ put: bytes(1), value: bytes(1) }]);
    const wrong: [unknown, string][] = [
      [{ put: bytes(), value: bytes(1) }, 'RangeError'],
      [{ put: bytes(3), value: 'text' }, 'TypeError'],
      [{ put: bytes(3) }, 'TypeError'],
      [{ put: bytes(3), value: bytes(1), del: bytes(3) }, 'TypeError'],
      [{}, 'TypeError'],
      [null, 'TypeError'],
    ];
    for (const [op, failure] of wrong) {
      const ops = [{ put: bytes(2), value: bytes(2) }, { del: bytes(1) }, op as StoreOp];
      expect(await failureOf(() => store.commit(ops))).toBe(failure);
    }
    expect(await failureOf(() => store.commit({} as StoreOp[]))).toBe('TypeError');
    expect(await store.getMany([bytes(1), bytes(2)])).toEqual([bytes(1), undefined]);
  });

  check('takes large commits, and durable ones', async (store) => {
    const key = (i: number) => bytes(i >> 8, i);
    const ops = Array.from({ length: 5000 }, (_, i) => ({ put: key(i), value: new Uint8Array(64).fill(i) }));
    await store.commit(ops, { durable: true });
    const values = await store.getMany(ops.map(({ put }) => put));
    expect(values.every((value, i) => value?.length === 64 && value[63] === i % 256)).toBe(true);
  });

  check('keeps many commits at once apart', async (store) => {
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        store.commit([
          { put: bytes(1, i), value: bytes(i) },
          { put: bytes(2), value: bytes(i) },
        ]),
      ),
    );
    const keys = Array.from({ length: 50 }, (_, i) => bytes(1, i));
    expect(await store.getMany(keys)).toEqual(keys.map((_, i) => bytes(i)));
    expect(await store.getMany([bytes(2)])).toEqual([bytes(49)]);
  });

  check('holds what a map holds after random changes', async (store) => {
    const random = randomNumbers(42);
    const model = new Map<string, Uint8Array>();
    const keys = Array.from({ length: 300 }, () => randomBytes(random, 1 + random(40)));
    for (let round = 0; round < 60; round++) {
      const ops = Array.from({ length: random(60) }, (): StoreOp => {
        const key = keys[random(keys.length)]!;
        if (random(3) === 0) return { del: key };
        return { put: key, value: randomBytes(random, random(200)) };
      });
      await store.commit(ops);
      for (const op of ops) {
        if ('del' in op) model.delete(toHex(op.del));
        else model.set(toHex(op.put), op.value);
      }
      const found = await store.getMany(keys);
      expect(found.map((value) => value && toHex(value))).toEqual(
        keys.map((key) => model.get(toHex(key))).map((value) => value && toHex(value)),
      );
      if (round % 10 === 0) expect(await keysOf(store)).toEqual([...model.keys()].sort());
    }
  });
}

function ordering({ check, expect }: Context): void {
  check('walks in bytewise order, with every kind of bound', async (store) => {
    const random = randomNumbers(3);
    const keys = [
      bytes(0),
      bytes(0, 0),
      bytes(1),
      bytes(1, 0),
      bytes(1, 255),
      bytes(2),
      new Uint8Array(511).fill(255),
    ];
    for (let i = 0; i < 900; i++) keys.push(randomBytes(random, 1 + random(3)));
    await store.commit(keys.map((put) => ({ put, value: put })));
    const sorted = [...new Set(keys.map(toHex))].sort();
    expect(await keysOf(store)).toEqual(sorted);
    expect(await keysOf(store, { reverse: true })).toEqual([...sorted].reverse());
    for (let i = 0; i < 150; i++) {
      const low = randomBytes(random, 1 + random(3));
      const high = random(4) ? randomBytes(random, 1 + random(3)) : low;
      const range: KeyRange = {
        ...[{}, { gte: low }, { gt: low }][random(3)],
        ...[{}, { lte: high }, { lt: high }][random(3)],
        ...[{}, { reverse: true }, { reverse: false }][random(3)],
        ...[{}, {}, { limit: random(600) }][random(3)],
      };
      expect(await keysOf(store, range)).toEqual(naiveRange(sorted, range));
    }
  });

  check('gives values beside keys, and follows removals', async (store) => {
    await store.commit([5, 3, 9, 7].map((i) => ({ put: bytes(i), value: bytes(i, i) })));
    expect(await keysOf(store)).toEqual(['0x03', '0x05', '0x07', '0x09']);
    await store.commit([{ del: bytes(5) }, { put: bytes(4), value: bytes(4, 4) }, { del: bytes(9) }]);
    const entries = [];
    for await (const entry of store.iterate()) entries.push(entry);
    expect(entries).toEqual([3, 4, 7].map((i) => [bytes(i), bytes(i, i)]));
  });

  check('may be left early, and changed while somebody walks', async (store) => {
    await store.commit(Array.from({ length: 1000 }, (_, i) => ({ put: bytes(i >> 8, i), value: bytes(i) })));
    let seen = 0;
    for await (const [key] of store.iterate()) {
      if (++seen === 10) break;
      await store.commit([{ del: key }]);
    }
    expect((await keysOf(store)).length).toBe(991);
    const walked: string[] = [];
    for await (const [key] of store.iterate()) {
      walked.push(toHex(key));
      if (walked.length % 100 === 0) await store.commit([{ put: bytes(9, walked.length / 100), value: key }]);
    }
    const old = walked.filter((key) => key < '0x09');
    expect(old).toEqual([...new Set(old)].sort());
    expect(old.length).toBe(991);
  });

  check('refuses wrong ranges', async (store) => {
    const wrong: [unknown, string][] = [
      [{ gt: bytes(1), gte: bytes(1) }, 'TypeError'],
      [{ lt: bytes(1), lte: bytes(1) }, 'TypeError'],
      [{ gt: 'a' }, 'TypeError'],
      [{ reverse: 1 }, 'TypeError'],
      [{ limit: -1 }, 'RangeError'],
      [{ limit: 1.5 }, 'RangeError'],
    ];
    for (const [range, failure] of wrong) {
      expect(await failureOf(() => keysOf(store, range as KeyRange))).toBe(failure);
    }
  });
}

function snapshots({ check, expect }: Context): void {
  check('takes snapshots exactly where it says so', async (store) => {
    expect(typeof store.snapshot).toBe(store.supports.snapshots ? 'function' : 'undefined');
    if (!store.snapshot) return;
    await store.commit([
      { put: bytes(1), value: bytes(1) },
      { put: bytes(2), value: bytes(2) },
    ]);
    const snapshot = store.snapshot();
    await store.commit([
      { put: bytes(1), value: bytes(9) },
      { del: bytes(2) },
      { put: bytes(3), value: bytes(3) },
    ]);
    expect(await snapshot.getMany([bytes(1), bytes(2), bytes(3)])).toEqual([bytes(1), bytes(2), undefined]);
    if (snapshot.getSync) expect(snapshot.getSync(bytes(1))).toEqual(bytes(1));
    expect(await keysOf(snapshot)).toEqual(['0x01', '0x02']);
    expect(await failureOf(() => snapshot.commit([{ del: bytes(1) }]))).toBe('STORE_FAILED');
    await snapshot.close();
    expect(await failureOf(() => snapshot.getMany([bytes(1)]))).toBe('CLOSED');
    expect(await store.getMany([bytes(1), bytes(2)])).toEqual([bytes(9), undefined]);
  });
}

function lifetime({ check, expect }: Context): void {
  check('refuses calls once closed, and closes twice', async (store) => {
    const committed = store.commit([{ put: bytes(1), value: bytes(1) }]);
    await Promise.all([store.close(), store.close()]);
    await committed;
    expect(await failureOf(() => store.getMany([bytes(1)]))).toBe('CLOSED');
    expect(await failureOf(() => store.commit([{ del: bytes(1) }]))).toBe('CLOSED');
    expect(await failureOf(() => keysOf(store))).toBe('CLOSED');
    if (store.getSync) expect(await failureOf(() => store.getSync!(bytes(1)))).toBe('CLOSED');
    if (store.iterateSync) expect(await failureOf(() => store.iterateSync!())).toBe('CLOSED');
    if (store.snapshot) expect(await failureOf(() => store.snapshot!())).toBe('CLOSED');
    await store.close();
  });

  check('keeps its entries where it is persistent', async (store, { reopen }) => {
    expect(typeof reopen).toBe(store.supports.persistent ? 'function' : 'undefined');
    if (!reopen) return;
    await store.commit([
      { put: bytes(1), value: bytes(1) },
      { put: bytes(2), value: bytes(2) },
    ]);
    await store.commit([{ del: bytes(1) }]);
    const again = await reopen();
    expect(await again.getMany([bytes(1), bytes(2)])).toEqual([undefined, bytes(2)]);
  });
}

/** The keys of a range, by both ways of the store where it has two. */
async function keysOf(store: NodeStore, range?: KeyRange): Promise<string[]> {
  const entries: [Uint8Array, Uint8Array][] = [];
  for await (const entry of store.iterate(range)) entries.push(entry);
  const atOnce = store.iterateSync?.(range);
  const differs = atOnce?.some((pair, i) => pair.some((part, k) => toHex(part) !== toHex(entries[i]![k]!)));
  if (atOnce && (atOnce.length !== entries.length || differs)) throw new Error('iterateSync is not iterate');
  return entries.map(([key]) => toHex(key));
}

function naiveRange(sorted: readonly string[], { gte, gt, lte, lt, reverse, limit }: KeyRange): string[] {
  const within = sorted.filter(
    (key) =>
      (!gte || key >= toHex(gte)) &&
      (!gt || key > toHex(gt)) &&
      (!lte || key <= toHex(lte)) &&
      (!lt || key < toHex(lt)),
  );
  if (reverse) within.reverse();
  return within.slice(0, limit);
}
