/**
 * Batches into append-only and indexed trees over Poseidon2, in memory, against the native tree server of Aztec and
 * its last trees in TypeScript. Each contender fills a tree of its own with the same batches.
 */
import { createHash } from 'node:crypto';
import type { Hasher } from '../../dist/hasher.js';
import { memoryStore } from '../../dist/store/memory.js';
import { AppendOnlyTree } from '../../dist/tree/append-only.js';
import { type IndexedScheme, IndexedTree } from '../../dist/tree/indexed.js';
import { DEPTHS, nativeTree, type PeerTree, type TreeKind, typescriptTree } from '../aztec.ts';
import type { BenchCase } from '../case.ts';
import { type CpuForm, openHasher, WASM_RELAXED, WASM_SCALAR } from '../contenders.ts';
import type { Contender } from '../timing.ts';

const SIZES = [128, 1024];

/** Values of batch `batch`: elements of the field that are no pattern, the same in every run. */
function valuesOf(batch: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => {
    const value = new Uint8Array(createHash('sha256').update(`${batch} ${i}`).digest());
    value[0]! &= 0x1f;
    return value;
  });
}

function contender(name: string, tree: PeerTree, size: number): Contender {
  let batches = 0;
  let values: Uint8Array[] = [];
  return {
    name,
    async prepare() {
      await tree.settle?.();
      values = valuesOf(batches++, size);
    },
    run: () => tree.insert(values),
    output: () => tree.root(),
  };
}

/** Our tree as the peers are: batches come as lists of values. */
async function ownTree(
  kind: TreeKind,
  hasher: Hasher,
  prefill: number,
  witnesses: boolean,
): Promise<PeerTree> {
  const depth = DEPTHS[kind];
  const close = () => hasher.close();
  if (kind === 'append') {
    const tree = await AppendOnlyTree.open(hasher, memoryStore(), { depth });
    return {
      insert: async (values) => void (await tree.append(Buffer.concat(values))),
      root: () => tree.root(),
      close,
    };
  }
  const scheme: IndexedScheme = hasher.spec.id.includes('-sep-') ? 'separated' : 'typescript';
  const tree = await IndexedTree.open(hasher, memoryStore(), { depth, scheme, prefill });
  return {
    insert: async (values) => void (await tree.insert(Buffer.concat(values), { witnesses })),
    root: () => tree.root(),
    close,
  };
}

/** The forms that this host runs: Node has relaxed SIMD from 22 on. */
const FORMS: readonly CpuForm[] = [
  ...(Number.parseInt(process.versions.node, 10) >= 22
    ? [WASM_RELAXED, { ...WASM_RELAXED, threads: 1 }]
    : []),
  WASM_SCALAR,
  { ...WASM_SCALAR, threads: 1 },
];

const threadsOf = (count: number): string => (count === 1 ? 'one thread' : `${count} threads`);

async function ours(kind: TreeKind, hash: string, size: number): Promise<[string, PeerTree][]> {
  const trees: [string, PeerTree][] = [];
  for (const witnesses of kind === 'append' ? [true] : [true, false]) {
    for (const form of FORMS) {
      const hasher = await openHasher(hash, form);
      const what = `wasm ${form.features[0]}, ${threadsOf(form.threads + 1)}`;
      const name = `cambium ${what}${witnesses ? '' : ', no witnesses'}`;
      trees.push([name, await ownTree(kind, hasher, size, witnesses)]);
    }
  }
  return trees;
}

function against(
  peers: string,
  hash: string,
  kind: TreeKind,
  size: number,
  openPeers: () => Promise<[string, PeerTree][]>,
): BenchCase {
  return {
    name: `trees: ${kind} ${size}, depth ${DEPTHS[kind]}, against ${peers}`,
    size: 1,
    unit: 'batch',
    async open() {
      const trees = [...(await openPeers()), ...(await ours(kind, hash, size))];
      return {
        contenders: trees.map(([name, tree]) => contender(name, tree, size)),
        async close() {
          for (const [, tree] of trees) await tree.close();
        },
      };
    },
  };
}

/** The native server hashes nodes with the separator of each tree. */
const SEPARATED: Readonly<Record<TreeKind, string>> = {
  append: 'poseidon2-bn254-sep-2982624097',
  indexed: 'poseidon2-bn254-sep-1157584160',
};

const KINDS: readonly TreeKind[] = ['append', 'indexed'];

export const cases: readonly BenchCase[] = KINDS.flatMap((kind) =>
  SIZES.flatMap((size) => [
    against('aztec-wsdb 5.0.0', SEPARATED[kind], kind, size, async () => [
      ['aztec-wsdb 5.0.0, one thread', await nativeTree(kind, size, 1)],
      ['aztec-wsdb 5.0.0, 2 threads', await nativeTree(kind, size, 2)],
    ]),
    against('@aztec/merkle-tree 4.1.2', 'poseidon2-bn254', kind, size, async () => [
      ['@aztec/merkle-tree 4.1.2', await typescriptTree(kind, size)],
    ]),
  ]),
);
