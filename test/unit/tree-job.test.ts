/** Trees as sequences of chunks, with folds that only count: sizes that no machine could hash. */
import { describe, expect, it } from 'vitest';
import type { Padding } from '../../src/backend/types.ts';
import type { ChunkedLeaves, LeafChunk } from '../../src/leaf-source.ts';
import { type FoldChunk, foldTree, levelsFor, type TreeJob } from '../../src/tree-job.ts';

/** `count` leaves that are nowhere; a stream does not tell their number. */
function imagined(count: number, streamed: boolean): ChunkedLeaves {
  return {
    ...(!streamed && { count }),
    leafHashes: 0,
    chunkLeaves: (wanted) => wanted,
    *chunks(size) {
      for (let first = 0; first < count; first += size) {
        const leafCount = Math.min(size, count - first);
        yield { source: { kind: 'device', buffer: {}, byteOffset: 0 }, leafCount };
      }
    },
  };
}

/** A digest that says how many leaves lie below it. */
function counting(leaves: bigint): Uint8Array<ArrayBuffer> {
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setBigUint64(0, leaves);
  return digest;
}

const countOf = (digest: Uint8Array, at = 0): bigint =>
  new DataView(digest.buffer, digest.byteOffset).getBigUint64(at);

/** Folds to the number of leaves below; a job of more leaves than its levels hold is wrong. */
const fold: FoldChunk = async ({ source, leafCount, levels, keepFrom }) => {
  if (leafCount > 2 ** levels || keepFrom !== undefined) throw new Error('a wrong job');
  let below = source.kind === 'device' ? BigInt(leafCount) : 0n;
  if (source.kind === 'digests') {
    for (let at = 0; at < 32 * leafCount; at += 32) below += countOf(source.digests, at);
  }
  return { layers: [counting(below)], samples: [] };
};

const job = (leaves: ChunkedLeaves, part: Partial<TreeJob>): TreeJob => ({
  leaves,
  padding: 'zero',
  zeros: (level) => Array.from({ length: level + 1 }, () => new Uint8Array(32)),
  chunkLeaves: 2 ** 20,
  chunksInFlight: 2,
  ...part,
});

describe('levels', () => {
  it('are exact for every integer', () => {
    expect([0, 1, 2, 3, 4, 5].map(levelsFor)).toEqual([0, 0, 1, 2, 2, 3]);
    for (let k = 2; k <= 52; k++) {
      expect([2 ** k - 1, 2 ** k, 2 ** k + 1].map(levelsFor)).toEqual([k, k, k + 1]);
    }
    expect(levelsFor(Number.MAX_SAFE_INTEGER)).toBe(53);
  });
});

describe.each([true, false])('trees of up to 2^40 leaves, streamed: %s', (streamed) => {
  const sizes = [1, 2 ** 31 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 36 + 12_345, 2 ** 40 - 1, 2 ** 40];

  it.each(sizes)('%i', async (count) => {
    for (const padding of ['zero', 'promote', 'duplicate'] as const satisfies readonly Padding[]) {
      const reported: number[] = [];
      const tree = await foldTree(
        job(imagined(count, streamed), {
          padding,
          chunkLeaves: 2 ** 30,
          onProgress: ({ done }) => void reported.push(done),
        }),
        fold,
      );
      expect(countOf(tree.root)).toBe(BigInt(count));
      expect(tree).toMatchObject({ leafCount: count, levels: levelsFor(count) });
      expect(reported.at(-1)).toBe(count);
    }
  });

  it('2^40, in a million chunks', async () => {
    const tree = await foldTree(job(imagined(2 ** 40, streamed), { padding: 'none', levels: 40 }), fold);
    expect(countOf(tree.root)).toBe(2n ** 40n);
  });

  it('one too many for their levels', async () => {
    const tree = foldTree(job(imagined(2 ** 40 + 1, streamed), { levels: 40, chunkLeaves: 2 ** 32 }), fold);
    await expect(tree).rejects.toThrow(`${2 ** 40 + 1} of them do not fit below 40 levels`);
  });
});

describe('chunks', () => {
  /** What happens, in order: `read 3` when the third chunk is handed over, `fold 1` and `done 1`. */
  async function events(chunks: number, inFlight: number): Promise<string[]> {
    const log: string[] = [];
    const source = async function* (size: number): AsyncGenerator<LeafChunk> {
      for (let i = 1; i <= chunks; i++) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        log.push(`read ${i}`);
        yield { source: { kind: 'device', buffer: { i }, byteOffset: 0 }, leafCount: size };
      }
    };
    const leaves = { leafHashes: 0, chunkLeaves: (wanted: number) => wanted, chunks: source };
    await foldTree(job(leaves, { chunkLeaves: 4, chunksInFlight: inFlight }), async (chunk) => {
      if (chunk.source.kind !== 'device') return await fold(chunk);
      const { i } = chunk.source.buffer as { i: number };
      log.push(`fold ${i}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      log.push(`done ${i}`);
      return { layers: [counting(4n)], samples: [] };
    });
    return log;
  }

  it('are read while those before them are folded', async () => {
    const log = await events(6, 2);
    for (let i = 3; i <= 6; i++) {
      const before = log.slice(0, log.indexOf(`read ${i}`));
      // Both are under way, and the chunk waits for the first of them.
      expect(before).toContain(`fold ${i - 1}`);
      expect(before).not.toContain(`done ${i - 1}`);
      expect(log.indexOf(`done ${i - 2}`)).toBeLessThan(log.indexOf(`fold ${i}`));
    }
  });

  it('are never more in flight than the backend asks for', async () => {
    for (const inFlight of [1, 3]) {
      let flying = 0;
      let most = 0;
      for (const event of await events(7, inFlight)) {
        if (event.startsWith('fold')) most = Math.max(most, ++flying);
        if (event.startsWith('done')) flying--;
      }
      expect(most).toBe(inFlight);
    }
  });
});
