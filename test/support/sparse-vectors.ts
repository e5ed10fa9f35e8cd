/** Vectors of sparse trees, and the entries that they are made of. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { HashId } from '../../src/hash/registry.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../vectors/monotree/${name}.json`, import.meta.url), 'utf8'));

const sha256 = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(text).digest());

/** Bytes of hexadecimal digits. */
export const bytes = (hex: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(hex, 'hex'));

/** Hexadecimal digits without `0x`, as the vectors have them; null and undefined stay. */
export const hex = (value: Uint8Array | null | undefined): string | null | undefined =>
  value && Buffer.from(value).toString('hex');

export const vectorKey = (i: number): Uint8Array<ArrayBuffer> => sha256(`monotree/key/${i}`);
export const vectorLeaf = (i: number): Uint8Array<ArrayBuffer> => sha256(`monotree/leaf/${i}`);

interface Entry {
  readonly key: string;
  readonly leaf: string;
}

interface ProofCase extends Entry {
  readonly steps: readonly { readonly right: boolean; readonly cut: string }[];
  readonly why?: string;
}

export interface TreeVectors {
  readonly single: Entry & { readonly nodeBytes: string; readonly root: string };
  readonly cumulative: { readonly roots: readonly string[] };
  readonly large: { readonly roots: Readonly<Record<string, string>> };
  readonly removes: {
    readonly legacyRoots: readonly (string | null)[];
    readonly canonicalRoots: readonly (string | null)[];
  };
  readonly removeThenReinsert: { readonly fullRoot: string; readonly afterReinsert: string };
  readonly removeThenInsertOthers: { readonly legacyRoot: string; readonly canonicalRoot: string };
  readonly extremes: readonly {
    readonly name: string;
    readonly root: string;
    readonly entries?: readonly Entry[];
    readonly nodes?: readonly { readonly hash: string; readonly bytes: string }[];
  }[];
  readonly overwrite: Readonly<Record<'before' | 'sameLeaf' | 'changed' | 'restored', string>>;
  readonly batch: { readonly sequentialRoot: string; readonly duplicateRoot: string };
  readonly inclusionProofs: {
    readonly root: string;
    readonly proofs: readonly ProofCase[];
    readonly mustFail: readonly ProofCase[];
  };
  readonly absence: {
    readonly root: string;
    readonly cases: readonly { readonly key: string; readonly pathNodes: readonly string[] }[];
  };
  readonly removeAbsent: {
    readonly cases: readonly {
      readonly key: string;
      readonly expectedRoot: string;
      readonly legacyRoot: string;
    }[];
  };
  readonly mixed: {
    readonly ops: readonly (readonly ['insert', number, number] | readonly ['remove', number])[];
    readonly legacyRoots: readonly (string | null)[];
    readonly canonicalRoots: readonly (string | null)[];
  };
}

/** Vectors by the hash that they are made with. */
export const treeVectors: ReadonlyMap<HashId, TreeVectors> = new Map<HashId, TreeVectors>([
  ['blake3', read('tree-blake3')],
  ['blake2s', read('tree-blake2s')],
  ['blake2b', read('tree-blake2b')],
  ['sha256', read('tree-sha2')],
  ['sha3-256', read('tree-sha3')],
  ['keccak256', read('tree-keccak')],
]);

/** The entries of an extreme set: listed, or those of the rule that its name tells. */
export function extremeEntries({
  name,
  entries,
}: TreeVectors['extremes'][number]): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>][] {
  if (entries) return entries.map(({ key, leaf }) => [bytes(key), bytes(leaf)]);
  const filled = (fill: number, at: number, value: number): Uint8Array<ArrayBuffer> => {
    const key = new Uint8Array(32).fill(fill);
    key[at] = value;
    return key;
  };
  if (name.startsWith('comb')) {
    const one = (bit: number) => filled(0, bit >> 3, 0x80 >> (bit & 7));
    return [
      [new Uint8Array(32), vectorLeaf(2000)],
      ...Array.from({ length: 256 }, (_, bit): [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>] => [
        one(bit),
        vectorLeaf(2001 + bit),
      ]),
    ];
  }
  const [fill, at, first] = name.startsWith('last byte') ? [0xa5, 31, 3000] : [0x5a, 0, 4000];
  return Array.from({ length: 256 }, (_, value) => [filled(fill!, at!, value), vectorLeaf(first! + value)]);
}

export interface LayoutVectors {
  readonly roots: Readonly<Record<string, string>>;
  readonly proofTree: {
    readonly entries: number;
    readonly root: string;
    readonly inclusion: readonly { readonly i: number; readonly siblingsFromRoot: readonly string[] }[];
    readonly absence: readonly {
      readonly i: number;
      readonly siblingsFromRoot: readonly string[];
      readonly endsAt: string | { readonly otherLeafPath: string; readonly otherLeafHash: string };
    }[];
  };
}

/** Vectors of the layouts that hash every level. */
export const layoutVectors: ReadonlyMap<'celestia' | 'jmt', LayoutVectors> = new Map(
  Object.entries(read('other-layouts').layouts) as ['celestia' | 'jmt', LayoutVectors][],
);

export const otherKey = (i: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(`other/key/${i}`, 'ascii'));
export const otherValue = (i: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(`other/value/${i}`, 'ascii'));
