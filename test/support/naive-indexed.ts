/**
 * Indexed trees by definition: a list of leaves kept sorted by walking over it, and roots by recursion over SHA-256.
 * Shares no code with the library.
 */
import { naiveRoot, naiveSiblings, sha256 } from './naive-tree.ts';

export interface NaiveLeaf {
  value: bigint;
  data?: bigint;
  nextIndex: number;
  nextValue: bigint;
}

export interface NaiveWitness {
  readonly leaf: NaiveLeaf;
  readonly index: number;
  readonly siblings: readonly Uint8Array[];
}

/** 32 bytes, big-endian. */
export function bytesOf(value: bigint): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
}

/** Node of a leaf, `undefined` for an empty one, under the order of `typescript`. */
export function naiveNode(leaf: NaiveLeaf | undefined): Uint8Array {
  if (!leaf) return new Uint8Array(32);
  const { value, data, nextValue, nextIndex } = leaf;
  const parts = [value, ...(data === undefined ? [] : [data]), nextValue, BigInt(nextIndex)];
  return sha256(...parts.map(bytesOf));
}

/** A list of leaves, `undefined` where padding stands. */
export class NaiveIndexedTree {
  readonly leaves: (NaiveLeaf | undefined)[];
  readonly depth: number;

  constructor(depth: number, prefill: number, data?: bigint) {
    this.depth = depth;
    this.leaves = Array.from({ length: prefill }, (_, i) => {
      const next = i + 1 < prefill ? i + 1 : 0;
      return {
        value: BigInt(i),
        ...(data !== undefined && { data }),
        nextIndex: next,
        nextValue: BigInt(next),
      };
    });
  }

  get nodes(): Uint8Array[] {
    return this.leaves.map(naiveNode);
  }

  get root(): Uint8Array {
    return naiveRoot(this.nodes, this.depth, 'zero');
  }

  siblings(index: number): Uint8Array[] {
    const nodes = this.nodes;
    while (nodes.length <= index) nodes.push(new Uint8Array(32));
    return naiveSiblings(nodes, index, this.depth, 'zero');
  }

  /** Position of the leaf with the greatest value that is not above `value`. */
  low(value: bigint): number {
    let low = 0;
    for (const [i, leaf] of this.leaves.entries()) {
      if (leaf && leaf.value <= value && leaf.value >= this.leaves[low]!.value) low = i;
    }
    return low;
  }

  /** Inserts one value behind the last leaf, or at `position`; the witness of its low leaf. */
  insert(value: bigint, data?: bigint, position: number = this.leaves.length): NaiveWitness {
    const index = this.low(value);
    const leaf = this.leaves[index]!;
    const witness = { leaf: { ...leaf }, index, siblings: this.siblings(index) };
    if (leaf.value === value) {
      this.leaves[index] = { ...leaf, data: data! };
      return witness;
    }
    this.leaves[index] = { ...leaf, nextIndex: position, nextValue: value };
    while (this.leaves.length <= position) this.leaves.push(undefined);
    const { nextIndex, nextValue } = leaf;
    this.leaves[position] = { value, ...(data !== undefined && { data }), nextIndex, nextValue };
    return witness;
  }

  /** A batch as the definition has it: low leaves in descending order first, the new leaves after all of them. */
  batch(entries: readonly (readonly [value: bigint, data?: bigint])[]): NaiveWitness[] {
    const start = this.leaves.length;
    const order = entries
      .map(([value, data], i) => ({ value, data, i }))
      .filter(({ value }) => value > 0n)
      .sort((a, b) => (a.value < b.value ? 1 : -1));
    const pending: (NaiveLeaf | undefined)[] = entries.map(() => undefined);
    const witnesses = order.map(({ value, data, i }) => {
      const index = this.low(value);
      const leaf = this.leaves[index]!;
      const witness = { leaf: { ...leaf }, index, siblings: this.siblings(index) };
      if (leaf.value === value) {
        this.leaves[index] = { ...leaf, data: data! };
        return witness;
      }
      pending[i] = {
        value,
        ...(data !== undefined && { data }),
        nextIndex: leaf.nextIndex,
        nextValue: leaf.nextValue,
      };
      this.leaves[index] = { ...leaf, nextIndex: start + i, nextValue: value };
      return witness;
    });
    this.leaves.push(...pending);
    return witnesses;
  }
}

/**
 * Pair hashes that rewriting leaves one after the other needs: nodes that some later path shows, or that last, and those
 * that they are made of. `covered` is a leaf written behind them.
 */
export function pathHashes(positions: readonly number[], depth: number, covered?: number): number {
  let wanted = positions.map((_, j) => j === positions.length - 1 && covered === undefined);
  let hashes = wanted.filter(Boolean).length;
  for (let level = depth - 1; level >= 1; level--) {
    const at = positions.map((position) => Math.floor(position / 2 ** level));
    const latest = new Map<number, number>();
    const shown = new Set<number>();
    for (const [j, position] of at.entries()) {
      const other = latest.get(position % 2 ? position - 1 : position + 1);
      if (other !== undefined) shown.add(other);
      latest.set(position, j);
    }
    if (covered !== undefined) latest.delete(Math.floor(covered / 2 ** level));
    const lasting = new Set(latest.values());
    wanted = wanted.map((above, j) => above || shown.has(j) || lasting.has(j));
    hashes += wanted.filter(Boolean).length;
  }
  return hashes;
}
