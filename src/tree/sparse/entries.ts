/**
 * What callers hand in, checked and brought into one form: 32-byte keys and leaves, one after the other.
 */
import { assertBytes, assertLength, assertMultiple, DIGEST_BYTES, type Digest } from '../../bytes.js';
import { KEY_BYTES } from './bits.js';
import type { MessageLayers } from './message-layer.js';

/**
 * One change of a batch. Key and leaf have 32 bytes; in the layouts `celestia` and `jmt` they are byte strings of any
 * length, and the leaf is the value itself.
 */
export type SparseOp =
  | {
      readonly put: Uint8Array;
      readonly leaf: Uint8Array;
      /** Bytes of yours to keep beside the leaf, for `value(key)`. */
      readonly value?: Uint8Array;
    }
  | { readonly del: Uint8Array };

/** Many byte strings: `n x 32` bytes, or an array. */
export type ByteStrings = Uint8Array | readonly Uint8Array[];

/** Changes in one form. */
export interface Entries {
  readonly count: number;
  /** `n x 32` bytes. */
  readonly keys: Digest;
  /** `n x 32` bytes, arbitrary where the entry is removed. */
  readonly leaves: Digest;
  /** 1 for removed entries; absent when there are none. */
  readonly removed?: Uint8Array;
  /** Bytes to keep beside leaves, by position. */
  readonly values: ReadonlyMap<number, Uint8Array>;
}

/** Whether the layout hashes keys and values of any length. */
export class EntryForm {
  readonly #layers: MessageLayers;
  readonly hashed: boolean;

  constructor(layers: MessageLayers, hashed: boolean) {
    this.#layers = layers;
    this.hashed = hashed;
  }

  /** The 32 bytes under which a key is in the tree. @throws {TypeError} @throws {RangeError} */
  path(key: Uint8Array, name = 'key'): Digest {
    if (!this.hashed) {
      assertLength(key, KEY_BYTES, name);
      return new Uint8Array(key);
    }
    assertBytes(key, name);
    return this.#layers.hasher.hash(key);
  }

  /** `n x 32` bytes of paths. @throws {TypeError} @throws {RangeError} */
  async paths(keys: ByteStrings): Promise<Digest> {
    return await this.#digests(this.strings(keys, 'keys'));
  }

  /** Checks and copies the changes of a batch. @throws {TypeError} @throws {RangeError} */
  fromOps(ops: readonly SparseOp[]): Entries | Promise<Entries> {
    if (!Array.isArray(ops)) throw new TypeError(`ops: expected an array, got ${typeof ops}`);
    const keys: Uint8Array[] = [];
    const leaves: Uint8Array[] = [];
    const values = new Map<number, Uint8Array>();
    let removed: Uint8Array | undefined;
    for (let i = 0; i < ops.length; i++) {
      const op = ops[i] as SparseOp;
      if (typeof op !== 'object' || op === null || 'put' in op === 'del' in op) {
        throw new TypeError(`ops[${i}]: expected { put, leaf } or { del }`);
      }
      if ('del' in op) {
        if (!this.#isRight(op.del)) this.#checked(op.del, `ops[${i}].del`);
        removed ??= new Uint8Array(ops.length);
        removed[i] = 1;
        keys.push(op.del);
        leaves.push(NO_LEAF);
        continue;
      }
      if (!this.#isRight(op.put)) this.#checked(op.put, `ops[${i}].put`);
      if (!this.#isRight(op.leaf)) this.#checked(op.leaf, `ops[${i}].leaf`);
      keys.push(op.put);
      leaves.push(op.leaf);
      if (op.value !== undefined || this.hashed) {
        values.set(i, this.#value(op.leaf, op.value, `ops[${i}].value`));
      }
    }
    return this.#entries(keys, leaves, values, removed);
  }

  /** Checks and copies keys with their leaves. @throws {TypeError} @throws {RangeError} */
  fromPairs(keys: ByteStrings, leaves: ByteStrings): Entries | Promise<Entries> {
    const [keyStrings, leafStrings] = [this.strings(keys, 'keys'), this.strings(leaves, 'leaves')];
    const [count, leafCount] = [keyStrings, leafStrings].map(countOf);
    if (count !== leafCount) {
      throw new RangeError(`leaves: expected as many as keys, ${count}, got ${leafCount}`);
    }
    const values = new Map<number, Uint8Array>();
    if (this.hashed) {
      const strings = leafStrings as readonly Uint8Array[];
      for (const [i, value] of strings.entries()) values.set(i, new Uint8Array(value));
    }
    return this.#entries(keyStrings, leafStrings, values, undefined);
  }

  /** Checks and copies keys to be removed. @throws {TypeError} @throws {RangeError} */
  async fromRemovals(keys: ByteStrings): Promise<Entries> {
    const paths = await this.paths(keys);
    const count = paths.length / KEY_BYTES;
    return {
      count,
      keys: paths,
      leaves: new Uint8Array(count * DIGEST_BYTES),
      removed: new Uint8Array(count).fill(1),
      values: new Map(),
    };
  }

  /** Byte strings of the length that the layout takes. */
  strings(strings: ByteStrings, name: string): ByteStrings {
    if (strings instanceof Uint8Array && !this.hashed) {
      assertMultiple(strings, KEY_BYTES, name);
      return strings;
    }
    if (!Array.isArray(strings)) {
      const wanted = this.hashed ? 'an array of byte arrays' : 'a Uint8Array, or an array of them';
      throw new TypeError(`${name}: expected ${wanted}, got ${typeof strings}`);
    }
    return (strings as readonly Uint8Array[]).map((bytes, i) => this.#checked(bytes, `${name}[${i}]`));
  }

  /** Whether nothing is wrong with it: names for messages are only made when something is. */
  #isRight(bytes: unknown): boolean {
    return bytes instanceof Uint8Array && (this.hashed || bytes.length === KEY_BYTES);
  }

  #checked(bytes: Uint8Array, name: string): Uint8Array {
    if (this.hashed) assertBytes(bytes, name);
    else assertLength(bytes, DIGEST_BYTES, name);
    return bytes;
  }

  #value(leaf: Uint8Array, value: Uint8Array | undefined, name: string): Uint8Array {
    if (value === undefined) return new Uint8Array(leaf);
    assertBytes(value, name);
    if (this.hashed) throw new TypeError(`${name}: in this layout the leaf is the value`);
    return new Uint8Array(value);
  }

  #entries(
    keys: ByteStrings,
    leaves: ByteStrings,
    values: Map<number, Uint8Array>,
    removed: Uint8Array | undefined,
  ): Entries | Promise<Entries> {
    const paths = this.#digests(keys);
    const digests = this.#digests(leaves);
    const form = (own: Digest, theirs: Digest): Entries => {
      const entries = { count: own.length / KEY_BYTES, keys: own, leaves: theirs, values };
      return removed ? { ...entries, removed } : entries;
    };
    if (!(paths instanceof Promise) && !(digests instanceof Promise)) return form(paths, digests);
    return Promise.all([paths, digests]).then(([own, theirs]) => form(own, theirs));
  }

  /** Copies byte strings behind each other, hashed where the layout does that. */
  #digests(strings: ByteStrings): Digest | Promise<Digest> {
    if (strings instanceof Uint8Array) return new Uint8Array(strings);
    let total = 0;
    for (const bytes of strings) total += bytes.length;
    const joined = new Uint8Array(total);
    let at = 0;
    for (const bytes of strings) {
      joined.set(bytes, at);
      at += bytes.length;
    }
    if (!this.hashed || strings.length === 0) return joined;
    return this.#layers.hash(
      joined,
      Uint32Array.from(strings, ({ length }) => length),
    );
  }
}

const NO_LEAF: Uint8Array = /* @__PURE__ */ new Uint8Array(DIGEST_BYTES);

function countOf(strings: ByteStrings): number {
  return strings instanceof Uint8Array ? strings.length / KEY_BYTES : strings.length;
}
