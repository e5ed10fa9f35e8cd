/** A value held as a tree, of which only what changes is hashed again. */
import type { Digest } from '../bytes.js';
import type { Hasher } from '../hasher.js';
import { SerialQueue } from '../tree/queue.js';
import { append, assign } from './edit.js';
import type { Path } from './gindex.js';
import { checkGindices } from './gindex-set.js';
import type { KeptNode } from './node.js';
import {
  multiproofAt,
  type Place,
  placeGindex,
  proofAt,
  rootNode,
  type SszMultiproof,
  type SszProof,
} from './proof.js';
import { rehash } from './rehash.js';
import type { Serialized } from './serialized.js';
import type { SszType, SszValue } from './types.js';
import { run, type Work } from './work.js';

/**
 * The hashes of a value: roots and proofs after each change cost the pairs above what changed, a pair once for any number
 * of changes.
 *
 * The tree keeps hashes and the bytes that it was opened with, not the value: who needs the value keeps it beside. Calls
 * queue. After a failure of the hasher every call rejects with the same error.
 *
 * @example
 * ```ts
 * const tree = await ssz.SszTree.open(hasher, stateType, ssz.serialized(bytes));
 * await tree.set(['balances', 7], 32_000_000_000n);
 * await tree.push(['validators'], validator);
 * await tree.root();
 * ```
 */
export class SszTree {
  readonly type: SszType;
  readonly #hasher: Hasher;
  readonly #queue = new SerialQueue();
  #root: KeptNode;
  #failure: unknown;

  private constructor(hasher: Hasher, type: SszType, root: KeptNode) {
    this.#hasher = hasher;
    this.type = type;
    this.#root = root;
  }

  /**
   * Hashes a value, or {@link serialized} bytes, which must not change while the tree is in use.
   *
   * @throws {TypeError} or {RangeError} for a value that is not of the type.
   * @throws {CambiumError} `MALFORMED` for bytes that encode no value of the type; what the hasher throws.
   */
  static async open(hasher: Hasher, type: SszType, value: SszValue | Serialized): Promise<SszTree> {
    return new SszTree(hasher, type, await run(hasher, rootNode(type, value)));
  }

  /** The root, 32 bytes. */
  async root(): Promise<Digest> {
    return await this.#run(function* (root) {
      yield* rehash(root);
      return new Uint8Array(root.digest);
    });
  }

  /**
   * Replaces a field, an element, a byte or a bit; an empty path replaces the whole value.
   *
   * @throws {TypeError} or {RangeError} for a path to nothing that is there, the option of a union (which is replaced as
   *   a whole), or a value that is not of the part's type; nothing has changed then.
   */
  async set(path: Path, value: SszValue): Promise<void> {
    const { type } = this;
    if (path.length) return await this.#run((root) => assign(root, type, path, value));
    await this.#queue.run(async () => {
      this.#root = await run(this.#hasher, rootNode(type, value));
    });
  }

  /**
   * Adds an element, byte or bit to the list at the path.
   *
   * @throws {TypeError} or {RangeError} for a path to no list, a full list, or a value that is not of the element's type;
   *   nothing has changed then.
   */
  async push(path: Path, value: SszValue): Promise<void> {
    await this.#run((root) => append(root, this.type, path, value));
  }

  /** Proves what stands at a place. @throws {TypeError} or {RangeError} for a place that the value does not have. */
  async prove(place: Place): Promise<SszProof> {
    const gindex = placeGindex(this.type, place);
    return await this.#run(function* (root) {
      yield* rehash(root);
      return yield* proofAt(root, gindex);
    });
  }

  /** Proves what stands at several places. @throws what `createMultiproof` throws about places. */
  async proveMany(places: readonly Place[]): Promise<SszMultiproof> {
    const gindices = places.map((place) => placeGindex(this.type, place));
    checkGindices(gindices);
    return await this.#run(function* (root) {
      yield* rehash(root);
      return yield* multiproofAt(root, gindices);
    });
  }

  async #run<T>(work: (root: KeptNode) => Work<T>): Promise<T> {
    return await this.#queue.run(async () => {
      if (this.#failure !== undefined) throw this.#failure;
      try {
        return await run(this.#hasher, work(this.#root));
      } catch (error) {
        // Arguments are refused before anything changes; whatever else breaks off leaves digests that are not known.
        if (!(error instanceof TypeError || error instanceof RangeError)) this.#failure = error;
        throw error;
      }
    });
  }
}
