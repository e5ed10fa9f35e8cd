/** A sparse Merkle tree of fixed depth by definition: a map of leaves, everything hashed anew. */
import type { Digest } from '../../src/bytes.ts';

type HashPair = (left: Uint8Array, right: Uint8Array) => Digest;

export class NaiveSmt {
  readonly leaves = new Map<bigint, Digest>();
  readonly #depth: number;
  readonly #zeros: Digest[] = [new Uint8Array(32)];
  readonly #hashPair: HashPair;

  constructor(depth: number, hashPair: HashPair) {
    this.#depth = depth;
    this.#hashPair = hashPair;
    for (let h = 0; h < depth; h++) this.#zeros.push(hashPair(this.#zeros[h]!, this.#zeros[h]!));
  }

  set(index: bigint, value: Digest): void {
    if (value.some((byte) => byte > 0)) this.leaves.set(index, value);
    else this.leaves.delete(index);
  }

  root(): Digest {
    return this.#levels().at(-1)!.get(0n) ?? this.#zeros.at(-1)!;
  }

  siblings(index: bigint): Digest[] {
    return this.#levels()
      .slice(0, -1)
      .map((level, h) => level.get((index >> BigInt(h)) ^ 1n) ?? this.#zeros[h]!);
  }

  /** Nodes above the leaves that are not empty and lie on the path of one of these leaves. */
  nodesAbove(indices: readonly bigint[]): number {
    return this.#levels()
      .slice(1)
      .reduce((sum, level, h) => {
        const touched = new Set(indices.map((index) => index >> BigInt(h + 1)));
        return sum + [...touched].filter((node) => level.has(node)).length;
      }, 0);
  }

  #levels(): Map<bigint, Digest>[] {
    const levels = [this.leaves];
    for (let h = 0; h < this.#depth; h++) {
      const below = levels[h]!;
      const level = new Map<bigint, Digest>();
      for (const index of below.keys()) {
        const parent = index >> 1n;
        if (level.has(parent)) continue;
        const child = (i: bigint): Digest => below.get(i) ?? this.#zeros[h]!;
        level.set(parent, this.#hashPair(child(2n * parent), child(2n * parent + 1n)));
      }
      levels.push(level);
    }
    return levels;
  }
}
