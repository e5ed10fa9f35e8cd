/** Independent code for every hash of bytes, and the messages that tests hash with all of them. */
import { createHash } from 'node:crypto';
import { blake2b, blake2s } from '@noble/hashes/blake2.js';
import { blake3 } from '@noble/hashes/blake3.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256, sha3_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '../../src/bytes.ts';
import { hashes } from '../../src/hash/registry.ts';
import type { HashSpec } from '../../src/hash/types.ts';

type Hash = (message: Uint8Array) => Uint8Array;

interface Oracle {
  /** `@noble/hashes`. */
  readonly noble: Hash;
  /** Algorithm of `node:crypto`, where OpenSSL has it. */
  readonly openssl?: string;
  /** Name in `vectors/monotree/hashes.json`. */
  readonly vectors?: string;
}

const ORACLES: Readonly<Record<string, Oracle>> = {
  sha256: { noble: sha256, openssl: 'sha256', vectors: 'sha256' },
  'sha256-truncated': { noble: (message) => concatBytes(Uint8Array.of(0), sha256(message).subarray(0, 31)) },
  blake3: { noble: blake3, vectors: 'blake3-256' },
  blake2s: { noble: blake2s, openssl: 'blake2s256', vectors: 'blake2s-256' },
  blake2b: { noble: (message) => blake2b(message, { dkLen: 32 }), vectors: 'blake2b-256' },
  'sha3-256': { noble: sha3_256, openssl: 'sha3-256', vectors: 'sha3-256' },
  keccak256: { noble: keccak_256, vectors: 'keccak-256' },
};

/** A row of the registry with its oracle. */
export interface ByteHash extends Oracle {
  readonly id: string;
  readonly spec: HashSpec;
}

/** Every hash of bytes in the registry. One without an oracle fails to load here. */
export const byteHashes: readonly ByteHash[] = [...hashes.values()]
  .filter(({ input }) => input === 'bytes')
  .map((spec) => {
    const oracle = ORACLES[spec.id];
    if (!oracle) throw new Error(`${spec.id} has no oracle in test/support/byte-hashes.ts`);
    return { id: spec.id, spec, ...oracle };
  });

/** OpenSSL's digest. */
export const openssl = (algorithm: string, message: Uint8Array): Uint8Array =>
  new Uint8Array(createHash(algorithm).update(message).digest());

/** Pairs of the layers that are hashed: around the lanes, the workgroup, and powers of two. */
export const LAYERS: readonly number[] = [
  1, 2, 3, 4, 5, 7, 63, 64, 65, 127, 129, 255, 257, 1023, 1025, 2047, 2049,
];

/** Every length from 0 to 300 in an order that mixes block counts, then runs of equal ones. */
export const SHORT_LENGTHS: readonly number[] = [
  ...Array.from({ length: 301 }, (_, i) => (i * 97) % 301),
  ...Array.from({ length: 301 }, (_, i) => i),
];

/** Lengths around the ends of blocks (64, 128, 136 bytes) and of BLAKE3's chunks, alone and in lanes. */
export const LONG_LENGTHS: readonly number[] = [
  ...[8, 16, 17, 32].flatMap((blocks) =>
    [64, 128, 136].flatMap((block) => [-1, 0, 1].map((by) => blocks * block + by)),
  ),
  ...[1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 64].flatMap((chunks) => [-1, 0, 1].map((by) => 1024 * chunks + by)),
  ...Array.from({ length: 8 }, (_, i) => 3 * 1024 + 1 + i),
];

/** The digests of messages that lie one behind the other. */
export function digestsOf(
  hash: Hash,
  messages: Uint8Array,
  lengths: readonly number[],
): Uint8Array<ArrayBuffer> {
  let at = 0;
  return concatBytes(
    ...lengths.map((length) => {
      at += length;
      return hash(messages.subarray(at - length, at));
    }),
  );
}

/** The digests of pairs. */
export function parentsOf(hash: Hash, nodes: Uint8Array): Uint8Array<ArrayBuffer> {
  return digestsOf(hash, nodes, Array<number>(nodes.length / 64).fill(64));
}

/** The root over leaves of a hash, with zero digests beside odd nodes. */
export function rootOf(hash: Hash, leaves: Uint8Array, levels: number): Uint8Array {
  let [nodes, zero]: Uint8Array[] = [leaves, new Uint8Array(32)];
  for (let level = 0; level < levels; level++) {
    nodes = parentsOf(hash, nodes!.length % 64 ? concatBytes(nodes!, zero!) : nodes!);
    zero = hash(concatBytes(zero!, zero!));
  }
  return nodes!;
}

export const totalOf = (lengths: readonly number[]): number =>
  lengths.reduce((sum, length) => sum + length, 0);
