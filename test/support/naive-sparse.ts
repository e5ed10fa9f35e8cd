/**
 * Sparse trees by definition, over node:crypto and strings of bits. Shares no code with the library: the canonical tree
 * is built anew from a map, Monotree's changes node objects one step after the other.
 */
import { sha256 } from './naive-tree.ts';

const bitsOf = (key: Uint8Array): string =>
  Array.from(key, (byte) => byte.toString(2).padStart(8, '0')).join('');

const u16 = (value: number): number[] => [value >> 8, value & 0xff];

interface Cell {
  /** Bits of the edge. */
  readonly bits: string;
  /** A node, or a leaf. */
  readonly to: Node | Uint8Array;
}

/** One cell, or two whose bits begin with 0 and 1. */
type Node = readonly Cell[];

function pathBytes(depth: number, bits: string): number[] {
  const start = depth % 8;
  const padded = '0'.repeat(start) + bits;
  const bytes = padded.padEnd(Math.ceil(padded.length / 8) * 8, '0').match(/.{8}/g)!;
  return [...u16(start), ...u16(start + bits.length), ...bytes.map((byte) => Number.parseInt(byte, 2))];
}

/** Hash of a node at a depth. */
export function naiveHash(node: Node, depth: number): Uint8Array {
  const hashes = node.map(({ bits, to }) =>
    to instanceof Uint8Array ? to : naiveHash(to, depth + bits.length),
  );
  const paths = node.flatMap(({ bits }) => pathBytes(depth, bits));
  const second = hashes[1] ? [...hashes[1], 1] : [0];
  return sha256(Uint8Array.from([...hashes[0]!, ...paths, ...second]));
}

const common = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
};

/** The canonical tree of a set: entries from hexadecimal keys to leaves. */
export function naiveCanonicalRoot(entries: ReadonlyMap<string, Uint8Array>): Uint8Array | null {
  const sorted = [...entries]
    .map(([key, leaf]): [string, Uint8Array] => [bitsOf(Buffer.from(key, 'hex')), leaf])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const cell = (part: [string, Uint8Array][], depth: number): Cell => {
    const [first] = part[0]!;
    if (part.length === 1) return { bits: first.slice(depth), to: part[0]![1] };
    const length = common(first.slice(depth), part.at(-1)![0].slice(depth));
    return { bits: first.slice(depth, depth + length), to: node(part, depth + length) };
  };
  const node = (part: [string, Uint8Array][], depth: number): Node =>
    ['0', '1']
      .map((bit) => part.filter(([key]) => key[depth] === bit))
      .filter((half) => half.length)
      .map((half) => cell(half, depth));
  return sorted.length ? naiveHash(node(sorted, 0), 0) : null;
}

/** Monotree's own tree, changed step by step; a removal leaves nodes of one cell in place. */
export class NaiveMonotree {
  #root: Node | undefined;

  insert(key: Uint8Array, leaf: Uint8Array): void {
    const bits = bitsOf(key);
    this.#root = this.#root ? this.#insert(this.#root, bits, leaf) : [{ bits, to: leaf }];
  }

  remove(key: Uint8Array): void {
    if (this.#root && this.#has(this.#root, bitsOf(key))) this.#root = this.#remove(this.#root, bitsOf(key));
  }

  root(): Uint8Array | null {
    return this.#root ? naiveHash(this.#root, 0) : null;
  }

  #has(node: Node, bits: string): boolean {
    const cell = node.find((each) => bits.startsWith(each.bits));
    if (!cell) return false;
    return cell.to instanceof Uint8Array || this.#has(cell.to, bits.slice(cell.bits.length));
  }

  #insert(node: Node, bits: string, leaf: Uint8Array): Node {
    const cell = node.find((each) => each.bits[0] === bits[0]);
    const rest = node.filter((each) => each !== cell);
    const joined = (next: Cell): Node => [...rest, next].sort((a, b) => (a.bits < b.bits ? -1 : 1));
    if (!cell) return joined({ bits, to: leaf });
    const shared = common(cell.bits, bits);
    if (shared === bits.length) return joined({ bits, to: leaf });
    if (shared === cell.bits.length) {
      return joined({ bits: cell.bits, to: this.#insert(cell.to as Node, bits.slice(shared), leaf) });
    }
    const halves = [
      { bits: cell.bits.slice(shared), to: cell.to },
      { bits: bits.slice(shared), to: leaf },
    ].sort((a, b) => (a.bits < b.bits ? -1 : 1));
    return joined({ bits: bits.slice(0, shared), to: halves });
  }

  #remove(node: Node, bits: string): Node | undefined {
    const rest = node.filter((each) => !bits.startsWith(each.bits));
    const cell = node.find((each) => bits.startsWith(each.bits))!;
    const below =
      cell.to instanceof Uint8Array ? undefined : this.#remove(cell.to, bits.slice(cell.bits.length));
    if (below) {
      return [...rest, { bits: cell.bits, to: below }].sort((a, b) => (a.bits < b.bits ? -1 : 1));
    }
    return rest.length ? rest : undefined;
  }
}
