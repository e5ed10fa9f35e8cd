/** Published and independent vectors of whole trees. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { merkleRoot } from '../../src/tree/merkle.ts';
import { zeroDigests } from '../../src/tree/zeros.ts';
import { sha256 } from '../support/naive-tree.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const load = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8'));

interface Merkleize {
  readonly chunks: number;
  readonly seed?: string;
  readonly fill?: string | number;
  readonly limit: string | null;
  readonly depth?: number;
  readonly root: string;
}

/** The first bytes of SHA256(seed || 0) || SHA256(seed || 1) || ..., counters as 32-bit little-endian. */
function stream(seed: string, bytes: number): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, i) => {
    const counter = new Uint8Array(4);
    new DataView(counter.buffer).setUint32(0, i, true);
    return sha256(new TextEncoder().encode(seed), counter);
  });
  return concatBytes(...blocks).subarray(0, bytes);
}

const depthOf = (limit: bigint): number => (limit <= 1n ? 0 : (limit - 1n).toString(2).length);

describe('SSZ merkleize', () => {
  const { valid, invalid } = load('ssz/merkleize.json') as { valid: Merkleize[]; invalid: Merkleize[] };

  it.each(valid)('$chunks chunks, limit $limit', async ({ chunks, seed, fill, limit, depth, root }) => {
    const leaves =
      fill === undefined ? stream(seed!, 32 * chunks) : new Uint8Array(32 * chunks).fill(Number(fill));
    const options = limit === null ? {} : { depth: depthOf(BigInt(limit)) };
    if (limit !== null) expect(options.depth).toBe(depth);
    expect(toHex(await merkleRoot(hasher, leaves, options))).toBe(root);
  });

  // A depth says no less than a power of two, so the limits 0 and those between powers belong to SSZ lists.
  const byDepth = invalid.filter(
    ({ limit, chunks }) => limit !== '0' && chunks > 2 ** depthOf(BigInt(limit!)),
  );

  it('one limit cannot be said as a depth', () => {
    expect(invalid.length - byDepth.length).toBe(1);
  });

  it.each(byDepth)('refuses $chunks chunks, limit $limit', async ({ chunks, seed, limit }) => {
    const depth = depthOf(BigInt(limit!));
    await expect(merkleRoot(hasher, stream(seed!, 32 * chunks), { depth })).rejects.toThrow(RangeError);
  });
});

it('zero digests to level 64', async () => {
  const { zero_hashes: expected } = load('ssz/zero_hashes.json') as { zero_hashes: string[] };
  const zeros = await zeroDigests(hasher.spec, 64);
  expect(expected.length).toBe(65);
  expect(zeros.slice(0, 65).map(toHex)).toEqual(expected);
  for (const [depth, zero] of expected.entries()) {
    expect(toHex(await merkleRoot(hasher, new Uint8Array(0), { depth }))).toBe(zero);
  }
});

describe('roots of sha256-truncated', () => {
  interface RootVector {
    readonly kind: string;
    readonly leaves: readonly string[];
    readonly sha256_trunc_root: string;
  }
  const { vectors } = load('bn254/sha256_and_root_trees.json') as { vectors: RootVector[] };
  const truncated = createHasher('sha256-truncated', { backend: 'cpu', threads: 0 });
  afterAll(async () => (await truncated).close());

  const paddings = { balanced: ['none', 'zero', 'promote', 'duplicate'], unbalanced: ['promote'] } as const;
  const trees = vectors.filter(({ kind }) => kind in paddings);

  it('there are 7 balanced and 17 unbalanced ones', () => {
    expect(trees.filter(({ kind }) => kind === 'balanced').length).toBe(7);
    expect(trees.length).toBe(24);
  });

  it.each(trees)('$kind, $leaves.length leaves', async ({ kind, leaves, sha256_trunc_root: root }) => {
    const digests = concatBytes(...leaves.map(fromHex));
    for (const padding of paddings[kind as keyof typeof paddings]) {
      expect(toHex(await merkleRoot(await truncated, digests, { padding }))).toBe(root);
    }
  });
});
