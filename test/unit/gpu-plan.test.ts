import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeClass } from '../../src/backend/gpu/buffer-pool.ts';
import { Gate } from '../../src/backend/gpu/gate.ts';
import {
  countMemories,
  listPieces,
  orderByKey,
  PIECE_BYTES,
  planBatches,
} from '../../src/backend/gpu/message-plan.ts';
import { chunkLeavesFor, dispatchItems, dispatchShape, planTree } from '../../src/backend/gpu/plan.ts';
import { messageBlocks } from '../../src/hash/sha256.ts';

const DEFAULTS = {
  maxBufferSize: 2 ** 28,
  maxStorageBufferBindingSize: 2 ** 27,
  maxComputeWorkgroupsPerDimension: 65_535,
};

describe('plan of a tree', () => {
  it('is exact to 2^40 leaves', () => {
    for (const count of [2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 40 - 1, 2 ** 40]) {
      const { levels, bytes } = planTree(count, 41, 'zero', 0, false);
      let exact = BigInt(count);
      for (const { count: nodes, place } of levels) {
        expect(BigInt(nodes)).toBe(exact);
        expect(place.offset % 256).toBe(0);
        exact = (exact + 1n) / 2n;
      }
      expect(bytes.even).toBeGreaterThan((count * 32 * 4) / 3 - 1);
      expect(bytes.even).toBeLessThan((count * 32 * 4) / 3 + 41 * 320);
    }
  });

  it('never lets two levels that are needed together overlap', () => {
    const padding = fc.constantFrom('zero', 'promote', 'duplicate');
    const property = fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 0, max: 16 }),
      padding,
      fc.integer({ min: 0, max: 17 }),
      fc.boolean(),
      (count, levels, pad, keep, fused) => {
        const keepFrom = Math.min(keep, levels);
        const plan = planTree(count, levels, pad, keepFrom, fused);
        const spans = plan.levels.map(({ count: nodes, beside, place }) => {
          const slots = beside === 'zero' || beside === 'itself' ? nodes + 1 : nodes;
          return { store: place.store, from: place.offset, to: place.offset + 32 * slots };
        });
        spans.forEach((span, k) => {
          expect(span.to).toBeLessThanOrEqual(plan.bytes[span.store]);
          // Beside the level above it, which is bound for writing, a level needs another buffer.
          if (k > 0 && plan.topFrom !== k - 1) {
            expect(span.store === 'top' || span.store !== spans[k - 1]!.store).toBe(true);
          }
          // Levels that are kept stay until the end.
          for (let other = Math.max(k, keepFrom) + 1; k >= keepFrom && other < spans.length; other++) {
            const apart = spans[other]!.store !== span.store || spans[other]!.from >= span.to;
            expect(apart || spans[other]!.to <= span.from).toBe(true);
          }
        });
      },
    );
    fc.assert(property, { numRuns: 400 });
  });

  it('takes two buffers of half a chunk more when only the root is wanted', () => {
    const { bytes } = planTree(2 ** 20, 20, 'none', 20, true);
    expect(bytes).toEqual({ even: 2 ** 25, odd: 2 ** 24, top: 511 * 32 });
  });

  it('uses the fused top for the last levels without an odd one', () => {
    expect(planTree(2 ** 12, 12, 'none', 12, true).topFrom).toBe(3);
    expect(planTree(512, 9, 'none', 9, true).topFrom).toBe(0);
    expect(planTree(384, 7, 'zero', 7, true).topFrom).toBe(0);
    expect(planTree(384, 9, 'zero', 9, true).topFrom).toBeUndefined();
    expect(planTree(2, 1, 'none', 1, true).topFrom).toBeUndefined();
    expect(planTree(4, 2, 'none', 2, true).topFrom).toBe(0);
    expect(planTree(2 ** 12, 12, 'none', 12, false).topFrom).toBeUndefined();
    expect(planTree(513, 10, 'promote', 10, true).topFrom).toBeUndefined();
  });

  it('says what stands beside an odd node', () => {
    expect(planTree(5, 4, 'zero', 4, false).levels.map(({ beside }) => beside)).toEqual([
      'zero',
      'zero',
      'nothing',
      'zero',
      'nothing',
    ]);
    expect(planTree(5, 3, 'promote', 3, false).levels.map(({ hashed }) => hashed)).toEqual([0, 2, 1, 1]);
    expect(planTree(3, 2, 'duplicate', 2, false).levels[0]!.beside).toBe('itself');
    expect(() => planTree(6, 3, 'none', 3, false)).toThrow("padding 'none' wants a power of two");
  });
});

describe('limits', () => {
  it('give chunks of 2^20 leaves by default, and smaller ones where they must', () => {
    expect(chunkLeavesFor(DEFAULTS)).toBe(2 ** 20);
    expect(chunkLeavesFor({ ...DEFAULTS, maxStorageBufferBindingSize: 2 ** 31 - 1 })).toBe(2 ** 20);
    expect(chunkLeavesFor({ ...DEFAULTS, maxBufferSize: 2 ** 20 })).toBe(2 ** 13);
    expect(chunkLeavesFor({ ...DEFAULTS, maxStorageBufferBindingSize: 1000 })).toBe(16);
  });

  it('give dispatches in two dimensions that cover all groups', () => {
    expect(dispatchShape(1, DEFAULTS)).toEqual([1, 1]);
    expect(dispatchShape(65_536, DEFAULTS)).toEqual([65_535, 2]);
    const three = { ...DEFAULTS, maxComputeWorkgroupsPerDimension: 3 };
    expect(dispatchShape(9, three)).toEqual([3, 3]);
    expect(dispatchItems(three)).toBe(576);
    expect(dispatchItems(DEFAULTS)).toBe(2 ** 21);
    expect(dispatchItems({ ...DEFAULTS, maxStorageBufferBindingSize: 2 ** 31 - 1 }) % 8).toBe(0);
  });

  it('round buffers to sizes that jobs can share', () => {
    expect(sizeClass(0)).toBe(256);
    expect(sizeClass(32)).toBe(256);
    expect(sizeClass(2 ** 25)).toBe(2 ** 25);
    expect(sizeClass(2 ** 25 + 1)).toBe(2 ** 25 + 2 ** 23);
    for (const bytes of [257, 1000, 4097, 123_456, 2 ** 30 + 5]) {
      expect(sizeClass(bytes)).toBeGreaterThanOrEqual(bytes);
      expect(sizeClass(bytes)).toBeLessThan(bytes * 1.25 + 512);
    }
  });
});

describe('plan of messages', () => {
  it('cuts batches by bytes and by number', () => {
    const lengths = Uint32Array.of(10, 20, 30, 0, 0, 0, 100, 5);
    const batches = [...planBatches(lengths, { bytes: 60, count: 4 })];
    expect(batches).toEqual([
      { first: 0, end: 4, offset: 0, longest: 30 },
      { first: 4, end: 6, offset: 60, longest: 0 },
      { first: 6, end: 7, offset: 60, longest: 100 },
      { first: 7, end: 8, offset: 160, longest: 5 },
    ]);
    expect([...planBatches(new Uint32Array(0), { bytes: 60, count: 4 })]).toEqual([]);
  });

  it('hands every byte out once, and ends every message once', () => {
    const lengths = Uint32Array.of(
      0,
      3,
      PIECE_BYTES,
      PIECE_BYTES + 1,
      64,
      2 * PIECE_BYTES,
      3 * PIECE_BYTES - 1,
    );
    const batch = { first: 0, end: lengths.length, offset: 0, longest: 3 * PIECE_BYTES - 1 };
    const bytes = lengths.map(() => 0);
    let ended = 0;
    for (let start = 0; start < batch.longest; start += PIECE_BYTES) {
      const pieces = listPieces(lengths, batch, start, { blocksOf: messageBlocks });
      for (let row = 0; row < pieces.table.length; row += 4) {
        const leaf = pieces.table[row + 2]!;
        bytes[leaf]! += Math.min(lengths[leaf]! - start, PIECE_BYTES);
      }
      expect(pieces.spans.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(pieces.bytes);
      ended += pieces.ended;
    }
    expect(bytes).toEqual(lengths);
    expect(ended).toBe(lengths.length);
  });

  it('gives memory to messages in pieces, and to those that are not flat, each its own in all rounds', () => {
    const lengths = Uint32Array.of(10, 2 * PIECE_BYTES, 1024, 1025, PIECE_BYTES + 5);
    const batch = { first: 0, end: lengths.length, offset: 0, longest: 2 * PIECE_BYTES };
    const memories = (start: number, flatBytes?: number): number[][] => {
      const { table } = listPieces(lengths, batch, start, { blocksOf: messageBlocks, flatBytes });
      const rows = Array.from({ length: table.length / 4 }, (_, i) => table.subarray(4 * i, 4 * i + 4));
      return rows.map(([, , leaf, memory]) => [leaf!, memory!]).sort(([a], [b]) => a! - b!);
    };
    expect(countMemories(lengths, batch, { blocksOf: messageBlocks })).toBe(2);
    expect(memories(PIECE_BYTES)).toEqual([
      [1, 0],
      [4, 1],
    ]);
    expect(countMemories(lengths, batch, { blocksOf: messageBlocks, flatBytes: 1024 })).toBe(3);
    expect(memories(0, 1024).filter(([leaf]) => [1, 3, 4].includes(leaf!))).toEqual([
      [1, 0],
      [3, 1],
      [4, 2],
    ]);
    expect(memories(PIECE_BYTES, 1024)).toEqual([
      [1, 0],
      [4, 2],
    ]);
  });

  it('puts pieces of equal work beside each other, and keeps their order otherwise', () => {
    expect([...orderByKey(Uint32Array.of(3, 1, 2, 1, 3))]).toEqual([1, 3, 2, 0, 4]);
    expect([...orderByKey(new Uint32Array(0))]).toEqual([]);
  });
});

describe('gate', () => {
  it('lets no more than its number in, in order, and survives failures', async () => {
    const gate = new Gate(2);
    const began: number[] = [];
    let inside = 0;
    const job = (i: number) => async (): Promise<void> => {
      began.push(i);
      expect(++inside).toBeLessThanOrEqual(2);
      await new Promise((resolve) => setTimeout(resolve, 2));
      inside--;
      if (i % 3 === 0) throw new Error('failed');
    };
    const results = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => gate.run(job(i))));
    expect(began).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(results.filter(({ status }) => status === 'rejected').length).toBe(4);
  });
});
