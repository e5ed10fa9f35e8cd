/** The tree that the page looks at, its proofs, and their verification. */
import {
  CambiumError,
  createHasher,
  fromHex,
  type Hasher,
  type HashId,
  type MerkleTree,
  pathPairs,
  proofToJson,
  toHex,
  verifyProof,
} from 'cambium';
import type { ProofView, TrustedTree, Verdict } from '../tasks.ts';

let kept: MerkleTree | undefined;
const verifiers = new Map<HashId, Promise<Hasher>>();

/** Makes `tree` the one that proofs are made of. */
export function keepTree(tree: MerkleTree | undefined): void {
  kept = tree;
}

/** A proof of one leaf of the kept tree. */
export async function prove({ index }: { readonly index: number }): Promise<ProofView> {
  if (!kept) throw new RangeError('index: there is no tree');
  const { leaf, siblings } = kept.prove(index);
  return { index, leaf: toHex(leaf), siblings: siblings.map(toHex) };
}

interface Claim {
  readonly tree: TrustedTree;
  readonly proof: ProofView;
}

/** Whether a proof holds for a tree that the page knows. */
export async function verify({ tree, proof }: Claim): Promise<Verdict> {
  const hasher = await verifierOf(tree.hash);
  const [root, leaf, siblings] = [fromHex(tree.root), fromHex(proof.leaf), proof.siblings.map(fromHex)];
  const { depth, size } = tree;
  const { index } = proof;
  try {
    const valid = verifyProof(hasher, { root, leaf, index, depth, size }, siblings);
    const pairs = pathPairs(hasher, { index, leaf, siblings });
    const below = pairs.map((pair, level) => toHex(pair[Math.floor(index / 2 ** level) % 2]!));
    const top = pairs.length > 0 ? hasher.hashPair(...pairs.at(-1)!) : leaf;
    return { valid, path: [...below, toHex(top)] };
  } catch (error) {
    if (!(error instanceof CambiumError && error.code === 'NOT_CANONICAL')) throw error;
    return { valid: false, refused: error.message };
  }
}

/** The proof as a file for `cambium verify`. */
export async function proofJson({ tree, proof }: Claim): Promise<string> {
  return proofToJson({
    hash: tree.hash,
    root: fromHex(tree.root),
    depth: tree.depth,
    size: tree.size,
    padding: 'zero',
    index: proof.index,
    leaf: fromHex(proof.leaf),
    siblings: proof.siblings.map(fromHex),
  });
}

/** Stays open: it holds no thread and no device. */
function verifierOf(hash: HashId): Promise<Hasher> {
  const known = verifiers.get(hash) ?? createHasher(hash, { backend: 'cpu', threads: 0 });
  verifiers.set(hash, known);
  return known;
}
