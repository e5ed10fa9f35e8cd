/**
 * Versions: a tree can have several heads, and no two commits of any of them may have the same version.
 */
import type { Digest } from '../../bytes.js';
import { readVersion } from './page.js';
import type { State } from './shelf.js';
import type { TreeContext } from './view.js';

/** Commits of one head; the number of the head stands above them. */
const HEAD_COMMITS = 2 ** 36;

/** The version after `before`; a head that has none yet gets a number of its own. */
export async function nextVersion(context: TreeContext, before: State): Promise<number> {
  if (context.layout === 'monotree') return 0;
  if (before.version > 0) return before.version + 1;
  let heads = 0;
  for await (const [, bytes] of headsOf(context)) {
    heads = Math.max(heads, 1 + Math.floor(readVersion(bytes, 0) / HEAD_COMMITS));
  }
  return heads * HEAD_COMMITS + 1;
}

/** Names of all heads in the store with what is stored for them. */
export async function* headsOf({ shelf, store }: TreeContext): AsyncGenerator<[string, Digest]> {
  // The shortest key of a head is that of the head without a name, which there is not.
  const first = shelf.headPrefix();
  const end = first.slice();
  end[end.length - 1]!++;
  for await (const [key, bytes] of store.iterate({ gt: first, lt: end })) {
    yield [new TextDecoder().decode(key.subarray(first.length)), bytes];
  }
}
