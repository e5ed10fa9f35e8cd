/** The changes that processes make to a sparse tree, step by step without end. */
import type { SparseOp } from '../../src/tree/sparse/entries.ts';
import { sha256 } from './naive-tree.ts';

const text = (value: string): Uint8Array<ArrayBuffer> => sha256(new TextEncoder().encode(value));

/** Keys that all steps change. */
export const endlessKeys: readonly Uint8Array[] = Array.from({ length: 300 }, (_, i) => text(`key ${i}`));

/** The changes of one step: inserts, overwrites and removals. */
export function endlessChanges(step: number): SparseOp[] {
  return Array.from({ length: 20 }, (_, i): SparseOp => {
    const key = endlessKeys[(step * 13 + i * 7) % endlessKeys.length]!;
    if ((step + i) % 4 === 0) return { del: key };
    return { put: key, leaf: text(`leaf ${step} ${i}`), value: text(`value ${step} ${i}`) };
  });
}
