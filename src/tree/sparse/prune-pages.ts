/**
 * Pruning of pages: only those that commits have replaced are looked at, and those that a kept root reaches stay.
 */
import { toHex } from '../../bytes.js';
import { readMany } from '../../store/read.js';
import { commonBits } from './bits.js';
import { type TreeContext, withDraft } from './context.js';
import { type Draft, LEAF, NONE, REMOTE } from './draft.js';
import { keysUnder } from './heads.js';
import { pageDepth, unpack } from './page.js';
import { type PageAddress, type PageShelf, staleEntry, staleIn } from './page-shelf.js';
import type { Sweeper } from './prune.js';
import type { State } from './shelf.js';

/** A replaced page, and whether a kept root still has it. */
interface Candidate extends PageAddress {
  reached: boolean;
}

/** A node and the candidates that may lie below it. */
interface Below {
  readonly node: number;
  readonly among: readonly Candidate[];
}

/**
 * Removes roots, then pages, then what is known of these pages: who is interrupted has no root whose pages are gone, and
 * no page that nobody will look at again.
 */
export async function prunePages(
  context: TreeContext,
  shelf: PageShelf,
  kept: readonly State[],
  sweeper: Sweeper,
): Promise<{ readonly roots: number; readonly nodes: number }> {
  const { store } = context;
  const lists: { readonly key: Uint8Array; readonly pages: readonly Candidate[] }[] = [];
  for await (const [key, entry] of store.iterate(keysUnder(shelf.stalePrefix()))) {
    lists.push({ key, pages: staleIn(entry).map((address) => ({ ...address, reached: false })) });
  }
  const candidates = lists.flatMap(({ pages }) => pages);
  for (const state of kept) await markReached(context, state, candidates);

  const keptKeys = new Set(kept.map(({ root }) => root && toHex(shelf.rootKey(root))));
  let roots = 0;
  for await (const [key] of store.iterate(keysUnder(shelf.rootPrefix()))) {
    if (keptKeys.has(toHex(key))) continue;
    await sweeper.change({ del: key });
    roots++;
  }
  await sweeper.flush();
  for (const page of candidates) if (!page.reached) await sweeper.change({ del: shelf.pageKey(page) });
  await sweeper.flush();
  for (const { key, pages } of lists) {
    const left = pages.filter(({ reached }) => reached);
    if (left.length === pages.length) continue;
    await sweeper.change(left.length ? { put: key, value: staleEntry(left) } : { del: key });
  }
  await sweeper.flush();
  return { roots, nodes: candidates.filter(({ reached }) => !reached).length };
}

/** Marks the candidates that are pages of a state, reading only pages that have candidates below them. */
async function markReached(
  { store, shelf, spare }: TreeContext,
  state: State,
  candidates: readonly Candidate[],
): Promise<void> {
  await withDraft({ spare }, async (draft) => {
    let wanted: Below[] = [];
    descend(draft, { node: shelf.open(draft, state), among: candidates }, wanted);
    while (wanted.length) {
      const keys = wanted.map(({ node }) => shelf.nodeKey(draft, node));
      const pages = await readMany(store, keys);
      const next: Below[] = [];
      for (const [i, below] of wanted.entries()) {
        shelf.attach(draft, below.node, pages[i]);
        descend(draft, below, next);
      }
      wanted = next;
    }
  });
}

/** Follows the nodes of a page to the pages below. */
function descend(draft: Draft, { node, among }: Below, wanted: Below[]): void {
  if (node === NONE || draft.state[node] === LEAF) return;
  const { pool } = draft;
  const bit = draft.bit[node]!;
  const depth = pageDepth(bit);
  const keyAt = draft.keyAt[node]!;
  const below = among.filter(
    (page) => page.depth >= depth && commonBits(pool, keyAt, page.prefix, 0, 0, depth) === depth,
  );
  if (below.length === 0) return;
  if (draft.state[node] === REMOTE) {
    for (const page of below) {
      if (page.depth === depth && page.version === draft.version[node]) page.reached = true;
    }
    const deeper = below.filter((page) => page.depth > depth);
    if (deeper.length) wanted.push({ node, among: deeper });
    return;
  }
  unpack(draft, node);
  descend(draft, { node: draft.left[node]!, among: below }, wanted);
  descend(draft, { node: draft.right[node]!, among: below }, wanted);
}
