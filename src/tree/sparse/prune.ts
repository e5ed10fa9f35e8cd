/**
 * Removal of what no root needs any more that is to be kept.
 */
import { concatBytes, DIGEST_BYTES, equalBytes } from '../../bytes.js';
import { throwIfAborted } from '../../errors.js';
import type { StoreOp } from '../../store/types.js';
import { singleKey } from '../keys.js';
import { KEY_BYTES } from './bits.js';
import { getLeaves, type TreeContext } from './context.js';
import { HashShelf } from './hash-shelf.js';
import { headsOf, keysUnder } from './heads.js';
import type { PageShelf } from './page-shelf.js';
import { pruneNodes } from './prune-nodes.js';
import { prunePages } from './prune-pages.js';
import type { State } from './shelf.js';

/** Removals of one commit: bounds the memory of a pruning, and each commit leaves a whole tree. */
const BATCH = 4096;

/** Values that are looked for at once. */
const VALUES_AT_ONCE = 1024;

/** What a pruning removed. */
export interface PruneResult {
  /** Roots that cannot be read any more; 0 in the layout `monotree`, which keeps no list of them. */
  readonly roots: number;
  /** Pages; in the layout `monotree` nodes. */
  readonly nodes: number;
  /** Bytes that were kept beside leaves. */
  readonly values: number;
}

/** Makes changes in commits of a bounded size. */
export class Sweeper {
  readonly #context: TreeContext;
  readonly #signal: AbortSignal | undefined;
  #ops: StoreOp[] = [];

  constructor(context: TreeContext, signal: AbortSignal | undefined) {
    this.#context = context;
    this.#signal = signal;
  }

  async change(op: StoreOp): Promise<void> {
    this.#ops.push(op);
    if (this.#ops.length >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    throwIfAborted(this.#signal);
    const ops = this.#ops;
    this.#ops = [];
    if (ops.length) await this.#context.store.commit(ops);
  }
}

/** Removes all that neither the heads of a tree nor the states to be kept need. */
export async function pruneTree(
  context: TreeContext,
  asked: readonly State[],
  signal: AbortSignal | undefined,
): Promise<PruneResult> {
  const kept = [...asked];
  for await (const [, state] of headsOf(context)) kept.push(state);
  const sweeper = new Sweeper(context, signal);
  const { shelf } = context;
  const pruned =
    shelf instanceof HashShelf
      ? await pruneNodes(context, shelf, kept, sweeper)
      : await prunePages(context, shelf as PageShelf, kept, sweeper);
  return { ...pruned, values: await pruneValues(context, kept, sweeper) };
}

/** Removes the bytes beside leaves that no kept root has under their key. */
async function pruneValues(context: TreeContext, kept: readonly State[], sweeper: Sweeper): Promise<number> {
  let removed = 0;
  const check = async (keys: readonly Uint8Array[]): Promise<void> => {
    const leafOf = (key: Uint8Array): Uint8Array => key.subarray(-DIGEST_BYTES);
    const paths = concatBytes(...keys.map((key) => key.subarray(-KEY_BYTES - DIGEST_BYTES, -DIGEST_BYTES)));
    const used = new Uint8Array(keys.length);
    for (const state of kept) {
      const leaves = await getLeaves(context, state, paths);
      for (const [i, leaf] of leaves.entries()) if (leaf && equalBytes(leaf, leafOf(keys[i]!))) used[i] = 1;
    }
    for (const [i, key] of keys.entries()) {
      if (used[i]) continue;
      await sweeper.change({ del: key });
      removed++;
    }
  };
  let keys: Uint8Array[] = [];
  for await (const [key] of context.store.iterate(keysUnder(singleKey(context.prefix, 'v')))) {
    keys.push(key);
    if (keys.length < VALUES_AT_ONCE) continue;
    await check(keys);
    keys = [];
  }
  if (keys.length) await check(keys);
  await sweeper.flush();
  return removed;
}
