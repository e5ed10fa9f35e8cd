import type { Digest } from '../bytes.js';
import { Arena } from './arena.js';

/**
 * Entries of a memory store: a hash index with open addressing over records in an arena.
 *
 * An entry keeps its number, from 0, for as long as its key is present, whatever its value; the record in the arena is
 * the key with the value behind it.
 */
export class EntryTable {
  readonly #arena = new Arena();
  /** Keys can come from outside: nobody should be able to choose colliding ones. */
  readonly #seed = (Math.random() * 2 ** 32) >>> 0;
  readonly #freed: number[] = [];
  #issued = 0;
  #count = 0;
  /** Columns, by entry number. */
  #hash = new Uint32Array(16);
  #address = new Uint32Array(16);
  #keyBytes = new Uint16Array(16);
  #valueBytes = new Uint32Array(16);
  /** Entry number + 1 where a hash points to, or the next free place behind it; a power of two, at most half full. */
  #slots = new Uint32Array(32);

  /** Entries present. */
  get count(): number {
    return this.#count;
  }

  /** Entry numbers are below this; {@link reserve} raises it. */
  get capacity(): number {
    return this.#hash.length;
  }

  /** Bytes held by records, free room included. */
  get byteLength(): number {
    return this.#arena.byteLength;
  }

  /** Number of the entry with this key, or -1. */
  find(key: Uint8Array): number {
    return this.#slots[this.#slotOf(key, this.#hashOf(key))]! - 1;
  }

  has(entry: number): boolean {
    return this.#keyBytes[entry] !== 0;
  }

  /** Key of an entry; a copy. */
  key(entry: number): Digest {
    return this.#copy(entry, 0, this.#keyBytes[entry]!);
  }

  /** Value of an entry; a copy. */
  value(entry: number): Digest {
    return this.#copy(entry, this.#keyBytes[entry]!, this.#valueBytes[entry]!);
  }

  /** Bytewise order of an entry's key against `key`: negative, 0 or positive. */
  compare(entry: number, key: Uint8Array): number {
    const address = this.#address[entry]!;
    const block = this.#arena.block(address);
    const start = this.#arena.offset(address);
    const length = this.#keyBytes[entry]!;
    const shared = Math.min(length, key.length);
    for (let i = 0; i < shared; i++) {
      const difference = block[start + i]! - key[i]!;
      if (difference) return difference;
    }
    return length - key.length;
  }

  /**
   * Writes a record that nothing refers to yet: the part of a commit that can run out of memory.
   *
   * @throws {RangeError} when there is no memory left.
   */
  stage(key: Uint8Array, value: Uint8Array): number {
    const address = this.#arena.allocate(key.length + value.length);
    const block = this.#arena.block(address);
    const start = this.#arena.offset(address);
    block.set(key, start);
    block.set(value, start + key.length);
    return address;
  }

  /** Takes {@link stage} back. */
  unstage(address: number, key: Uint8Array, value: Uint8Array): void {
    this.#arena.free(address, key.length + value.length);
  }

  /**
   * Makes room, so that as many {@link link} calls cannot fail.
   *
   * @throws {RangeError} when there is no memory left.
   */
  reserve(more: number): void {
    const wanted = this.#count + more;
    let columns = this.#hash.length;
    while (columns < wanted) columns *= 2;
    if (columns > this.#hash.length) {
      const hash = grown(this.#hash, new Uint32Array(columns));
      const address = grown(this.#address, new Uint32Array(columns));
      const keyBytes = grown(this.#keyBytes, new Uint16Array(columns));
      const valueBytes = grown(this.#valueBytes, new Uint32Array(columns));
      const slots = new Uint32Array(2 * columns);
      [this.#hash, this.#address, this.#keyBytes, this.#valueBytes] = [hash, address, keyBytes, valueBytes];
      this.#rehash(slots);
    }
  }

  /** Makes a staged record the entry of its key, and returns the entry's number. */
  link(staged: number, key: Uint8Array, valueBytes: number): number {
    const hash = this.#hashOf(key);
    const slot = this.#slotOf(key, hash);
    let entry = this.#slots[slot]! - 1;
    if (entry >= 0) {
      this.#freeRecord(entry);
    } else {
      entry = this.#freed.pop() ?? this.#issued++;
      this.#slots[slot] = entry + 1;
      this.#hash[entry] = hash;
      this.#keyBytes[entry] = key.length;
      this.#count++;
    }
    this.#address[entry] = staged;
    this.#valueBytes[entry] = valueBytes;
    return entry;
  }

  /** Removes an entry that is present. */
  remove(entry: number): void {
    const mask = this.#slots.length - 1;
    let hole = this.#hash[entry]! & mask;
    while (this.#slots[hole] !== entry + 1) hole = (hole + 1) & mask;
    // Entries behind the hole move up, unless they already stand at or after their own place: no tombstones.
    for (let next = (hole + 1) & mask; this.#slots[next]; next = (next + 1) & mask) {
      const home = this.#hash[this.#slots[next]! - 1]! & mask;
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      this.#slots[hole] = this.#slots[next]!;
      hole = next;
    }
    this.#slots[hole] = 0;
    this.#freeRecord(entry);
    this.#keyBytes[entry] = 0;
    this.#freed.push(entry);
    this.#count--;
  }

  #freeRecord(entry: number): void {
    this.#arena.free(this.#address[entry]!, this.#keyBytes[entry]! + this.#valueBytes[entry]!);
  }

  #copy(entry: number, from: number, length: number): Digest {
    const address = this.#address[entry]!;
    const start = this.#arena.offset(address) + from;
    return this.#arena.block(address).slice(start, start + length) as Digest;
  }

  /** FNV-1a with a seed and a final mix. */
  #hashOf(key: Uint8Array): number {
    let hash = this.#seed;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key[i]!, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  /** The slot of the key, or the free one that it would take. */
  #slotOf(key: Uint8Array, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry = this.#slots[slot]!; entry; entry = this.#slots[slot]!) {
      if (this.#hash[entry - 1] === hash && this.compare(entry - 1, key) === 0) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #rehash(slots: Uint32Array<ArrayBuffer>): void {
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.#issued; entry++) {
      if (!this.has(entry)) continue;
      let slot = this.#hash[entry]! & mask;
      while (slots[slot]) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    }
    this.#slots = slots;
  }
}

function grown<T extends Uint32Array | Uint16Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
