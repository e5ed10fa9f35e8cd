/**
 * Hashes of trees that hash every level of a path, as celestia's and Jellyfish do: a subtree of one leaf is that leaf,
 * and above a subtree of several stands a node for each bit of depth, with an empty subtree beside it where there is
 * no branch.
 */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import { throwIfAborted } from '../../errors.js';
import { bitAt, copyBytes, KEY_BYTES } from './bits.js';
import { type Draft, LEAF, NONE } from './draft.js';
import { countingSort } from './hash-nodes.js';
import type { MessageLayers } from './message-layer.js';

/** What tells the layouts of this kind apart. */
export interface LevelsFormat {
  /** Stands before `path || hash of the value`. */
  readonly leafTag: Uint8Array;
  /** Stands before `left || right`. */
  readonly innerTag: Uint8Array;
  /** Digest of an empty subtree. */
  readonly empty: Digest;
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Celestia's sparse Merkle tree. */
export const CELESTIA: LevelsFormat = /* @__PURE__ */ Object.freeze({
  leafTag: /* @__PURE__ */ Uint8Array.of(0),
  innerTag: /* @__PURE__ */ Uint8Array.of(1),
  empty: /* @__PURE__ */ new Uint8Array(DIGEST_BYTES),
});

/** The Jellyfish Merkle tree, its inner tag spelled as it is. */
export const JMT: LevelsFormat = /* @__PURE__ */ Object.freeze({
  leafTag: /* @__PURE__ */ ascii('JMT::LeafNode'),
  innerTag: /* @__PURE__ */ ascii('JMT::IntrnalNode'),
  empty: /* @__PURE__ */ new Uint8Array(/* @__PURE__ */ ascii('SPARSE_MERKLE_PLACEHOLDER_HASH__')),
});

/** The message that hashes to a leaf or to an inner node. */
export function levelMessage(tag: Uint8Array, first: Uint8Array, second: Uint8Array): Digest {
  const message = new Uint8Array(tag.length + 2 * DIGEST_BYTES);
  message.set(tag);
  message.set(first, tag.length);
  message.set(second, tag.length + DIGEST_BYTES);
  return message;
}

/** Computes the hashes of all nodes that are dirty, and the root above `top`: its address in the pool. */
export async function hashLevels(
  layers: MessageLayers,
  format: LevelsFormat,
  draft: Draft,
  top: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const plan = new Plan(draft, format);
  const root = plan.raise(top, 0);
  await plan.run(layers, signal);
  return root;
}

/** The hashes to be made: two inputs and an output, as addresses in the pool. */
class Plan {
  readonly #draft: Draft;
  readonly #format: LevelsFormat;
  readonly #emptyAt: number;
  readonly #first: number[] = [];
  readonly #second: number[] = [];
  readonly #out: number[] = [];
  /** 1 for inputs that are already there. */
  readonly #height: number[] = [];
  readonly #isLeaf: boolean[] = [];
  /** Of the digest that {@link raise} returned last: 0 when it is already there. */
  #reached = 0;

  constructor(draft: Draft, format: LevelsFormat) {
    this.#draft = draft;
    this.#format = format;
    this.#emptyAt = draft.keep(format.empty);
  }

  /** The digest of a node as it stands at `depth`, which is at most where it branches. */
  raise(node: number, depth: number): number {
    const draft = this.#draft;
    this.#reached = 0;
    if (node === NONE) return this.#emptyAt;
    if (draft.state[node] === LEAF) return this.#step(draft.keyAt[node]!, draft.hashAt[node]!, 0, true);
    if (draft.dirty[node]) {
      const below = draft.bit[node]! + 1;
      const left = this.raise(draft.left[node]!, below);
      const height = this.#reached;
      const right = this.raise(draft.right[node]!, below);
      draft.hashAt[node] = this.#step(left, right, Math.max(height, this.#reached), false);
      draft.dirty[node] = 0;
    }
    let at = draft.hashAt[node]!;
    for (let level = draft.bit[node]! - 1; level >= depth; level--) {
      const isRight = bitAt(draft.pool, draft.keyAt[node]!, level);
      at = isRight
        ? this.#step(this.#emptyAt, at, this.#reached, false)
        : this.#step(at, this.#emptyAt, this.#reached, false);
    }
    return at;
  }

  /** Makes all hashes, those of one height together. */
  async run(layers: MessageLayers, signal: AbortSignal | undefined): Promise<void> {
    const count = this.#out.length;
    const all = Uint32Array.from({ length: count }, (_, i) => i);
    const highest = this.#height.reduce((most, height) => Math.max(most, height), 0);
    const { order, ends } = countingSort(all, highest + 1, (i) => this.#height[i]!);
    for (let height = 1; height <= highest; height++) {
      throwIfAborted(signal);
      const steps = order.subarray(ends[height - 1], ends[height]);
      const { messages, lengths } = this.#messages(steps);
      const hashing = layers.hash(messages, lengths, signal);
      const digests = hashing instanceof Promise ? await hashing : hashing;
      for (let i = 0; i < steps.length; i++) {
        copyBytes(digests, i * DIGEST_BYTES, this.#draft.pool, this.#out[steps[i]!]!, DIGEST_BYTES);
      }
    }
  }

  #step(first: number, second: number, below: number, isLeaf: boolean): number {
    const out = this.#draft.allocate(DIGEST_BYTES);
    this.#first.push(first);
    this.#second.push(second);
    this.#out.push(out);
    this.#isLeaf.push(isLeaf);
    this.#reached = below + 1;
    this.#height.push(this.#reached);
    return out;
  }

  #messages(steps: Uint32Array): { messages: Digest; lengths: Uint32Array } {
    const { leafTag, innerTag } = this.#format;
    const { pool } = this.#draft;
    const longest = Math.max(leafTag.length, innerTag.length) + KEY_BYTES + DIGEST_BYTES;
    const messages = new Uint8Array(steps.length * longest);
    const lengths = new Uint32Array(steps.length);
    let at = 0;
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]!;
      const tag = this.#isLeaf[step] ? leafTag : innerTag;
      messages.set(tag, at);
      copyBytes(pool, this.#first[step]!, messages, at + tag.length, DIGEST_BYTES);
      copyBytes(pool, this.#second[step]!, messages, at + tag.length + DIGEST_BYTES, DIGEST_BYTES);
      lengths[i] = tag.length + 2 * DIGEST_BYTES;
      at += lengths[i]!;
    }
    return { messages: messages.subarray(0, at), lengths };
  }
}
