/** Reads of sparse Merkle trees from snapshots that answer late. */
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { NodeStore, StoreOp } from '../../src/store/types.ts';
import { SimpleSmt } from '../../src/tree/simple-smt.ts';

const hasher = await createHasher('rpo', { backend: 'cpu', threads: 0 });
const value = new Uint8Array(32).fill(1);

async function copyOf(store: NodeStore): Promise<NodeStore> {
  const copy = memoryStore();
  const ops: StoreOp[] = [];
  for await (const [put, bytes] of store.iterate({})) ops.push({ put, value: bytes });
  await copy.commit(ops);
  return copy;
}

/** A store in memory with snapshots, whose reads take so many milliseconds. */
function storeWithSnapshots(milliseconds: number): NodeStore {
  const store = memoryStore();
  const late: NodeStore = {
    supports: { sync: false, snapshots: true, persistent: false },
    getMany: (keys) => store.getMany(keys),
    commit: (ops) => store.commit(ops),
    iterate: (range) => store.iterate(range),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
    snapshot() {
      const copy = copyOf(store);
      return {
        ...late,
        async getMany(keys) {
          const snapshot = await copy;
          await new Promise((resolve) => setTimeout(resolve, milliseconds));
          return await snapshot.getMany(keys);
        },
        close: async () => {},
      };
    },
  };
  return late;
}

describe('a read from a snapshot', () => {
  it('before the first commit sees an empty tree, though it ends after that commit', async () => {
    const tree = await SimpleSmt.open(hasher, storeWithSnapshots(50), { depth: 16 });
    const read = tree.get(3);
    await tree.set(3, value);
    expect(toHex(await read)).toBe(toHex(new Uint8Array(32)));
    expect(toHex(await tree.get(3))).toBe(toHex(value));
  });

  it('refuses a tree that another handle has made, of another depth', async () => {
    const store = storeWithSnapshots(0);
    const first = await SimpleSmt.open(hasher, store, { depth: 16 });
    const other = await SimpleSmt.open(hasher, store, { depth: 20 });
    await other.set(3, value);
    await expect(first.get(3)).rejects.toThrow(/depth/);
    await expect(first.prove(3)).rejects.toThrow(/depth/);
  });

  it('brings the size that another handle has left', async () => {
    const store = storeWithSnapshots(0);
    const first = await SimpleSmt.open(hasher, store, { depth: 16 });
    const other = await SimpleSmt.open(hasher, store, { depth: 16 });
    await first.set(1, value);
    await other.get(1);
    expect(other.size).toBe(1);
  });
});
