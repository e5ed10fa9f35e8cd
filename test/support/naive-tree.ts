/**
 * Merkle trees by definition: recursive, one subtree after the other, over node:crypto. Shares no code with the
 * library, and does not work layer by layer as it does.
 */
import { createHash } from 'node:crypto';

export type NaivePadding = 'zero' | 'promote' | 'duplicate';

/** SHA-256 over the parts. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** Root of an all-zero subtree. */
export function naiveZero(height: number): Uint8Array<ArrayBuffer> {
  if (height === 0) return new Uint8Array(32);
  const child = naiveZero(height - 1);
  return sha256(child, child);
}

/** Least height that holds `count` leaves. */
export function naiveHeight(count: number): number {
  return count <= 1 ? 0 : 1 + naiveHeight(Math.ceil(count / 2));
}

/**
 * Root of the subtree of this height over `leaves`, with the padding that its side of the tree asks for.
 * Its left half is always full where the right half has a leaf.
 */
export function naiveRoot(leaves: readonly Uint8Array[], height: number, padding: NaivePadding): Uint8Array {
  if (leaves.length === 0) return naiveZero(height);
  if (height === 0) return leaves[0]!;
  const half = 2 ** (height - 1);
  const left = naiveRoot(leaves.slice(0, half), height - 1, padding);
  if (leaves.length <= half) {
    if (padding === 'promote') return left;
    return sha256(left, padding === 'zero' ? naiveZero(height - 1) : left);
  }
  return sha256(left, naiveRoot(leaves.slice(half), height - 1, padding));
}

/** Siblings of the leaf at `index`, from the leaf upward, as subtrees of their own. */
export function naiveSiblings(
  leaves: readonly Uint8Array[],
  index: number,
  height: number,
  padding: NaivePadding,
): Uint8Array[] {
  if (height === 0) return [];
  const half = 2 ** (height - 1);
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  if (index >= half) {
    const below = naiveSiblings(right, index - half, height - 1, padding);
    return [...below, naiveRoot(left, height - 1, padding)];
  }
  const below = naiveSiblings(left, index, height - 1, padding);
  if (right.length || padding === 'zero') return [...below, naiveRoot(right, height - 1, padding)];
  return padding === 'promote' ? below : [...below, naiveRoot(left, height - 1, padding)];
}

/** Distinct leaves that follow from their number. */
export function naiveLeaves(count: number, seed = 'leaf'): Uint8Array<ArrayBuffer>[] {
  const bytes = new TextEncoder();
  return Array.from({ length: count }, (_, i) => sha256(bytes.encode(`${seed} ${i}`)));
}
