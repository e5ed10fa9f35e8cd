import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { randomBytes, randomNumbers } from '../../src/testing/runner.ts';

const key = (i: number): Uint8Array => Uint8Array.of(i >> 16, i >> 8, i);

describe('memory store', () => {
  it('holds many entries, and counts them', async () => {
    const store = memoryStore();
    const count = 100_000;
    for (let from = 0; from < count; from += 10_000) {
      const ops = Array.from({ length: 10_000 }, (_, i) => ({
        put: key(from + i),
        value: key(3 * (from + i)),
      }));
      await store.commit(ops);
    }
    expect(store.size).toBe(count);
    for (let i = 0; i < count; i += 97) expect(store.getSync(key(i))).toEqual(key(3 * i));
    expect(store.getSync(key(count))).toBe(undefined);
    let next = 0;
    for await (const [found] of store.iterate())
      if (toHex(found) !== toHex(key(next++))) expect(found).toBe(next);
    expect(next).toBe(count);
  });

  it('uses the space of removed and replaced values again', async () => {
    const store = memoryStore();
    const random = randomNumbers(5);
    const round = async (): Promise<void> => {
      const ops = Array.from({ length: 500 }, (_, i) => ({
        put: key(i),
        value: randomBytes(random, random(3000)),
      }));
      await store.commit(ops);
      await store.commit(ops.filter((_, i) => i % 2).map(({ put }) => ({ del: put })));
    };
    for (let i = 0; i < 30; i++) await round();
    const settled = store.byteLength;
    for (let i = 0; i < 100; i++) await round();
    expect(store.byteLength).toBeLessThan(1.25 * settled);
    expect(store.size).toBe(250);
  });

  it('gives large values back to the system', async () => {
    const store = memoryStore();
    await store.commit([{ put: key(1), value: new Uint8Array(50) }]);
    const before = store.byteLength;
    for (let i = 0; i < 20; i++) {
      await store.commit([{ put: key(2), value: new Uint8Array(3_000_000).fill(i) }]);
      expect(store.byteLength).toBeGreaterThan(before + 3_000_000);
      expect(store.byteLength).toBeLessThan(before + 5_000_000);
      expect(store.getSync(key(2))![2_999_999]).toBe(i);
    }
    await store.commit([{ del: key(2) }]);
    expect(store.byteLength).toBe(before);
  });

  it('keeps a small store small', async () => {
    const store = memoryStore();
    expect(store.byteLength).toBe(0);
    await store.commit([{ put: key(1), value: key(1) }]);
    expect(store.byteLength).toBeLessThanOrEqual(65_536);
  });

  it('keeps the order right through removals and returning keys', async () => {
    const store = memoryStore();
    const random = randomNumbers(11);
    const model = new Set<number>();
    for (let round = 0; round < 200; round++) {
      const ops = Array.from({ length: 40 }, () => {
        const i = random(2000);
        if (random(2)) {
          model.add(i);
          return { put: key(i), value: key(i) };
        }
        model.delete(i);
        return { del: key(i) };
      });
      await store.commit(ops);
      // Only now and then: between two walks new keys wait unsorted, and may be gone before they are sorted.
      if (round % 7) continue;
      const sorted = [...model].sort((a, b) => a - b);
      const low = random(2000);
      const found: number[] = [];
      for await (const [k] of store.iterate({ lt: key(low), reverse: true, limit: 3 })) {
        found.push((k[1]! << 8) | k[2]!);
      }
      expect(found).toEqual(
        sorted
          .filter((i) => i < low)
          .slice(-3)
          .reverse(),
      );
      const all: number[] = [];
      for await (const [k] of store.iterate()) all.push((k[1]! << 8) | k[2]!);
      expect(all).toEqual(sorted);
    }
  });

  it('takes nothing of a commit for which there is no memory', async () => {
    const store = memoryStore();
    await store.commit([{ put: key(1), value: key(1) }]);
    const before = store.byteLength;
    // A length that no array can have, met after two good changes; often, to see that nothing stays behind.
    const huge = Object.defineProperty(new Uint8Array(1), 'length', { value: 2 ** 53 });
    const large = new Uint8Array(5000);
    for (let i = 0; i < 50; i++) {
      const ops = [{ put: key(2), value: large }, { del: key(1) }, { put: key(3), value: huge }];
      await expect(store.commit(ops)).rejects.toMatchObject({
        code: 'STORE_FAILED',
        cause: expect.any(RangeError),
      });
    }
    expect([store.size, store.byteLength]).toEqual([1, before]);
    expect(await store.getMany([key(1), key(2), key(3)])).toEqual([key(1), undefined, undefined]);
  });
});
