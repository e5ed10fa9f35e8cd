/** A tree without end: its leaves and its commits follow from its size alone. */
import { sha256 } from './naive-tree.ts';

export function endlessLeaf(index: number): Uint8Array<ArrayBuffer> {
  return sha256(new TextEncoder().encode(`endless ${index}`));
}

/** The size after the commit that follows size `size`: 1 to 60 leaves more. */
export function nextSize(size: number): number {
  return size + 1 + ((size * 7919) % 60);
}
