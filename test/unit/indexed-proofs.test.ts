/** What verifiers and replays of indexed trees refuse, and what opening and inserting do. */
import { beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, type Digest } from '../../src/bytes.ts';
import { createHasher, type Hasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { NodeStore } from '../../src/store/types.ts';
import { replayBatch } from '../../src/tree/indexed/replay.ts';
import {
  type IndexedClaim,
  type MembershipClaim,
  verifyAbsence,
  verifyMembership,
} from '../../src/tree/indexed/verify.ts';
import { type IndexedBatch, type IndexedProof, IndexedTree } from '../../src/tree/indexed.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { bytesOf, NaiveIndexedTree } from '../support/naive-indexed.ts';

const DEPTH = 6;
const SCHEME = 'typescript';
const P = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;

let hasher: Hasher;
let field: Hasher;
beforeAll(async () => {
  hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
  field = await createHasher('poseidon2-bn254', { backend: 'cpu', threads: 0 });
  return async () => {
    await hasher.close();
    await field.close();
  };
});

const values = (...list: readonly (number | bigint)[]): Digest =>
  concatBytes(...list.map((value) => bytesOf(BigInt(value))));
const open = (options: object = {}, store: NodeStore = memoryStore(), own: Hasher = hasher) =>
  IndexedTree.open(own, store, { depth: DEPTH, scheme: SCHEME, ...options });

const flipped = (bytes: Uint8Array): Digest => {
  const copy = new Uint8Array(bytes);
  copy[31]! ^= 1;
  return copy;
};

/** A proof with one thing changed, each once. */
function* changedProofs({ leaf, index, siblings }: IndexedProof): Generator<[string, IndexedProof]> {
  yield ['value', { leaf: { ...leaf, value: flipped(leaf.value) }, index, siblings }];
  yield ['nextValue', { leaf: { ...leaf, nextValue: flipped(leaf.nextValue) }, index, siblings }];
  for (const nextIndex of [Number(leaf.nextIndex) + 1, 2 ** DEPTH, 2n ** 63n]) {
    yield [`nextIndex ${nextIndex}`, { leaf: { ...leaf, nextIndex }, index, siblings }];
  }
  for (const other of [Number(index) ^ 1, Number(index) + 2 ** DEPTH, 2n ** 64n - 1n]) {
    yield [`index ${other}`, { leaf, index: other, siblings }];
  }
  for (const level of siblings.keys()) {
    const copy = siblings.map((sibling, i) => (i === level ? flipped(sibling) : sibling));
    yield [`sibling ${level}`, { leaf, index, siblings: copy }];
  }
  yield ['a sibling less', { leaf, index, siblings: siblings.slice(1) }];
  yield ['a sibling more', { leaf, index, siblings: [...siblings, siblings[0]!] }];
}

describe('verifiers', () => {
  it('refuse a proof with anything changed', async () => {
    const tree = await open();
    const { root } = await tree.insert(values(10, 20, 30, 40));
    const claim = { root, depth: DEPTH, scheme: SCHEME } as const;
    for (const value of [0, 10, 20, 40].map((number) => values(number))) {
      const proof = await tree.prove(value);
      expect(verifyMembership(hasher, { ...claim, value }, proof)).toBe(true);
      for (const [what, changed] of changedProofs(proof)) {
        expect(verifyMembership(hasher, { ...claim, value }, changed), what).toBe(false);
      }
    }
    for (const value of [1, 9, 11, 39, 41, (1n << 256n) - 1n].map((number) => values(number))) {
      const proof = await tree.proveAbsence(value);
      expect(verifyAbsence(hasher, { ...claim, value }, proof)).toBe(true);
      for (const [what, changed] of changedProofs(proof)) {
        expect(verifyAbsence(hasher, { ...claim, value }, changed), what).toBe(false);
      }
    }
  });

  it('refuse another claim', async () => {
    const tree = await open();
    const { root } = await tree.insert(values(10, 20, 0, 30));
    const claim = { root, depth: DEPTH, scheme: SCHEME } as const;
    const [member, absent] = [await tree.prove(values(20)), await tree.proveAbsence(values(25))];
    const claims: Partial<IndexedClaim>[] = [
      { root: flipped(root) },
      { depth: DEPTH + 1 },
      { depth: DEPTH - 1 },
      { scheme: 'pr' },
    ];
    for (const other of claims) {
      expect(verifyMembership(hasher, { ...claim, value: values(20), ...other }, member)).toBe(false);
      expect(verifyAbsence(hasher, { ...claim, value: values(25), ...other }, absent)).toBe(false);
    }
    for (const value of [0, 10, 19, 20, 30, 31]) {
      expect(verifyAbsence(hasher, { ...claim, value: values(value) }, absent)).toBe(false);
    }
    expect(verifyAbsence(hasher, { ...claim, value: values(21) }, absent)).toBe(true);
    expect(verifyMembership(hasher, { ...claim, value: values(21) }, member)).toBe(false);
    // Position 3 is padding: nothing proves from it that a value is absent, zero never is.
    const low = await tree.prove(values(0));
    expect(verifyAbsence(hasher, { ...claim, value: values(0) }, low)).toBe(false);
    const zero = new Uint8Array(32);
    const padding = { leaf: { value: zero, nextIndex: 0, nextValue: zero }, index: 3 };
    const model = new NaiveIndexedTree(DEPTH, 1);
    model.batch([[10n], [20n], [0n], [30n]]);
    const siblings = model.siblings(3) as Digest[];
    expect(verifyProof(hasher, { root, leaf: zero, index: 3, depth: DEPTH }, siblings)).toBe(true);
    expect(verifyAbsence(hasher, { ...claim, value: values(99) }, { ...padding, siblings })).toBe(false);
  });

  it('never take an empty leaf of the scheme pr for that of zero', async () => {
    // Its node is the hash of (0, 0, 0): a leaf below everything, with nothing behind it.
    const tree = await open({ depth: 2, scheme: 'pr' });
    const before = { root: await tree.root(), size: 1, depth: 2, scheme: 'pr' } as const;
    const batch = await tree.insert(values(10, 0), { subtreeHeight: 0 });
    expect(await replayBatch(hasher, before, batch)).toEqual(batch.root);
    const nodeOf = (...fields: number[]) => hasher.hash(values(...fields));
    const [first, second, empty] = [nodeOf(0, 1, 10), nodeOf(10, 0, 0), nodeOf(0, 0, 0)];
    const zero = new Uint8Array(32);
    const padding = {
      leaf: { value: zero, nextIndex: 0, nextValue: zero },
      index: 2,
      siblings: [empty, hasher.hashPair(first, second)],
    };
    const { root } = batch;
    expect(verifyProof(hasher, { root, leaf: empty, index: 2, depth: 2 }, padding.siblings)).toBe(true);
    const claim = { root, depth: 2, scheme: 'pr' } as const;
    for (const value of [5, 10, 11]) {
      expect(verifyAbsence(hasher, { ...claim, value: values(value) }, padding)).toBe(false);
    }
    expect(verifyMembership(hasher, { ...claim, value: zero }, padding)).toBe(false);

    // A batch that says so: from the empty position the list would begin anew.
    const own = await tree.insert(values(11), { subtreeHeight: 0 });
    const subtreeSiblings = [nodeOf(0, 3, 11), padding.siblings[1]!];
    const forged = { ...own, lowLeafWitnesses: [padding], subtreeSiblings };
    const after = { root, size: 3, depth: 2, scheme: 'pr' } as const;
    expect(await replayBatch(hasher, after, own)).toEqual(own.root);
    expect(await replayBatch(hasher, after, forged)).toBe(undefined);
  });

  it('want a leaf without next value to be the last', () => {
    // No tree makes such a leaf, but somebody may make such a root.
    const leaf = { value: values(10), nextIndex: 1, nextValue: values(0) };
    const sibling = hasher.hash(values(20, 0, 0));
    const root = hasher.hashPair(hasher.hash(values(10, 0, 1)), sibling);
    const claim = { root, depth: 1, scheme: SCHEME } as const;
    const proof = { leaf, index: 0, siblings: [sibling] };
    expect(verifyMembership(hasher, { ...claim, value: values(10) }, proof)).toBe(true);
    expect(verifyAbsence(hasher, { ...claim, value: values(15) }, proof)).toBe(false);
  });

  it('say what is malformed', async () => {
    const tree = await open();
    const { root } = await tree.insert(values(10));
    const value = values(10);
    const claim = { root, depth: DEPTH, scheme: SCHEME, value } as const;
    const proof = await tree.prove(value);
    const wrong: [MembershipClaim, IndexedProof, RegExp][] = [
      [{ ...claim, root: root.subarray(1) }, proof, /^root: /],
      [{ ...claim, value: root.subarray(1) }, proof, /^value: /],
      [{ ...claim, depth: 0 }, proof, /^depth: /],
      [{ ...claim, scheme: 'other' as never }, proof, /^scheme: /],
      [{ ...claim, scheme: 'separated' }, proof, /^scheme: /],
      [{ ...claim, data: value }, proof, /^data: /],
      [{ ...claim, updatable: true, data: value }, proof, /^leaf.data: /],
      [claim, { ...proof, leaf: { ...proof.leaf, value: root.subarray(1) as Digest } }, /^leaf.value: /],
      [claim, { ...proof, leaf: { ...proof.leaf, nextIndex: -1 } }, /^leaf.nextIndex: /],
      [claim, { ...proof, index: 0.5 }, /^index: /],
      [claim, { ...proof, siblings: [root.subarray(1) as Digest] }, /^siblings\[0\]: /],
    ];
    for (const [given, made, message] of wrong) {
      expect(() => verifyMembership(hasher, given, made)).toThrow(message);
    }
    const absent = { ...claim, value: bytesOf(P) };
    expect(() => verifyAbsence(field, absent, proof)).toThrow(
      expect.objectContaining({ code: 'NOT_CANONICAL' }),
    );
  });
});

describe('replay', () => {
  it('refuses a batch with anything changed', async () => {
    const tree = await open();
    await tree.insert(values(10, 20, 30));
    const before = { root: await tree.root(), size: tree.size, depth: DEPTH, scheme: SCHEME } as const;
    const batch = await tree.insert(values(15, 0, 25, 17));
    expect(await replayBatch(hasher, before, batch)).toEqual(batch.root);

    const changed: [string, Partial<IndexedBatch>][] = [
      ['the order of values', { sortedValues: values(17, 25, 15, 0) }],
      ['zero among them', { sortedValues: values(25, 0, 17, 15) }],
      ['a value', { sortedValues: values(26, 17, 15, 0) }],
      ['a value twice', { sortedValues: values(25, 17, 17, 0) }],
      ['places', { originalIndices: [2, 3, 1, 0] }],
      ['a place twice', { originalIndices: [2, 3, 0, 0] }],
      ['a place outside', { originalIndices: [2, 3, 0, 4] }],
    ];
    for (const [i, witness] of batch.lowLeafWitnesses.slice(0, 3).entries()) {
      for (const [what, other] of changedProofs(witness)) {
        if (what.startsWith('a sibling')) continue;
        const lowLeafWitnesses = batch.lowLeafWitnesses.map((old, k) => (k === i ? other : old));
        changed.push([`witness ${i}: ${what}`, { lowLeafWitnesses }]);
      }
    }
    for (const level of batch.subtreeSiblings.keys()) {
      const copy = batch.subtreeSiblings.map((sibling, i) => (i === level ? flipped(sibling) : sibling));
      changed.push([`subtree sibling ${level}`, { subtreeSiblings: copy }]);
    }
    for (const [what, change] of changed) {
      expect(await replayBatch(hasher, before, { ...batch, ...change }), what).toBe(undefined);
    }
    const claims = [{ root: flipped(before.root) }, { size: 3 }, { size: 8 }, { size: 64 }];
    for (const claim of claims) {
      expect(await replayBatch(hasher, { ...before, ...claim }, batch)).toBe(undefined);
    }
  });

  /** A batch made by hand: low leaves rewritten in the order given, new leaves behind `size`. */
  const byHand = (model: NaiveIndexedTree, size: number, order: readonly number[]) => {
    const lowLeafWitnesses = order.map((value, place): IndexedProof => {
      const index = model.low(BigInt(value));
      const leaf = model.leaves[index]!;
      const siblings = model.siblings(index) as Digest[];
      model.leaves[index] = { ...leaf, nextIndex: size + place, nextValue: BigInt(value) };
      const { nextIndex } = leaf;
      const [own, nextValue] = [bytesOf(leaf.value), bytesOf(leaf.nextValue)];
      return { leaf: { value: own, nextIndex, nextValue }, index, siblings };
    });
    return {
      sortedValues: values(...order),
      originalIndices: [...order.keys()],
      lowLeafWitnesses,
      subtreeSiblings: model.siblings(size) as Digest[],
    };
  };

  it('refuses values that ascend, though each step is right', async () => {
    for (const order of [
      [25, 15],
      [15, 25],
    ]) {
      const model = new NaiveIndexedTree(DEPTH, 1);
      model.batch([[10n], [20n], [30n]]);
      const before = { root: model.root, size: 4, depth: DEPTH, scheme: SCHEME } as const;
      const root = await replayBatch(hasher, before, byHand(model, 4, order));
      expect(root !== undefined).toBe(order[0] === 25);
    }
  });

  it('refuses a place that is empty with leaves behind it', async () => {
    const model = new NaiveIndexedTree(DEPTH, 1);
    model.batch([[10n], [0n], [20n]]);
    const before = { root: model.root, size: 2, depth: DEPTH, scheme: SCHEME } as const;
    expect(await replayBatch(hasher, before, byHand(model, 2, [15]))).toBe(undefined);
  });

  it('does without the inner siblings of a subtree that the batch fills, and of no other', async () => {
    const tree = await open();
    const claim = { depth: DEPTH, scheme: SCHEME } as const;
    const replayed = async (batch: Uint8Array, subtreeHeight: number) => {
      const before = { root: await tree.root(), size: tree.size };
      const inserted = await tree.insert(batch, { subtreeHeight });
      expect(inserted.subtreeSiblings.length).toBe(DEPTH - subtreeHeight);
      const root = await replayBatch(hasher, { ...claim, ...before }, inserted);
      expect(root === undefined || root.every((byte, i) => byte === inserted.root[i])).toBe(true);
      return root !== undefined;
    };
    expect(await replayed(values(11, 12, 13), 0)).toBe(true);
    expect(await replayed(values(21, 22, 23, 24), 2)).toBe(true);
    expect(await replayed(values(31), 0)).toBe(true);
    expect(await replayed(values(41, 42), 1)).toBe(false);
    expect(await replayed(values(51), 0)).toBe(true);
    expect(await replayed(values(61, 62), 2)).toBe(false);
  });

  it('says what is malformed', async () => {
    const tree = await open();
    const before = { root: await tree.root(), size: 1, depth: DEPTH, scheme: SCHEME } as const;
    const batch = await tree.insert(values(15, 25));
    const wrong: [object, Partial<IndexedBatch>, RegExp][] = [
      [{ size: 65 }, {}, /^size: /],
      [{ root: 'root' }, {}, /^root: /],
      [{}, { sortedValues: values(1).subarray(1) as Digest }, /^values: /],
      [{}, { originalIndices: [0] }, /^originalIndices: /],
      [{}, { lowLeafWitnesses: [] }, /^lowLeafWitnesses: /],
      [{}, { subtreeSiblings: Array(7).fill(values(0)) }, /^subtreeSiblings: /],
      [{}, { subtreeSiblings: [values(0, 0)] }, /^subtreeSiblings\[0\]: /],
      [
        {},
        { lowLeafWitnesses: batch.lowLeafWitnesses.map((witness) => ({ ...witness, siblings: [] })) },
        /^lowLeafWitnesses\[0\].siblings: /,
      ],
    ];
    for (const [claim, change, message] of wrong) {
      const replaying = replayBatch(hasher, { ...before, ...claim }, { ...batch, ...change });
      await expect(replaying).rejects.toThrow(message);
    }
  });
});

describe('arguments', () => {
  it('are named when they are wrong', async () => {
    const refused: [object, RegExp][] = [
      [{ depth: 0 }, /^depth: /],
      [{ depth: 65 }, /^depth: /],
      [{ scheme: 'aztec' }, /^scheme: expected pr, typescript, separated, got aztec/],
      [{ scheme: 'separated' }, /^scheme: separated does not go with sha256/],
      [{ scheme: 'pr', updatable: true }, /^updatable: /],
      [{ updatable: 1 }, /^updatable: /],
      [{ prefill: 0 }, /^prefill: /],
      [{ prefill: 65 }, /^prefill: .* from 1 to 64, got 65/],
      [{ name: '' }, /^name: /],
    ];
    for (const [options, message] of refused) await expect(open(options)).rejects.toThrow(message);
    const tree = await open();
    await expect(tree.insert(new Uint8Array(33))).rejects.toThrow(/^values: /);
    await expect(tree.insert('value' as never)).rejects.toThrow(TypeError);
    await expect(tree.insert(values(1, 2), { subtreeHeight: 7 })).rejects.toThrow(/^subtreeHeight: /);
    await expect(tree.get(new Uint8Array(31))).rejects.toThrow(/^value: /);
    await expect(tree.prove(values(5))).rejects.toMatchObject({ code: 'KEY_ABSENT' });
    await expect(tree.proveAbsence(values(0))).rejects.toMatchObject({ code: 'KEY_EXISTS' });
    const updatable = await open({ updatable: true });
    await expect(updatable.insert(values(1, 2, 3))).rejects.toThrow(/^values: expected a multiple of 64/);
    await expect(updatable.insert(values(1, 2, 0, 5))).rejects.toThrow(/^values: entry 1 has data in slot 0/);
    expect(updatable.size).toBe(1);
  });

  it('must be elements of the field', async () => {
    const tree = await open({}, memoryStore(), field);
    const root = await tree.root();
    for (const value of [P, P + 1n, (1n << 256n) - 1n]) {
      const refused = { code: 'NOT_CANONICAL', index: 2 };
      await expect(tree.insert(values(3, 4, value))).rejects.toMatchObject(refused);
      await expect(tree.insertSequential(values(3, 4, value))).rejects.toMatchObject(refused);
      await expect(tree.prove(values(value))).rejects.toMatchObject({ code: 'NOT_CANONICAL' });
      await expect(tree.proveAbsence(values(value))).rejects.toMatchObject({ code: 'NOT_CANONICAL' });
    }
    expect(await tree.root()).toEqual(root);
    const { root: after } = await tree.insert(values(P - 1n));
    const claim = { root: after, depth: DEPTH, scheme: SCHEME, value: values(P - 1n) } as const;
    expect(verifyMembership(field, claim, await tree.prove(claim.value))).toBe(true);
  });

  it('must fit the stored tree', async () => {
    const store = memoryStore();
    await open({ prefill: 4 }, store);
    const refused: [object, RegExp][] = [
      [{ depth: 7 }, /^depth: the tree "main" in this store has 6, got 7/],
      [{ scheme: 'pr' }, /^scheme: .* has typescript, got pr/],
      [{ updatable: true }, /^updatable: .* has false, got true/],
      [{ prefill: 5 }, /^prefill: .* has 4, got 5/],
    ];
    for (const [options, message] of refused) await expect(open(options, store)).rejects.toThrow(message);
    await expect(open({}, store, field)).rejects.toThrow(/^hash: /);
    expect((await open({ prefill: 4 }, store)).size).toBe(4);
    expect((await open({}, store)).size).toBe(4);
  });
});

describe('a broken store', () => {
  const text = (part: string) => new TextEncoder().encode(part);

  it('is told', async () => {
    const damaged = async (
      kind: string,
      change: (old: Digest) => Uint8Array | undefined,
    ): Promise<[NodeStore, Promise<IndexedTree>]> => {
      const store = memoryStore();
      await (await open({}, store)).insert(values(10, 20, 30));
      for await (const [put, old] of store.iterate({ gte: text(`main\0${kind}`) })) {
        const value = change(old);
        await store.commit([value ? { put, value } : { del: put }]);
        break;
      }
      return [store, open({}, store)];
    };
    const corrupt = { code: 'STORE_CORRUPT' };
    const shorter = (old: Digest) => old.subarray(1);
    for (const kind of ['h', 'i'])
      await expect((await damaged(kind, shorter))[1]).rejects.toMatchObject(corrupt);
    for (const change of [shorter, () => undefined]) {
      const tree = await (await damaged('p', change))[1];
      await expect(tree.prove(values(10))).rejects.toMatchObject(corrupt);
      await expect(tree.insert(values(11))).rejects.toMatchObject(corrupt);
    }
    // The entry of zero is the first of the list.
    const entries = await (await damaged('k', shorter))[1];
    await expect(entries.proveAbsence(values(5))).rejects.toMatchObject(corrupt);
    const missing = await (await damaged('k', () => undefined))[1];
    await expect(missing.insert(values(5))).rejects.toMatchObject(corrupt);
    expect(await missing.get(values(5))).toBe(undefined);
  });
});
