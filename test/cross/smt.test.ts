/** Sparse Merkle trees of fixed depth on all stores, against a naive tree. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest, toHex } from '../../src/bytes.ts';
import { elementsToBytes } from '../../src/field/goldilocks.ts';
import { createHasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { failureOf } from '../../src/testing/runner.ts';
import { treeSuite } from '../../src/testing/tree-suite.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { SimpleSmt } from '../../src/tree/simple-smt.ts';
import type { SmtClaim } from '../../src/tree/smt/types.ts';
import { verifySmtProof } from '../../src/tree/smt/verify.ts';
import { Smt } from '../../src/tree/smt.ts';
import { NaiveSmt } from '../support/naive-smt.ts';
import { sha256 } from '../support/naive-tree.ts';
import { stores } from '../support/stores.ts';

const sha = await createHasher('sha256', { backend: 'cpu', threads: 0 });
const poseidon = await createHasher('poseidon2-miden', { backend: 'cpu', threads: 0 });
afterAll(() => Promise.all([sha.close(), poseidon.close()]));

const RUNS = process.env.CAMBIUM_TEST_ALL === '1' ? 100 : 20;
const EMPTY = new Uint8Array(32);

const text = (value: string): Digest => sha256(new TextEncoder().encode(value)).slice();
/** A word whose last element is given. */
const word = (a: number, last: bigint): Digest => elementsToBytes([BigInt(a), 7n, BigInt(a) ** 3n, last]);
const entry = (key: Digest, value: Uint8Array): Digest => concatBytes(key, value);

for (const [name, openStore] of stores) {
  treeSuite({ describe, it, expect }, `SimpleSmt over ${name}`, openStore, async (store, tree) => {
    const opened = await SimpleSmt.open(sha, store, { depth: 20, name: tree });
    return {
      change(step, options) {
        const indices = Array.from({ length: 12 }, (_, i) => (step * 3 + i) * (i % 3 ? 1 : 40_009));
        const values = indices.map((_, i) => ((step + i) % 4 ? text(`${step} ${i}`) : EMPTY));
        return opened.setMany(indices, concatBytes(...values), options);
      },
      async state() {
        const { leaf, siblings } = await opened.prove(8);
        return [await opened.root(), leaf, ...siblings, await opened.get(40_009), text(`${opened.size}`)].map(
          toHex,
        );
      },
    };
  });
  treeSuite({ describe, it, expect }, `Smt over ${name}`, openStore, async (store, tree) => {
    const opened = await Smt.open(poseidon, store, { scheme: 'v0.25', name: tree });
    return {
      change(step, options) {
        const entries = Array.from({ length: 10 }, (_, i) => {
          const key = word(i % 4, BigInt((step + i) % 6) << BigInt(10 * (i % 5)));
          return entry(key, (step + i) % 5 ? word(step, 1n) : EMPTY);
        });
        const distinct = new Map(entries.map((bytes) => [toHex(bytes.subarray(0, 32)), bytes]));
        return opened.insertMany(concatBytes(...distinct.values()), options);
      },
      async state() {
        const { value, entries, siblings } = await opened.prove(word(2, 2n << 20n));
        return [await opened.root(), value, entries, ...siblings, text(`${opened.size}`)].map(toHex);
      },
    };
  });
}

/** Positions that meet at all heights of a tree of 64 levels; shallower trees take what is left of them. */
const positionIn = (depth: number): fc.Arbitrary<bigint> =>
  fc
    .tuple(fc.nat(depth), fc.nat(5), fc.boolean())
    .map(([shift, low, top]) => (BigInt(low) << BigInt(shift)) | (top ? 1n << BigInt(depth - 1) : 0n))
    .map((position) => position & ((1n << BigInt(depth)) - 1n));

const batchIn = (depth: number) =>
  fc.uniqueArray(fc.record({ index: positionIn(depth), value: fc.nat(3) }), {
    selector: ({ index }) => index,
    maxLength: 12,
  });

describe.each([1, 2, 7, 8, 9, 17, 32, 33, 63, 64])('SimpleSmt of depth %i', (depth) => {
  it('is a naive tree after any batches, and hashes what it must', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batchIn(depth), { maxLength: 6 }), async (batches) => {
        const store = memoryStore();
        const naive = new NaiveSmt(depth, (left, right) => sha.hashPair(left, right));
        let tree = await SimpleSmt.open(sha, store, { depth });
        for (const batch of batches) {
          const values = batch.map(({ value }) => (value ? text(`${value}`) : EMPTY));
          const changed = batch.filter(
            ({ index }, i) => toHex(naive.leaves.get(index) ?? EMPTY) !== toHex(values[i]!),
          );
          for (const [i, { index }] of batch.entries()) naive.set(index, values[i]!);
          const before = sha.info.counters.hashesCpu;
          const root = await tree.setMany(
            batch.map(({ index }) => index),
            concatBytes(...values),
          );
          const hashes = sha.info.counters.hashesCpu - before;
          expect(hashes).toBe(naive.nodesAbove(changed.map(({ index }) => index)));
          expect(toHex(root)).toBe(toHex(naive.root()));
          expect(tree.size).toBe(naive.leaves.size);
          tree = await SimpleSmt.open(sha, store, { depth });
        }
        const root = naive.root();
        for (const index of new Set([0n, (1n << BigInt(depth)) - 1n, ...naive.leaves.keys()])) {
          const { leaf, siblings } = await tree.prove(index);
          expect(siblings.map(toHex)).toEqual(naive.siblings(index).map(toHex));
          expect(toHex(leaf)).toBe(toHex(naive.leaves.get(index) ?? EMPTY));
          expect(toHex(await tree.get(index))).toBe(toHex(leaf));
          expect(verifyProof(sha, { root, leaf, index, depth }, siblings)).toBe(true);
        }
        if (naive.leaves.size === 0) expect(store.size).toBeLessThanOrEqual(2);
      }),
      { numRuns: RUNS },
    );
  });

  it('refuses positions that it has not', async () => {
    const tree = await SimpleSmt.open(sha, memoryStore(), { depth });
    for (const index of [1n << BigInt(depth), -1, 0.5, Number.NaN, 2 ** 64]) {
      expect(await failureOf(() => tree.set(index, text('x')))).toBe('RangeError');
      expect(await failureOf(() => tree.get(index))).toBe('RangeError');
      expect(await failureOf(() => tree.prove(index))).toBe('RangeError');
    }
    expect(await failureOf(() => tree.get('1' as unknown as number))).toBe('TypeError');
  });
});

describe('SimpleSmt', () => {
  it('refuses what is no batch, and stays as it was', async () => {
    const tree = await SimpleSmt.open(poseidon, memoryStore(), { depth: 10 });
    const root = toHex(await tree.set(3, word(1, 1n)));
    expect(await failureOf(() => tree.setMany([1, 1], new Uint8Array(64)))).toBe('KEY_EXISTS');
    expect(await failureOf(() => tree.setMany([1, 2, 1n], concatBytes(word(1, 1n), EMPTY, EMPTY)))).toBe(
      'KEY_EXISTS',
    );
    expect(await failureOf(() => tree.setMany([1], new Uint8Array(64)))).toBe('RangeError');
    expect(await failureOf(() => tree.setMany([1], new Uint8Array(31)))).toBe('RangeError');
    expect(await failureOf(() => tree.setMany([1], [] as unknown as Uint8Array))).toBe('TypeError');
    expect(await failureOf(() => tree.setMany(1 as unknown as number[], EMPTY))).toBe('TypeError');
    expect(await failureOf(() => tree.set(1, new Uint8Array(32).fill(255)))).toBe('NOT_CANONICAL');
    expect(toHex(await tree.root())).toBe(root);
    for (const depth of [0, 65, 1.5]) {
      expect(await failureOf(() => SimpleSmt.open(sha, memoryStore(), { depth }))).toBe('RangeError');
    }
  });

  it('opens a stored tree as what it is alone', async () => {
    const store = memoryStore();
    await (await SimpleSmt.open(poseidon, store, { depth: 10 })).set(1, word(1, 1n));
    expect(await failureOf(() => SimpleSmt.open(poseidon, store, { depth: 11 }))).toBe('RangeError');
    expect(await failureOf(() => SimpleSmt.open(sha, store, { depth: 10 }))).toBe('RangeError');
    expect(await failureOf(() => Smt.open(poseidon, store, { scheme: 'v0.24' }))).toBe('RangeError');
  });

  it('says so when something that was committed is missing or spoilt', async () => {
    const store = memoryStore();
    const tree = await SimpleSmt.open(sha, store, { depth: 64 });
    await tree.setMany([1, 2, 1n << 40n], concatBytes(text('a'), text('b'), text('c')));
    for await (const [key, value] of store.iterate()) {
      if (key.at(-1) === 'i'.charCodeAt(0) || key.length < 8) continue;
      await store.commit([{ del: key }]);
      const codes = await Promise.all([1n, 1n << 40n].map((i) => failureOf(() => tree.prove(i))));
      expect(codes).toContain('STORE_CORRUPT');
      await store.commit([{ put: key, value: value.subarray(1) }]);
      const spoilt = await Promise.all([1n, 1n << 40n].map((i) => failureOf(() => tree.prove(i))));
      expect(spoilt).toContain('STORE_CORRUPT');
      await store.commit([{ put: key, value }]);
    }
    expect(await failureOf(() => tree.prove(1))).toBe('nothing');
  });
});

describe('Smt', () => {
  const scheme = 'v0.25';
  const open = (store = memoryStore()) => Smt.open(poseidon, store, { scheme });

  it('is the same whatever way its entries came', async () => {
    const key = fc.record({ a: fc.nat(4), leaf: positionIn(62) });
    const change = fc.record({ key, value: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 6 }), async (batches) => {
        const store = memoryStore();
        const tree = await open(store);
        const entries = new Map<string, Digest>();
        for (const batch of batches) {
          const set = new Map(
            batch.map(({ key: { a, leaf }, value }) => {
              const bytes = word(a, leaf);
              return [toHex(bytes), entry(bytes, value ? word(value, 5n) : EMPTY)];
            }),
          );
          await tree.insertMany(concatBytes(...set.values()));
          for (const [name, bytes] of set) {
            if (bytes.subarray(32).every((byte) => byte === 0)) entries.delete(name);
            else entries.set(name, bytes);
          }
        }
        const root = await tree.root();
        expect(toHex(root)).toBe(toHex(await (await open()).insertMany(concatBytes(...entries.values()))));
        expect(tree.size).toBe(entries.size);
        const asked = new Set([...entries.values()].map((bytes) => toHex(bytes.subarray(0, 32))));
        for (const name of asked) {
          const bytes = entries.get(name)!;
          const proof = await tree.prove(bytes.subarray(0, 32));
          expect(toHex(proof.value)).toBe(toHex(bytes.subarray(32)));
          const claim = { scheme, root, key: bytes.subarray(0, 32), value: bytes.subarray(32) } as const;
          expect(verifySmtProof(poseidon, claim, proof)).toBe(true);
        }
        await tree.insertMany(concatBytes(...[...entries.values()].map((b) => entry(b.slice(0, 32), EMPTY))));
        expect(tree.size).toBe(0);
        expect(store.size).toBeLessThanOrEqual(2);
      }),
      { numRuns: RUNS },
    );
  });

  it('proves presence and absence, and verifiers refuse changed anything', async () => {
    const tree = await open();
    const keys = [word(1, 9n), word(2, 9n), word(3, 9n), word(1, 8n), word(1, 2n ** 63n)];
    const root = await tree.insertMany(concatBytes(...keys.map((key, i) => entry(key, word(i, 3n)))));
    const absent = [word(4, 9n), word(1, 10n), word(1, 2n ** 62n), word(0, 0n)];
    for (const [i, key] of [...keys, ...absent].entries()) {
      const proof = await tree.prove(key);
      const value = i < keys.length ? word(i, 3n) : EMPTY;
      const claim: SmtClaim = { scheme, root, key, value };
      expect(verifySmtProof(poseidon, claim, proof)).toBe(true);
      const other = word(77, 3n);
      const wrong = (changedClaim: Partial<SmtClaim>, changedProof: Partial<typeof proof> = {}): boolean =>
        verifySmtProof(poseidon, { ...claim, ...changedClaim }, { ...proof, ...changedProof });
      expect(wrong({ value: other })).toBe(false);
      expect(wrong({ key: word(50, 9n) })).toBe(value === EMPTY && proof.entries.length > 64);
      expect(wrong({ root: other })).toBe(false);
      expect(wrong({ scheme: 'v0.24' })).toBe(proof.entries.length === 0);
      for (const at of [0, 1, 40, 63]) {
        const siblings = proof.siblings.map((sibling, height) => (height === at ? other : sibling));
        expect(wrong({}, { siblings })).toBe(false);
      }
      expect(wrong({}, { siblings: proof.siblings.slice(1) })).toBe(false);
      expect(wrong({}, { siblings: [...proof.siblings, other] })).toBe(false);
      expect(wrong({}, { entries: concatBytes(proof.entries, entry(word(99, 9n), other)) })).toBe(false);
      if (proof.entries.length) expect(wrong({}, { entries: proof.entries.slice(64) })).toBe(false);
      if (proof.entries.length > 64) {
        const turned = concatBytes(proof.entries.subarray(64), proof.entries.subarray(0, 64));
        expect(wrong({}, { entries: turned })).toBe(false);
      }
      expect(() => wrong({ root: new Uint8Array(31) })).toThrow(RangeError);
      expect(() => wrong({}, { entries: new Uint8Array(63) })).toThrow(RangeError);
      expect(() => wrong({ scheme: 'v0.21' })).toThrow(RangeError);
      expect(() => wrong({ value: new Uint8Array(32).fill(255) })).toThrow('element 0');
    }
  });

  it('takes 1024 entries in a leaf and no more', async () => {
    const tree = await open();
    const entries = Array.from({ length: 1024 }, (_, i) => entry(word(i, 5n), word(1, 1n)));
    const root = toHex(await tree.insertMany(concatBytes(...entries)));
    expect(await failureOf(() => tree.insert(word(2000, 5n), word(1, 1n)))).toBe('TREE_FULL');
    expect(toHex(await tree.root())).toBe(root);
    await tree.remove(word(3, 5n));
    await tree.insert(word(2000, 5n), word(1, 1n));
    expect([tree.size, tree.leafCount]).toEqual([1024, 1]);
    expect(toHex(await tree.get(word(2000, 5n)))).toBe(toHex(word(1, 1n)));
  });

  it('refuses what is no batch, and stays as it was', async () => {
    const tree = await open();
    const twice = concatBytes(entry(word(1, 1n), word(1, 1n)), entry(word(1, 1n), EMPTY));
    expect(await failureOf(() => tree.insertMany(twice))).toBe('KEY_EXISTS');
    expect(await failureOf(() => tree.insertMany(new Uint8Array(63)))).toBe('RangeError');
    expect(await failureOf(() => tree.insertMany([] as unknown as Uint8Array))).toBe('TypeError');
    expect(await failureOf(() => tree.insertMany(new Uint8Array(64).fill(255)))).toBe('NOT_CANONICAL');
    expect(await failureOf(() => tree.get(new Uint8Array(31)))).toBe('RangeError');
    expect(await failureOf(() => tree.get(new Uint8Array(32).fill(255)))).toBe('NOT_CANONICAL');
    expect(tree.size).toBe(0);
    for (const wrong of ['v0.19', 'v1', undefined]) {
      const options = { scheme: wrong as 'v0.19' };
      expect(await failureOf(() => Smt.open(poseidon, memoryStore(), options))).toBe('RangeError');
    }
  });
});

describe('mutation sets', () => {
  it('change nothing until they are applied, and then to their root alone', async () => {
    const store = memoryStore();
    const tree = await Smt.open(poseidon, store, { scheme: 'v0.24' });
    const first = await tree.insertMany(entry(word(1, 1n), word(2, 2n)));
    const set = entry(word(1, 3n), word(5, 5n));
    const mutations = await tree.computeMutations(set);
    expect(toHex(mutations.oldRoot)).toBe(toHex(first));
    expect(toHex(await tree.root())).toBe(toHex(first));
    const other = await tree.computeMutations(entry(word(1, 4n), word(5, 5n)));
    expect(toHex(await tree.applyMutations(mutations))).toBe(toHex(mutations.newRoot));
    expect(toHex(await tree.get(word(1, 3n)))).toBe(toHex(word(5, 5n)));
    expect(await failureOf(() => tree.applyMutations(other))).toBe('SOURCE_CHANGED');
    expect(await failureOf(() => tree.applyMutations(mutations))).toBe('SOURCE_CHANGED');
    expect(await failureOf(() => tree.applyMutations({ ...mutations }))).toBe('TypeError');
    const simple = await SimpleSmt.open(poseidon, memoryStore(), { depth: 64 });
    expect(await failureOf(() => simple.applyMutations(mutations))).toBe('TypeError');
  });

  it('go with a root that came back, though its pages are others', async () => {
    const store = memoryStore();
    const tree = await SimpleSmt.open(sha, store, { depth: 64 });
    await tree.set(1n << 63n, text('a'));
    const mutations = await tree.computeMutations([1n, 3n], concatBytes(text('b'), text('c')));
    await tree.setMany([0, 2], concatBytes(text('x'), text('y')));
    await tree.setMany([0, 2], new Uint8Array(64));
    const root = await tree.applyMutations(mutations);
    expect(toHex(root)).toBe(toHex(mutations.newRoot));
    const twin = await SimpleSmt.open(sha, memoryStore(), { depth: 64 });
    await twin.set(1n << 63n, text('a'));
    expect(toHex(await twin.applyMutations(mutations))).toBe(toHex(root));
    for (const each of [tree, twin]) {
      for (const index of [1n, 3n, 2n, 1n << 63n]) {
        const { leaf, siblings } = await each.prove(index);
        expect(verifyProof(sha, { root, leaf, index, depth: 64 }, siblings)).toBe(true);
      }
    }
  });

  it('can be empty', async () => {
    const tree = await SimpleSmt.open(sha, memoryStore(), { depth: 4 });
    const mutations = await tree.computeMutations([], new Uint8Array(0));
    expect(toHex(mutations.newRoot)).toBe(toHex(mutations.oldRoot));
    expect(toHex(await tree.applyMutations(mutations))).toBe(toHex(mutations.newRoot));
  });
});
