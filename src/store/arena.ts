/** Addresses count units of this many bytes, so that 32 bits reach 64 GiB. */
const UNIT_BYTES = 16;
const SLOT_BITS = 16;
const MOST_SLOTS = 2 ** (32 - SLOT_BITS);

/** Block sizes in units: they double from 64 KiB to 1 MiB, so that a small store stays small. */
const FIRST_BLOCK = 2 ** 12;
const LAST_BLOCK = 2 ** SLOT_BITS;

/** Records above this many units get a block of their own, which is given back when they are freed. */
const LARGE = 2 ** 12;

const NO_BLOCK: Uint8Array = /* @__PURE__ */ new Uint8Array(0);

/** Four sizes per power of two: at most a fifth of a record is slack, and freed space fits the next of its class. */
function sizeClass(units: number): { readonly index: number; readonly units: number } {
  if (units <= 8) return { index: units, units };
  const shift = 29 - Math.clz32(units - 1);
  const steps = ((units - 1) >>> shift) + 1;
  return { index: 4 * shift + steps, units: steps << shift };
}

/** Memory for records in large typed arrays: no object per record, nothing for the garbage collector to walk. */
export class Arena {
  /** A block for each value of an address's upper bits. */
  readonly #blocks: Uint8Array[] = [];
  readonly #freeSlots: number[] = [];
  /** Freed addresses, by size class. */
  readonly #free: number[][] = [];
  /** Units from here to the end of the newest block are unused. */
  #next = 0;
  #end = 0;
  #blockUnits = FIRST_BLOCK;
  #bytes = 0;

  /** Bytes held. */
  get byteLength(): number {
    return this.#bytes;
  }

  /**
   * Room for a record; its content is arbitrary.
   *
   * @throws {RangeError} when there is no memory left.
   */
  allocate(bytes: number): number {
    const { index, units } = sizeClass(Math.max(1, Math.ceil(bytes / UNIT_BYTES)));
    if (units > LARGE) return this.#addBlock(units);
    const freed = this.#free[index]?.pop();
    if (freed !== undefined) return freed;
    if (this.#next + units > this.#end) {
      const block = this.#addBlock(this.#blockUnits);
      this.#next = block;
      this.#end = block + this.#blockUnits;
      this.#blockUnits = Math.min(2 * this.#blockUnits, LAST_BLOCK);
    }
    const address = this.#next;
    this.#next += units;
    return address;
  }

  /** Gives back what {@link allocate} gave for as many bytes. */
  free(address: number, bytes: number): void {
    const { index, units } = sizeClass(Math.max(1, Math.ceil(bytes / UNIT_BYTES)));
    if (units <= LARGE) {
      this.#free[index] ??= [];
      this.#free[index].push(address);
      return;
    }
    const slot = address >>> SLOT_BITS;
    this.#bytes -= this.#blocks[slot]!.length;
    this.#blocks[slot] = NO_BLOCK;
    this.#freeSlots.push(slot);
  }

  /** The block that holds the record; it begins at {@link offset}. */
  block(address: number): Uint8Array {
    return this.#blocks[address >>> SLOT_BITS]!;
  }

  offset(address: number): number {
    return (address % LAST_BLOCK) * UNIT_BYTES;
  }

  #addBlock(units: number): number {
    const slot = this.#freeSlots.at(-1) ?? this.#blocks.length;
    if (slot >= MOST_SLOTS) throw new RangeError('the memory store is full');
    const block = new Uint8Array(units * UNIT_BYTES);
    if (slot < this.#blocks.length) this.#freeSlots.pop();
    this.#blocks[slot] = block;
    this.#bytes += block.length;
    return slot * LAST_BLOCK;
  }
}
