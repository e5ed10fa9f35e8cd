/** Vectors of indexed trees, whatever their source wrote, in one form. */
import { concatBytes, fromHex } from '../../src/bytes.ts';
import type { IndexedScheme } from '../../src/tree/indexed.ts';
import { readVectors } from './bn254-vectors.ts';

/** A leaf, values as the files write them; `data` in public-data trees. */
export interface VectorLeaf {
  readonly value: string;
  readonly data?: string;
  readonly nextIndex: number;
  readonly nextValue: string;
}

export interface VectorWitness {
  readonly leaf: VectorLeaf;
  readonly index: number;
  readonly siblings: readonly string[];
}

export interface VectorStep {
  readonly values: Uint8Array;
  /** Values, or for public data slots, that are not zero. */
  readonly real: number;
  readonly sequential: boolean;
  /** `null` for padding. */
  readonly witnesses: readonly (VectorWitness | null)[];
  readonly insertions?: readonly VectorWitness[];
  readonly root: string;
  readonly size?: number;
  readonly leaves: readonly VectorLeaf[];
  readonly originalIndices?: readonly number[];
  readonly subtree?: { readonly height: number; readonly siblings: readonly string[] };
  readonly paths: readonly { readonly index: number; readonly siblings: readonly string[] }[];
  /** Pair hashes that the reference took. */
  readonly pairHashes?: number;
}

export interface VectorTree {
  readonly name: string;
  readonly hash: string;
  readonly scheme: IndexedScheme;
  readonly depth: number;
  readonly prefill: number;
  readonly updatable: boolean;
  readonly initialRoot: string;
  readonly steps: readonly VectorStep[];
}

// biome-ignore lint/suspicious/noExplicitAny: each file has fields of its own, and no schema.
type Raw = any;

const FILES: readonly [name: string, scheme: IndexedScheme, hash?: string][] = [
  ['tree_indexed_poseidon2', 'typescript', 'poseidon2-bn254'],
  ['tree_indexed_pedersen', 'typescript', 'pedersen-bn254'],
  ['tree_indexed_pr_layout_derived', 'pr'],
  ['tree_indexed_batch_separated', 'separated'],
  ['tree_indexed_sequential_separated', 'separated'],
  ['tree_public_data_poseidon2', 'typescript', 'poseidon2-bn254'],
  ['tree_public_data_separated', 'separated'],
];

/** The value zero, of padding and of leaf 0. */
export const ZERO = `0x${'00'.repeat(32)}`;

function leafOf({ slot, value, nextIndex, nextSlot, nextValue }: Raw): VectorLeaf {
  const next = Number(nextIndex);
  if (slot === undefined) return { value, nextIndex: next, nextValue };
  return { value: slot, data: value, nextIndex: next, nextValue: nextSlot };
}

function witnessOf(raw: Raw): VectorWitness | null {
  if (raw === null) return null;
  return {
    leaf: leafOf(raw.leaf ?? raw.lowLeaf ?? raw.leafBefore),
    index: Number(raw.index ?? raw.lowLeafIndex),
    siblings: raw.path ?? raw.siblingPath,
  };
}

function stepOf(raw: Raw, sequential: boolean): VectorStep {
  const entries: string[][] = raw.writes
    ? raw.writes.map(({ slot, value }: Raw) => [slot, value])
    : raw.values.map((value: string) => [value]);
  const real = entries.filter(([key]) => key !== ZERO).length;
  // Some files fill up with padding, some with null, one with nothing.
  const witnesses = (raw.lowLeafWitnesses ?? raw.lowLeaves)
    .map(witnessOf)
    .map((witness: VectorWitness | null, i: number) => (i < real ? witness : null));
  const paths = [
    ...(raw.siblingPathsAfter ?? []).map(({ index, path }: Raw) => ({
      index: Number(index),
      siblings: path,
    })),
    ...(raw.siblingPath0 ? [{ index: 0, siblings: raw.siblingPath0 }] : []),
  ];
  const height = raw.subtreeHeight ?? Math.log2(entries.length);
  return {
    values: concatBytes(...entries.flat().map(fromHex)),
    real,
    sequential,
    witnesses,
    ...(raw.insertionWitnesses && { insertions: raw.insertionWitnesses.map(witnessOf) }),
    root: raw.rootAfter,
    ...(raw.sizeAfter && { size: Number(raw.sizeAfter) }),
    leaves: raw.leavesAfter.map(leafOf),
    ...(raw.sortedIndexes && { originalIndices: raw.sortedIndexes }),
    ...(raw.newSubtreeSiblingPath && { subtree: { height, siblings: raw.newSubtreeSiblingPath } }),
    paths,
    ...(raw.referenceHashCount && { pairHashes: raw.referenceHashCount.pair }),
  };
}

/** All trees of all files, by file. */
export const indexedVectors: ReadonlyMap<string, readonly VectorTree[]> = new Map(
  FILES.map(([name, scheme, known]) => {
    const file = readVectors<Raw>(name);
    const trees = file.vectors.map((raw: Raw): VectorTree => {
      const sequential = raw.mode === 'sequential' || name.includes('sequential');
      return {
        name: raw.name,
        hash: known ?? (file.separator ? `poseidon2-bn254-sep-${file.separator}` : `${raw.hash}-bn254`),
        scheme,
        depth: raw.depth,
        prefill: raw.prefill,
        updatable: name.includes('public_data'),
        initialRoot: raw.initialRoot,
        steps: raw.steps.map((step: Raw) => stepOf(step, sequential)),
      };
    });
    return [name, trees];
  }),
);
