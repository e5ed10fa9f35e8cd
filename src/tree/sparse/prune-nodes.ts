/**
 * Pruning of nodes that lie under their hash: a node can come back, so only a walk over all that is kept tells what is
 * needed.
 */
import { type Digest, toHex } from '../../bytes.js';
import { hasCode } from '../../errors.js';
import { readMany } from '../../store/read.js';
import { readIdentity } from '../identity.js';
import { keyPrefix } from '../keys.js';
import { type TreeContext, withDraft } from './context.js';
import { LEAF, NONE } from './draft.js';
import type { HashShelf } from './hash-shelf.js';
import { headsOf } from './heads.js';
import type { Sweeper } from './prune.js';
import type { State } from './shelf.js';

/** Nodes that are read at once. */
const AT_ONCE = 1024;

const IDENTITY_KIND = 0x69;

/** Removes every node of the store's hash that no kept state has, and no head of a tree of this layout. */
export async function pruneNodes(
  context: TreeContext,
  shelf: HashShelf,
  kept: readonly State[],
  sweeper: Sweeper,
): Promise<{ readonly roots: number; readonly nodes: number }> {
  const needed = new Set<string>();
  for (const { root } of [...kept, ...(await otherHeads(context, shelf))]) {
    if (root) await markNodes(context, root, needed);
  }
  let nodes = 0;
  for await (const [key, bytes] of context.store.iterate()) {
    if (!shelf.isNode(key, bytes) || needed.has(toHex(key))) continue;
    await sweeper.change({ del: key });
    nodes++;
  }
  await sweeper.flush();
  return { roots: 0, nodes };
}

/** What the heads of all trees of this layout in the store are at. */
async function otherHeads({ store }: TreeContext, shelf: HashShelf): Promise<State[]> {
  const states: State[] = [];
  for await (const [key] of store.iterate()) {
    const isIdentity = key.length > 2 && key.at(-1) === IDENTITY_KIND && key.at(-2) === 0;
    const name = isIdentity ? new TextDecoder().decode(key.subarray(0, -2)) : undefined;
    if (!name || name.includes('\0') || !(await isMonotree(store, name))) continue;
    const other = shelf.ofTree(keyPrefix(name), name);
    for await (const [, state] of headsOf({ shelf: other, store })) states.push(state);
  }
  const [bytes] = await readMany(store, [shelf.ofTree(keyPrefix('main'), 'main').headKey('main')]);
  if (bytes) states.push(shelf.decodeHead(bytes));
  return states;
}

async function isMonotree(store: TreeContext['store'], name: string): Promise<boolean> {
  try {
    const identity = await readIdentity(store, name);
    return identity?.tree === 'sparse' && identity.layout === 'monotree';
  } catch (error) {
    // A key of something else that looks like one of a tree's.
    if (hasCode(error, 'STORE_CORRUPT') || error instanceof RangeError) return false;
    throw error;
  }
}

/** Marks all nodes below a root. */
async function markNodes(context: TreeContext, root: Digest, needed: Set<string>): Promise<void> {
  const { shelf, store } = context;
  await withDraft(context, async (draft) => {
    const wanted = [shelf.open(draft, { root, version: 0, top: new Uint8Array(0) })];
    while (wanted.length) {
      const nodes: number[] = [];
      const keys: Digest[] = [];
      for (const node of wanted.splice(-AT_ONCE)) {
        const key = shelf.nodeKey(draft, node);
        if (needed.has(toHex(key))) continue;
        needed.add(toHex(key));
        nodes.push(node);
        keys.push(key);
      }
      const values = await readMany(store, keys);
      for (const [i, node] of nodes.entries()) {
        shelf.attach(draft, node, values[i]);
        for (const child of [draft.left[node]!, draft.right[node]!]) {
          if (child !== NONE && draft.state[child] !== LEAF) wanted.push(child);
        }
      }
    }
  });
}
