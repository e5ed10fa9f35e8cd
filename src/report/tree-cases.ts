/** Batches into trees that keep their nodes, and the root of an SSZ list. */
import type { HashId } from '../hash/registry.js';
import type { Hasher } from '../hasher.js';
import { hashTreeRoot, list, serialized, uint64 } from '../ssz/index.js';
import { memoryStore } from '../store/memory.js';
import { AppendOnlyTree } from '../tree/append-only.js';
import { IndexedTree } from '../tree/indexed.js';
import { testDigests } from './input.js';

/** A batch to be timed. */
export interface TreeCase {
  readonly name: string;
  readonly hash: HashId;
  /** Of one batch. */
  readonly items: number;
  /** Opens a fresh tree; the function that it gives does the batch and hands back the root. */
  prepare(hasher: Hasher): Promise<() => Promise<Uint8Array>>;
}

const DEPTH = 32;

function appendOnly(hash: HashId, items: number): TreeCase {
  const leaves = testDigests(items);
  return {
    name: 'append-only tree, depth 32',
    hash,
    items,
    async prepare(hasher) {
      const tree = await AppendOnlyTree.open(hasher, memoryStore(), { depth: DEPTH });
      return async () => (await tree.append(leaves)).root;
    },
  };
}

function indexed(hash: HashId, items: number): TreeCase {
  const values = testDigests(items);
  return {
    name: 'indexed tree, depth 32, with witnesses',
    hash,
    items,
    async prepare(hasher) {
      const tree = await IndexedTree.open(hasher, memoryStore(), { depth: DEPTH, scheme: 'pr' });
      return async () => (await tree.insert(values)).root;
    },
  };
}

function sszBalances(items: number): TreeCase {
  const type = list(uint64, 2n ** 40n);
  const bytes = testDigests(items / 4);
  return {
    name: 'SSZ root of List[uint64, 2^40]',
    hash: 'sha256',
    items,
    prepare: async (hasher) => () => hashTreeRoot(hasher, type, serialized(bytes)),
  };
}

/** All cases; made at each call, because their input takes memory. */
export function treeCases(): readonly TreeCase[] {
  return [
    appendOnly('sha256', 2 ** 14),
    appendOnly('poseidon2-bn254', 2 ** 10),
    indexed('sha256', 2 ** 10),
    indexed('poseidon2-bn254', 2 ** 6),
    sszBalances(2 ** 17),
  ];
}
