/** Published pairs, out of the vector files of the tests. */
import { createHash } from 'node:crypto';

/** A pair and its digest, as bytes. */
export interface PublishedPair {
  readonly left: Buffer;
  readonly right: Buffer;
  readonly digest: Buffer;
}

/** Reads a file by its name below `test/vectors`, without the ending. */
export type ReadVectors = (name: string) => unknown;

const bytes = (hex: string): Buffer => Buffer.from(hex.replace(/^0x/, ''), 'hex');

/** Elements of the Goldilocks field as their digest. */
const words = (elements: readonly string[]): Buffer =>
  Buffer.concat(elements.map((element) => bytes(element).reverse()));

const MONOTREE: Readonly<Record<string, string>> = {
  sha256: 'sha256',
  blake3: 'blake3-256',
  blake2s: 'blake2s-256',
  blake2b: 'blake2b-256',
  'sha3-256': 'sha3-256',
  keccak256: 'keccak-256',
};

function ofBytes(algorithm: string, read: ReadVectors): PublishedPair[] {
  const file = read('monotree/hashes') as {
    algorithms: Record<string, { pairs: readonly string[] }>;
  };
  const child = (side: string, i: number): Buffer =>
    createHash('sha256').update(`monotree/${side}/${i}`).digest();
  return file.algorithms[algorithm]!.pairs.map((digest, i) => ({
    left: child('left', i),
    right: child('right', i),
    digest: bytes(digest),
  }));
}

function ofBn254(member: 'hash' | 'pedersen', read: ReadVectors): PublishedPair[] {
  const file = read('bn254/pair_hash') as { vectors: readonly Record<string, string>[] };
  return file.vectors.map((vector) => ({
    left: bytes(vector.left!),
    right: bytes(vector.right!),
    digest: bytes(vector[member]!),
  }));
}

function ofRescue(name: 'rpo' | 'rpx', layout: string, read: ReadVectors): PublishedPair[] {
  const file = read(`goldilocks/${name}_merge`) as { merge: readonly Record<string, readonly string[]>[] };
  return file.merge.map((vector) => ({
    left: words(vector.left!),
    right: words(vector.right!),
    digest: words(vector[layout]!),
  }));
}

/** Pairs of a hash; none where no file has any. */
export function publishedPairs(hash: string, read: ReadVectors): readonly PublishedPair[] {
  const algorithm = MONOTREE[hash];
  if (algorithm) return ofBytes(algorithm, read);
  if (hash === 'poseidon2-bn254') return ofBn254('hash', read);
  if (hash === 'pedersen-bn254') return ofBn254('pedersen', read);
  const rescue = /^(rpo|rpx)(-capacity-first)?$/.exec(hash);
  if (!rescue) return [];
  return ofRescue(rescue[1] as 'rpo' | 'rpx', rescue[2] ? 'capacity_first' : 'rate_first', read);
}
