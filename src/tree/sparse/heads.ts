/**
 * Heads, and the versions of their commits: a tree can have several heads, and no two commits of any of them may have
 * the same version.
 */
import { readMany } from '../../store/read.js';
import type { TreeContext } from './context.js';
import { MONOTREE_HEAD_KEY } from './hash-shelf.js';
import type { Shelf, State } from './shelf.js';

/** Commits of one head; the number of the head stands above them. */
const HEAD_COMMITS = 2 ** 36;

/** The version after `before`; a head that has none yet gets a number of its own. */
export function nextVersion(context: TreeContext, before: State): number | Promise<number> {
  if (context.layout === 'monotree') return 0;
  return before.version > 0 ? before.version + 1 : firstVersion(context);
}

async function firstVersion(context: TreeContext): Promise<number> {
  let heads = 0;
  for await (const [, { version }] of headsOf(context)) {
    heads = Math.max(heads, 1 + Math.floor(version / HEAD_COMMITS));
  }
  return heads * HEAD_COMMITS + 1;
}

/** Names of all heads of a tree with what they are at. */
export async function* headsOf({
  shelf,
  store,
}: {
  readonly shelf: Shelf;
  readonly store: TreeContext['store'];
}): AsyncGenerator<[string, State]> {
  const main = shelf.headKey('main');
  if (main.length === MONOTREE_HEAD_KEY.length && main.every((byte, i) => byte === MONOTREE_HEAD_KEY[i])) {
    const [bytes] = await readMany(store, [main]);
    if (bytes) yield ['main', shelf.decodeHead(bytes)];
  }
  const first = shelf.headPrefix();
  for await (const [key, bytes] of store.iterate(keysUnder(first))) {
    yield [new TextDecoder().decode(key.subarray(first.length)), shelf.decodeHead(bytes)];
  }
}

/** All keys that are longer than a prefix and begin with it; its last byte is an ASCII character. */
export function keysUnder(prefix: Uint8Array): { readonly gt: Uint8Array; readonly lt: Uint8Array } {
  const end = prefix.slice();
  end[end.length - 1]!++;
  return { gt: prefix, lt: end };
}
