/** Trees of more leaves than a backend takes at a time (2^16 on the CPU). */
import { afterAll, describe, expect, it } from 'vitest';
import { equalBytes } from '../../src/bytes.ts';
import { createHasher } from '../../src/hasher.ts';
import { buildTree, merkleRoot } from '../../src/tree/merkle.ts';
import { verifyProof } from '../../src/tree/proof.ts';
import { naiveHeight, naiveRoot } from '../support/naive-tree.ts';

const hasher = await createHasher('sha256', { backend: 'cpu', threads: 0 });
afterAll(() => hasher.close());

const CHUNK = 2 ** 16;
const paddings = ['zero', 'promote', 'duplicate'] as const;
const sizes = [CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3];

/** Leaves that hold their number. */
const bytes = new Uint8Array(32 * sizes.at(-1)!);
for (let i = 0; i < bytes.length / 32; i++) new DataView(bytes.buffer).setUint32(32 * i, i);
const leaves = Array.from({ length: sizes.at(-1)! }, (_, i) => bytes.subarray(32 * i, 32 * i + 32));

async function* pieces(source: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < source.length; at += 1_000_003) yield source.subarray(at, at + 1_000_003);
}

describe.each(paddings)('padding %s', (padding) => {
  it.each(sizes)('%i leaves, in memory and streamed', async (size) => {
    const source = bytes.subarray(0, 32 * size);
    const expected = naiveRoot(leaves.slice(0, size), naiveHeight(size), padding);
    expect(await merkleRoot(hasher, source, { padding })).toEqual(expected);
    expect(await merkleRoot(hasher, pieces(source), { padding })).toEqual(expected);
  });

  it('proofs around the borders, whatever is kept', async () => {
    const size = 2 * CHUNK + 3;
    const whole = await buildTree(hasher, pieces(bytes), { padding });
    const { root, depth } = whole;
    const indices = [0, CHUNK - 1, CHUNK, 2 * CHUNK - 1, 2 * CHUNK, size - 1];
    for (const index of indices) {
      const { leaf, siblings } = whole.prove(index);
      expect(leaf).toEqual(leaves[index]);
      expect(verifyProof(hasher, { root, depth, size, padding, index, leaf }, siblings)).toBe(true);
    }
    for (const keepFrom of [1, 15, 16, 17, 18]) {
      const tree = await buildTree(hasher, bytes, { padding, keepFrom });
      for (let level = keepFrom; level <= depth; level++) {
        expect(equalBytes(tree.layer(level), whole.layer(level))).toBe(true);
      }
      expect(tree.proveMany(indices)).toEqual(whole.proveMany(indices));
    }
  });
});
