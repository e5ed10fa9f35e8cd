/** Trees of the field's reference implementations, for every hash that the registry has by now. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/bytes.ts';
import { hashes } from '../../src/hash/registry.ts';
import { createHasher } from '../../src/hasher.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { AppendOnlyTree } from '../../src/tree/append-only.ts';

interface Vector {
  name: string;
  depth: number;
  emptyRoot: string;
  steps: {
    leaves: string[];
    size: string;
    root: string;
    reference_hash_count?: number;
    sibling_paths: { index: string; path: string[] }[];
  }[];
}

interface VectorFile {
  separator?: string;
  vectors: Vector[];
}

const files: [file: string, hash: (file: VectorFile) => string][] = [
  ['tree_append_pedersen', () => 'pedersen-bn254'],
  ['tree_append_poseidon2', () => 'poseidon2-bn254'],
  ['tree_append_poseidon2_separated', ({ separator }) => `poseidon2-bn254-sep-${separator}`],
];

/** Hashes for `added` leaves behind `size` when the range of changed nodes ends at `last`. */
function hashCount(size: bigint, last: bigint, depth: number): number {
  let count = 0n;
  for (let k = 1n; k <= depth; k++) count += (last >> k) - (size >> k) + 1n;
  return Number(count);
}

describe.each(files)('%s', (name, hashOf) => {
  const text = readFileSync(new URL(`../vectors/bn254/${name}.json`, import.meta.url), 'utf8');
  const file = JSON.parse(text) as VectorFile;
  const id = hashOf(file);
  const spec = [...hashes.values()].find((row) => row.id === id);

  it('counts hashes as the reference does', () => {
    expect(file.vectors.length).toBeGreaterThan(0);
    for (const { depth, steps } of file.vectors) {
      let size = 0n;
      for (const { leaves, reference_hash_count: counted } of steps) {
        const end = size + BigInt(leaves.length);
        // The reference takes the end for the last index, which costs it some useless hashes.
        if (counted !== undefined) expect(hashCount(size, end, depth)).toBe(counted);
        size = end;
      }
    }
  });

  // Skipped, named and counted as long as the registry has no such hash.
  it.skipIf(!spec).each(file.vectors)(`${id}: $name`, async ({ depth, emptyRoot, steps }) => {
    const hasher = await createHasher(spec!, { backend: 'cpu', threads: 0 });
    const tree = await AppendOnlyTree.open(hasher, memoryStore(), { depth });
    expect(toHex(await tree.root())).toBe(emptyRoot);
    let size = 0n;
    for (const step of steps) {
      const before = hasher.info.counters.hashesCpu;
      const state = await tree.append(concatBytes(...step.leaves.map(fromHex)));
      const cost = hasher.info.counters.hashesCpu - before;
      const end = size + BigInt(step.leaves.length);
      expect(cost).toBe(step.leaves.length ? hashCount(size, end - 1n, depth) : 0);
      expect(BigInt(state.size)).toBe(BigInt(step.size));
      expect(toHex(state.root)).toBe(step.root);
      for (const { index, path } of step.sibling_paths) {
        expect((await tree.prove(BigInt(index))).siblings.map(toHex)).toEqual(path);
      }
      size = end;
    }
    for (const { size: then, root } of steps) expect(toHex(await tree.root(BigInt(then)))).toBe(root);
    await hasher.close();
  });
});
