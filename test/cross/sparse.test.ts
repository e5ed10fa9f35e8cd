/** Sparse trees in all layouts on all stores, against a plain map and a naive tree. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest, toHex } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { treeSuite } from '../../src/testing/tree-suite.ts';
import type { SparseLayout } from '../../src/tree/sparse/layout.ts';
import {
  verifySparseMultiproof,
  verifySparseProof,
  verifySparseRange,
} from '../../src/tree/sparse/verify.ts';
import type { SparseView } from '../../src/tree/sparse/view.ts';
import { SparseTree } from '../../src/tree/sparse.ts';
import { NaiveMonotree, naiveCanonicalRoot } from '../support/naive-sparse.ts';
import { sha256 } from '../support/naive-tree.ts';
import { stores } from '../support/stores.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const RUNS = process.env.CAMBIUM_TEST_ALL === '1' ? 40 : 4;

const text = (value: string): Uint8Array<ArrayBuffer> => sha256(new TextEncoder().encode(value));
const optional = (value: Uint8Array | null | undefined): string | null => (value ? toHex(value) : null);

for (const layout of ['canonical', 'monotree', 'jmt'] as const) {
  for (const [name, openStore] of stores) {
    if (layout === 'jmt' && name !== 'memory') continue;
    treeSuite({ describe, it, expect }, `${layout} tree over ${name}`, openStore, async (store, tree) => {
      const opened = await SparseTree.open(hasher, store, { layout, name: tree });
      const keys = Array.from({ length: 40 }, (_, i) => text(`key ${i}`));
      return {
        change(step, options) {
          const puts = keys
            .slice(step * 6, step * 6 + 10)
            .map((put, i) => ({ put, leaf: text(`${step} ${i}`) }));
          const dels = keys.slice(step * 2, step * 2 + 3).map((del) => ({ del }));
          return opened.batch([...puts, ...dels], options);
        },
        async state() {
          const found = await opened.getMany(keys);
          const { path } = await opened.proveMany(keys);
          return { root: optional(await opened.root()), found: found.map(optional), path: toHex(path) };
        },
      };
    });
  }
}

/** Keys that share beginnings of all lengths, so that every kind of edge comes up. */
const keys: readonly Digest[] = Array.from({ length: 64 }, (_, i) => {
  const key = text(`machine ${i % 8}`).slice() as Digest;
  const at = (i * 7) % 32;
  key.set(text(`branch ${i}`).subarray(at), at);
  return key;
});

/** What a tree must be. */
interface Model {
  readonly entries: Map<string, Uint8Array>;
  readonly values: Map<string, Uint8Array>;
  readonly monotree: NaiveMonotree;
}

const keyText = (key: Uint8Array): string => toHex(key).slice(2);

const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ key: fc.nat(63), leaf: fc.nat(5), withValue: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ key: fc.nat(63) }) },
);

type Change = { readonly key: number; readonly leaf?: number; readonly withValue?: boolean };

function applyToModel({ entries, values, monotree }: Model, { key, leaf, withValue }: Change): void {
  const name = keyText(keys[key]!);
  if (leaf === undefined) {
    entries.delete(name);
    monotree.remove(keys[key]!);
    return;
  }
  entries.set(name, text(`leaf ${leaf}`));
  if (withValue) values.set(`${name} ${leaf}`, text(`value ${key} ${leaf}`));
  monotree.insert(keys[key]!, text(`leaf ${leaf}`));
}

const asOp = ({ key, leaf, withValue }: Change) => {
  if (leaf === undefined) return { del: keys[key]! };
  const put = { put: keys[key]!, leaf: text(`leaf ${leaf}`) };
  return withValue ? { ...put, value: text(`value ${key} ${leaf}`) } : put;
};

/** All that a tree says at one root: every key, every proof, a range. */
async function checkView(
  view: SparseView,
  entries: ReadonlyMap<string, Uint8Array>,
  layout: SparseLayout,
): Promise<void> {
  const { root } = view;
  const found = await view.getMany(concatBytes(...keys));
  expect(found.map(optional)).toEqual(keys.map((key) => optional(entries.get(keyText(key)))));
  for (const key of keys.slice(0, 8)) {
    const leaf = entries.get(keyText(key)) ?? null;
    expect(optional(await view.get(key))).toBe(optional(leaf));
    const { path } = leaf ? await view.prove(key) : await view.proveAbsence(key);
    expect(verifySparseProof(hasher, { root, key, leaf, layout }, path)).toBe(true);
  }
  const many = await view.proveMany(keys.slice(5, 30));
  expect(verifySparseMultiproof(hasher, { root, layout, ...many }, many.path)).toBe(true);
  const [from, to] = [keys[9]!, keys[23]!].sort(Buffer.compare) as [Digest, Digest];
  const range = await view.proveRange(from, to);
  const inRange = [...entries].filter(([key]) => key >= keyText(from) && key <= keyText(to)).sort();
  expect(range.keys.map(keyText)).toEqual(inRange.map(([key]) => key));
  expect(range.leaves).toEqual(inRange.map(([, leaf]) => leaf));
  expect(verifySparseRange(hasher, { root, layout, ...range }, range.path)).toBe(true);
}

async function runMachine(
  store: NodeStore,
  name: string,
  layout: 'canonical' | 'monotree',
  batches: readonly (readonly Change[])[],
  pruneAt: number,
): Promise<void> {
  const tree = await SparseTree.open(hasher, store, { layout, name });
  const model: Model = { entries: new Map(), values: new Map(), monotree: new NaiveMonotree() };
  const history: { root: Digest | null; entries: Map<string, Uint8Array> }[] = [];
  for (const [i, batch] of batches.entries()) {
    for (const each of batch) applyToModel(model, each);
    const root = await tree.batch(batch.map(asOp));
    const wanted = layout === 'canonical' ? naiveCanonicalRoot(model.entries) : model.monotree.root();
    expect(optional(root)).toBe(optional(wanted));
    history.push({ root, entries: new Map(model.entries) });
    if (i !== pruneAt) continue;
    // Every other root stays, the others go.
    const kept = history.filter((_, at) => at % 2 === 0);
    await tree.prune(kept.map((state) => state.root));
    const heads = history.slice(-1);
    history.splice(0, history.length, ...new Set([...kept, ...heads]));
    // Bytes beside a leaf go with the last root that has it.
    for (const name of model.values.keys()) {
      const [key, at] = name.split(' ') as [string, string];
      const leaf = toHex(text(`leaf ${at}`));
      if (!history.some(({ entries }) => optional(entries.get(key)) === leaf)) model.values.delete(name);
    }
  }
  for (const { root, entries } of history) await checkView(await tree.at(root), entries, layout);
  for (const [key, leaf] of model.entries) {
    const at = [0, 1, 2, 3, 4, 5].find((i) => toHex(text(`leaf ${i}`)) === toHex(leaf));
    const value = await tree.value(Buffer.from(key, 'hex'));
    expect(optional(value)).toBe(optional(model.values.get(`${key} ${at}`)));
  }
}

describe('random histories', () => {
  for (const [name, openStore] of stores) {
    for (const layout of ['canonical', 'monotree'] as const) {
      it(`${layout} tree over ${name}`, { timeout: 60_000 }, async () => {
        const { store, dispose } = await openStore();
        let tree = 0;
        try {
          await fc.assert(
            fc.asyncProperty(
              fc.array(fc.array(change, { maxLength: 25 }), { minLength: 1, maxLength: 9 }),
              fc.nat(9),
              // Nodes of the layout `monotree` are shared by the trees of a store: here they are one tree after the other.
              (batches, pruneAt) => runMachine(store, `tree ${tree++}`, layout, batches, pruneAt),
            ),
            { numRuns: RUNS },
          );
        } finally {
          await dispose();
        }
      });
    }
  }
});

describe('one root on every backend', () => {
  const all = Array.from({ length: 6000 }, (_, i) => text(`entry ${i}`));
  /** Layers on both sides of every limit, then small changes. */
  const grow = async (options: Parameters<typeof createHasher>[1], layout: SparseLayout) => {
    const own = await createHasher('sha256', { ...options, crossCheck: 'off' });
    const store = memoryStore();
    const tree = await SparseTree.open(own, store, { layout });
    const before = own.info.counters;
    await tree.insertMany(all.slice(0, 5990), all.slice(0, 5990));
    await tree.removeMany(all.slice(0, 40));
    for (const key of all.slice(5990)) await tree.insert(key, key);
    const after = own.info.counters;
    const root = optional(await tree.root());
    await own.close();
    return { root, onCpu: after.hashesCpu - before.hashesCpu, onGpu: after.hashesGpu - before.hashesGpu };
  };

  for (const layout of ['canonical', 'monotree'] as const) {
    it(`threads, ${layout}`, async () => {
      const alone = await grow({ backend: 'cpu', threads: 0 }, layout);
      const together = await grow({ backend: 'cpu', threads: 1 }, layout);
      expect(together.root).toBe(alone.root);
      expect(together.onCpu).toBe(alone.onCpu);
    });

    it(`[gpu] the GPU, ${layout}`, async () => {
      const onGpu = await grow({ backend: 'gpu' }, layout);
      expect(onGpu.root).toBe((await grow({ backend: 'cpu', threads: 0 }, layout)).root);
      expect(onGpu.onCpu).toBe(0);
      expect(onGpu.onGpu).toBeGreaterThan(5989);
    });
  }

  it('[gpu] the GPU, jmt', async () => {
    const onGpu = await grow({ backend: 'gpu' }, 'jmt');
    expect(onGpu.root).toBe((await grow({ backend: 'cpu', threads: 0 }, 'jmt')).root);
  });
});
