/**
 * How complete nodes lie in a store.
 *
 * A node is stored once all its leaves are there, and never changes again. A page holds a subtree of `PAGE_LEVELS`
 * levels without its top node, in the order in which appending completes the nodes: it only ever grows at its end, and
 * a path reads one page for that many levels.
 */
import { DIGEST_BYTES, type Digest, digestAt } from '../bytes.js';
import { CambiumError } from '../errors.js';
import type { StoreOp } from '../store/types.js';
import { positionKey } from './keys.js';
import { copyDigest, DIGEST_WORDS, wordsOf } from './node-words.js';

/** Levels of one page: 126 nodes, 4032 bytes. */
export const PAGE_LEVELS = 6;

const PAGE_BOTTOM = 2 ** PAGE_LEVELS;

/** A node of the tree: level 0 are the leaves. */
export interface NodeAt {
  readonly level: number;
  readonly index: bigint;
}

/** Nodes of one level that an append completed or changed. */
export interface Layer {
  /** Index of the first one. */
  readonly first: bigint;
  /** `n x 32` bytes, aligned to words. */
  readonly nodes: Digest;
}

/** Where a page is: `bottom` is the level of its lowest nodes, `index` counts pages from the left. */
export interface PageAt {
  readonly bottom: number;
  readonly index: bigint;
}

export function pageKey(prefix: Uint8Array, { bottom, index }: PageAt): Digest {
  return positionKey(prefix, 'p', bottom, index);
}

/** The page that holds a node. */
export function pageOf({ level, index }: NodeAt): PageAt {
  const within = level % PAGE_LEVELS;
  return { bottom: level - within, index: index >> BigInt(PAGE_LEVELS - within) };
}

/** A node out of its page. @throws {CambiumError} `STORE_CORRUPT` when the page is missing or too short. */
export function nodeFromPage(page: Uint8Array | undefined, node: NodeAt): Digest {
  const within = node.level % PAGE_LEVELS;
  const width = 1n << BigInt(PAGE_LEVELS - within);
  const at = POSITIONS[within]![Number(node.index % width)]!;
  if (!page || page.length < (at + 1) * DIGEST_BYTES) {
    throw new CambiumError('STORE_CORRUPT', `node ${node.index} of level ${node.level} is missing`);
  }
  return digestAt(page, at).slice() as Digest;
}

/** Pages that exist already and that an append from `from` to `to` leaves will make longer. */
export function pagesToExtend(from: bigint, to: bigint, depth: number): PageAt[] {
  const pages: PageAt[] = [];
  for (let bottom = 0; bottom <= depth; bottom += PAGE_LEVELS) {
    const [before, after] = [from >> BigInt(bottom), to >> BigInt(bottom)];
    if (before === after) break;
    if (before % BigInt(PAGE_BOTTOM)) pages.push({ bottom, index: before >> BigInt(PAGE_LEVELS) });
  }
  return pages;
}

/** What an append from `from` to `to` leaves asks a store to write. */
export interface PageChanges {
  readonly prefix: Uint8Array;
  readonly from: bigint;
  readonly to: bigint;
  /** Levels 0 to the depth. */
  readonly layers: readonly Layer[];
  /** Contents of {@link pagesToExtend}, in its order. */
  readonly extended: readonly (Uint8Array | undefined)[];
}

/** All pages that the append makes or lengthens. @throws {CambiumError} `STORE_CORRUPT` when one is not as long as it must be. */
export function pageOps({ prefix, from, to, layers, extended }: PageChanges): StoreOp[] {
  const ops: StoreOp[] = [];
  const old = [...extended];
  for (let bottom = 0; bottom < layers.length; bottom += PAGE_LEVELS) {
    const [before, after] = [from >> BigInt(bottom), to >> BigInt(bottom)];
    if (before === after) break;
    const levels = layers.slice(bottom, bottom + PAGE_LEVELS);
    const words = levels.map(({ nodes }) => wordsOf(nodes));
    const last = (after - 1n) >> BigInt(PAGE_LEVELS);
    for (let index = before >> BigInt(PAGE_LEVELS); index <= last; index++) {
      const start = index << BigInt(PAGE_LEVELS);
      const had = before > start ? Number(before - start) : 0;
      const has = after - start < PAGE_BOTTOM ? Number(after - start) : PAGE_BOTTOM;
      const page = new Uint8Array(nodesInPage(has) * DIGEST_BYTES);
      const pageWords = wordsOf(page);
      if (had) keepOld(page, old.shift(), had, { bottom, index });
      for (const [within, { first }] of levels.entries()) {
        const skipped = Number((start >> BigInt(within)) - first);
        for (let i = had >> within; i < has >> within; i++) {
          const from = (skipped + i) * DIGEST_WORDS;
          copyDigest(words[within]!, from, pageWords, POSITIONS[within]![i]! * DIGEST_WORDS);
        }
      }
      ops.push({ put: pageKey(prefix, { bottom, index }), value: page });
    }
  }
  return ops;
}

function keepOld(page: Uint8Array, old: Uint8Array | undefined, had: number, at: PageAt): void {
  if (old?.length !== nodesInPage(had) * DIGEST_BYTES) {
    throw new CambiumError(
      'STORE_CORRUPT',
      `page ${at.index} of level ${at.bottom} has ${old?.length ?? 'no'} bytes`,
    );
  }
  page.set(old);
}

/** Nodes that `leaves` nodes at a page's bottom complete: every one of them, every pair, and so on below the top. */
function nodesInPage(leaves: number): number {
  return completedBy(leaves) - (leaves === PAGE_BOTTOM ? 1 : 0);
}

/** How many nodes are complete, on all levels together, when `leaves` leaves are there. */
function completedBy(leaves: number): number {
  let complete = 0;
  for (let width = leaves; width > 0; width >>= 1) complete += width;
  return complete;
}

/**
 * `POSITIONS[k][i]` is where node `i` of a page's level `k` lies: it is complete with its last leaf, and the levels
 * above it that are complete with the same leaf follow behind it.
 */
const POSITIONS: readonly (readonly number[])[] = /* @__PURE__ */ Array.from(
  { length: PAGE_LEVELS },
  (_, within) =>
    Array.from({ length: PAGE_BOTTOM >> within }, (_, index) => {
      const leaves = (index + 1) << within;
      const heightDone = 31 - Math.clz32(leaves & -leaves);
      return completedBy(leaves) - 1 - (heightDone - within);
    }),
);
