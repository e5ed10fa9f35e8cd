import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import type { ConstantsFor } from '../../hash/types.js';

const PAIR_BYTES = 2 * DIGEST_BYTES;
/** Calls in blocks let the engine replace its baseline code by optimised code between two calls. */
const BLOCK_PAIRS = 1024;
const BLOCK_MESSAGES = 512;
const BLOCK_MESSAGE_BYTES = 1 << 17;
const BLOCK_ROW_BYTES = 1 << 17;
/** Three 32-bit words a message: address, length, address of the digest. */
const ROW_BYTES = 12;
/** One constant: an element of 32 bytes. */
const CONSTANT_BYTES = 32;
const PAGE_BYTES = 65536;
/** An instance that one long message blew up beyond this is thrown away: WASM memory never shrinks. */
const KEPT_BYTES = 1 << 22;

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly heap: WebAssembly.Global;
  readonly pairs: (input: number, output: number, count: number) => void;
  readonly messages?: (table: number, count: number) => void;
  readonly rows?: (input: number, elements: number, output: number, count: number) => void;
  readonly load?: (input: number, elements: number) => void;
}

/** One WASM build of a hash, with its memory: copies in, calls, copies out. */
export class WasmKernel {
  readonly #module: WebAssembly.Module;
  readonly #constants: ConstantsFor | undefined;
  /** The constants that the instance has taken over. */
  #loaded: Digest | undefined;
  #exports!: Exports;
  #heap = 0;
  /** Memory from the heap on. */
  #bytes: Digest = new Uint8Array(0);
  /** The same as words. */
  #words: Uint32Array<ArrayBuffer> = new Uint32Array(0);

  constructor(module: WebAssembly.Module, constants?: ConstantsFor) {
    this.#module = module;
    this.#constants = constants;
    this.#instantiate();
  }

  get hasMessages(): boolean {
    return this.#exports.messages !== undefined;
  }

  get hasRows(): boolean {
    return this.#exports.rows !== undefined;
  }

  hashPair(left: Uint8Array, right: Uint8Array): Digest {
    this.#load(2);
    this.#bytes.set(left);
    this.#bytes.set(right, DIGEST_BYTES);
    this.#exports.pairs(this.#heap, this.#heap, 1);
    return this.#bytes.slice(0, DIGEST_BYTES);
  }

  hashPairs(nodes: Uint8Array, out: Uint8Array): void {
    this.#load(2);
    const total = nodes.length / PAIR_BYTES;
    for (let first = 0; first < total; first += BLOCK_PAIRS) {
      const count = Math.min(BLOCK_PAIRS, total - first);
      const input =
        count === total ? nodes : nodes.subarray(first * PAIR_BYTES, (first + count) * PAIR_BYTES);
      this.#bytes.set(input);
      this.#exports.pairs(this.#heap, this.#heap, count);
      out.set(this.#bytes.subarray(0, count * DIGEST_BYTES), first * DIGEST_BYTES);
    }
  }

  hashMessages(messages: Uint8Array, lengths: Uint32Array, out: Uint8Array): void {
    if (lengths.length === 1) this.#hashMessage(messages, out);
    else this.#hashBlocks(messages, lengths, out);
    if (this.#bytes.length > KEPT_BYTES) this.#instantiate();
  }

  /** One message without any view: a chain of nodes is hashed one by one. */
  #hashMessage(message: Uint8Array, out: Uint8Array): void {
    const content = ROW_BYTES + DIGEST_BYTES;
    this.#ensure(content + message.length);
    this.#bytes.set(message, content);
    this.#words[0] = this.#heap + content;
    this.#words[1] = message.length;
    this.#words[2] = this.#heap + ROW_BYTES;
    this.#exports.messages!(this.#heap, 1);
    for (let i = 0; i < DIGEST_BYTES; i++) out[i] = this.#bytes[ROW_BYTES + i]!;
  }

  #hashBlocks(messages: Uint8Array, lengths: Uint32Array, out: Uint8Array): void {
    let start = 0;
    for (let first = 0; first < lengths.length; ) {
      let bytes = lengths[first]!;
      let end = first + 1;
      while (
        end < lengths.length &&
        end - first < BLOCK_MESSAGES &&
        bytes + lengths[end]! <= BLOCK_MESSAGE_BYTES
      ) {
        bytes += lengths[end++]!;
      }
      const digests = this.#hashBlock(messages.subarray(start, start + bytes), lengths.subarray(first, end));
      out.set(digests, first * DIGEST_BYTES);
      start += bytes;
      first = end;
    }
  }

  hashRows(rows: Uint8Array, rowElements: number, out: Uint8Array): void {
    this.#load(rowElements);
    const total = out.length / DIGEST_BYTES;
    const rowBytes = total ? rows.length / total : 0;
    const perCall = Math.max(1, Math.min(BLOCK_PAIRS, Math.floor(BLOCK_ROW_BYTES / Math.max(1, rowBytes))));
    for (let first = 0; first < total; first += perCall) {
      const count = Math.min(perCall, total - first);
      const digests = count * DIGEST_BYTES;
      this.#ensure(digests + count * rowBytes);
      this.#bytes.set(rows.subarray(first * rowBytes, (first + count) * rowBytes), digests);
      this.#exports.rows!(this.#heap + digests, rowElements, this.#heap, count);
      out.set(this.#bytes.subarray(0, digests), first * DIGEST_BYTES);
    }
    if (this.#bytes.length > KEPT_BYTES) this.#instantiate();
  }

  /** Table, digests and messages one behind the other. */
  #hashBlock(messages: Uint8Array, lengths: Uint32Array): Digest {
    const count = lengths.length;
    const digests = count * ROW_BYTES;
    const content = digests + count * DIGEST_BYTES;
    this.#ensure(content + messages.length);
    this.#bytes.set(messages, content);
    const table = this.#words;
    let address = this.#heap + content;
    for (let i = 0; i < count; i++) {
      table[3 * i] = address;
      table[3 * i + 1] = lengths[i]!;
      table[3 * i + 2] = this.#heap + digests + i * DIGEST_BYTES;
      address += lengths[i]!;
    }
    this.#exports.messages!(this.#heap, count);
    return this.#bytes.subarray(digests, content);
  }

  /** Hands over the constants for rows of so many elements, unless the instance has them. */
  #load(rowElements: number): void {
    const constants = this.#constants?.(rowElements);
    if (!constants || constants === this.#loaded) return;
    this.#ensure(constants.length);
    this.#bytes.set(constants);
    this.#exports.load!(this.#heap, constants.length / CONSTANT_BYTES);
    this.#loaded = constants;
  }

  #instantiate(): void {
    this.#loaded = undefined;
    this.#bytes = new Uint8Array(0);
    this.#exports = new WebAssembly.Instance(this.#module).exports as unknown as Exports;
    this.#heap = this.#exports.heap.value as number;
    this.#ensure(BLOCK_PAIRS * PAIR_BYTES);
  }

  /** Makes room for `bytes` behind the heap's start. */
  #ensure(bytes: number): void {
    // The view ends where the memory does, and has no bytes once that has grown; asking the memory costs far more.
    if (bytes > 0 && bytes <= this.#bytes.length) return;
    const { memory } = this.#exports;
    const missing = this.#heap + bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    if (this.#bytes.buffer !== memory.buffer) {
      this.#bytes = new Uint8Array(memory.buffer as ArrayBuffer, this.#heap);
      this.#words = new Uint32Array(memory.buffer as ArrayBuffer, this.#heap);
    }
  }
}
