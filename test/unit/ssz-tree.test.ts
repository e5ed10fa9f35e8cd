/** Values held as trees: what changes is hashed again, and nothing else. */
import { afterAll, describe, expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import * as ssz from '../../src/ssz/index.ts';
import { validators } from '../support/validators.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const root = (type: ssz.SszType, value: ssz.SszValue): string =>
  toHex(ssz.hashTreeRootSync(hasher, type, value));

/** Hashes that some work takes. */
async function hashesOf(work: () => Promise<unknown>): Promise<number> {
  const before = hasher.info.counters.hashesCpu;
  await work();
  return hasher.info.counters.hashesCpu - before;
}

const checkpoint = ssz.container({ epoch: ssz.uint64, root: ssz.byteVector(32) });
const only = ssz.container({ inner: ssz.container({ deep: checkpoint }) });
const state = ssz.container({
  slot: ssz.uint64,
  key: ssz.byteVector(48),
  bits: ssz.bitlist(1000),
  balances: ssz.list(ssz.uint64, 2n ** 40n),
  data: ssz.byteList(100),
  checkpoints: ssz.list(checkpoint, 2 ** 20),
  pair: ssz.vector(ssz.list(ssz.uint16, 40), 2),
  growing: ssz.progressiveList(ssz.uint64),
  points: ssz.progressiveList(checkpoint),
  choice: ssz.union([ssz.none, checkpoint]),
  only,
  later: ssz.progressiveContainer([1, 0, 1], { a: ssz.uint8, b: ssz.list(ssz.uint8, 50) }),
});

const point = (epoch: bigint) => ({ epoch, root: new Uint8Array(32).fill(Number(epoch % 256n)) });

const start = () => ({
  slot: 7n,
  key: new Uint8Array(48).fill(3),
  bits: [true, false, true],
  balances: [1n, 2n, 3n, 4n, 5n],
  data: new Uint8Array([1, 2, 3]),
  checkpoints: [point(1n), point(2n), point(3n)],
  pair: [[1, 2], []] as number[][],
  growing: [] as bigint[],
  points: [point(9n)],
  choice: { selector: 1, data: point(4n) },
  only: { inner: { deep: point(5n) } },
  later: { a: 1, b: [1, 2, 3] },
});

describe('a tree', () => {
  it('has the root of its value through every kind of change', async () => {
    const value = start();
    const tree = await ssz.SszTree.open(hasher, state, value);
    const agree = async () => expect(toHex(await tree.root())).toBe(root(state, value));
    await agree();

    value.slot = 2n ** 64n - 1n;
    value.key[40] = 9;
    value.bits[1] = true;
    value.bits[0] = false;
    value.balances[4] = 99n;
    value.data[2] = 8;
    await tree.set(['slot'], value.slot);
    await tree.set(['key', 40], 9);
    await tree.set(['bits', 1], true);
    await tree.set(['bits', 0], false);
    await tree.set(['balances', 4], 99n);
    await tree.set(['data', 2], 8);
    await agree();

    value.checkpoints[1]!.epoch = 77n;
    value.checkpoints[2] = point(78n);
    value.pair[0]![1] = 500;
    value.choice.data.epoch = 79n;
    value.only.inner.deep.epoch = 80n;
    value.later.b[0] = 81;
    await tree.set(['checkpoints', 1, 'epoch'], 77n);
    await tree.set(['checkpoints', 2], point(78n));
    await tree.set(['pair', 0, 1], 500);
    await tree.set(['choice', 1, 'epoch'], 79n);
    await tree.set(['only', 'inner', 'deep', 'epoch'], 80n);
    await tree.set(['later', 'b', 0], 81);
    await agree();

    value.only = { inner: { deep: point(82n) } };
    value.checkpoints[2]!.epoch = 83n;
    value.key = new Uint8Array(48).fill(1);
    value.pair = [[7], [8, 9]];
    await tree.set(['only'], value.only);
    await tree.set(['checkpoints', 2, 'epoch'], 83n);
    await tree.set(['key'], value.key);
    await tree.set(['pair'], value.pair);
    await agree();

    await tree.set([], start());
    expect(toHex(await tree.root())).toBe(root(state, start()));
  });

  it('grows', async () => {
    const value = start();
    const tree = await ssz.SszTree.open(hasher, state, value);
    for (let i = 0; i < 100; i++) {
      value.balances.push(BigInt(i));
      value.checkpoints.push(point(BigInt(i)));
      value.growing.push(BigInt(i) * 1000n);
      value.points.push(point(BigInt(i + 50)));
      value.bits.push(i % 3 === 0);
      if (i < 40) value.pair[1]!.push(i);
      await tree.push(['balances'], BigInt(i));
      await tree.push(['checkpoints'], point(BigInt(i)));
      await tree.push(['growing'], BigInt(i) * 1000n);
      await tree.push(['points'], point(BigInt(i + 50)));
      await tree.push(['bits'], i % 3 === 0);
      if (i < 40) await tree.push(['pair', 1], i);
      if (i % 9 === 0) expect(toHex(await tree.root())).toBe(root(state, value));
    }
    value.points[60]!.epoch = 5n;
    value.checkpoints[70]!.root = new Uint8Array(32).fill(255);
    await tree.set(['points', 60, 'epoch'], 5n);
    await tree.set(['checkpoints', 70, 'root'], new Uint8Array(32).fill(255));
    expect(toHex(await tree.root())).toBe(root(state, value));
    await expect(tree.push(['pair', 1], 1)).rejects.toThrow(/limit of 40/);
    expect(toHex(await tree.root())).toBe(root(state, value));

    const places: ssz.Place[] = [
      ['points', 60, 'root'],
      ['growing', 99],
      ['checkpoints', 3],
      ['only', 'inner'],
    ];
    const got = await tree.proveMany(places);
    expect(got).toEqual(await ssz.createMultiproof(hasher, state, value, places));
    const claim = { root: await tree.root(), gindices: got.gindices, leaves: got.leaves };
    expect(ssz.verifyMultiproof(hasher, claim, got.proof)).toBe(true);
    const place = ['points', 60, 'epoch'];
    expect(await tree.prove(place)).toEqual(await ssz.createProof(hasher, state, value, place));
  });

  it.each([
    ['no field', ['nope'], 1n, RangeError],
    ['an index beyond the list', ['balances', 5], 1n, RangeError],
    ['the length', ['balances', '__len__'], 1n, RangeError],
    ['below a basic value', ['slot', 0], 1n, RangeError],
    ['an option of a union', ['choice', 1], null, RangeError],
    ['an option that the union does not hold', ['choice', 0, 'x'], null, RangeError],
    ['a value of the wrong type', ['slot'], 1, TypeError],
    ['a value out of range', ['balances', 0], -1n, RangeError],
    ['a bit that is none', ['bits', 0], 1, TypeError],
  ] as const)('refuses %s, and stays', async (_, path, value, error) => {
    const tree = await ssz.SszTree.open(hasher, state, start());
    await expect(tree.set(path, value)).rejects.toThrow(error);
    expect(toHex(await tree.root())).toBe(root(state, start()));
  });
});

describe('changes of a registry', () => {
  const validator = ssz.container({
    pubkey: ssz.byteVector(48),
    withdrawal_credentials: ssz.byteVector(32),
    effective_balance: ssz.uint64,
    slashed: ssz.boolean,
    activation_eligibility_epoch: ssz.uint64,
    activation_epoch: ssz.uint64,
    exit_epoch: ssz.uint64,
    withdrawable_epoch: ssz.uint64,
  });
  const registry = ssz.list(validator, 2n ** 40n);
  const LOG_N = 12;
  const bytes = validators(2 ** LOG_N);

  it('of k fields take no more than k times the way to the root', async () => {
    const tree = await ssz.SszTree.open(hasher, registry, ssz.serialized(bytes));
    await tree.root();
    expect(await hashesOf(() => tree.root())).toBe(0);

    const changed = ssz.deserialize(registry, bytes) as Record<string, ssz.SszValue>[];
    const indices = Array.from({ length: 50 }, (_, k) => (k * 81) % 2 ** LOG_N);
    // The first change below a validator reads it; that is done before anything is counted.
    for (const i of indices) await tree.set([i, 'slashed'], true);
    const hashes = await hashesOf(() => tree.root());
    // Three levels in a validator, 40 in the list, its length; those above 2^12 validators are shared.
    expect(hashes).toBeLessThanOrEqual(indices.length * (3 + LOG_N) + (40 - LOG_N) + 1);
    expect(hashes).toBeGreaterThan(indices.length * 3);
    for (const i of indices) changed[i]!.slashed = true;
    expect(toHex(await tree.root())).toBe(root(registry, changed));

    expect(
      await hashesOf(async () => {
        await tree.set([indices[0]!, 'exit_epoch'], 5n);
        await tree.root();
      }),
    ).toBe(3 + 40 + 1);
  });
});
