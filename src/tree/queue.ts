import type { NodeStore } from '../store/types.js';

/** Runs jobs one after the other, in the order in which they came. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as `job` does, which starts once all earlier jobs have settled. */
  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => {});
    return result;
  }
}

type Queues = WeakMap<NodeStore, Map<string, SerialQueue>>;

const writers: Queues = /* @__PURE__ */ new WeakMap();
const commits: Queues = /* @__PURE__ */ new WeakMap();

function queueOf(queues: Queues, store: NodeStore, name: string): SerialQueue {
  const ofStore = queues.get(store) ?? new Map<string, SerialQueue>();
  queues.set(store, ofStore);
  const queue = ofStore.get(name) ?? new SerialQueue();
  ofStore.set(name, queue);
  return queue;
}

/** The queue of all who write the tree of this name in this store, so that two handles on one tree take turns. */
export function writersOf(store: NodeStore, name: string): SerialQueue {
  return queueOf(writers, store, name);
}

/**
 * The queue of that tree's commits and of reads that must not see two of its states: short jobs, so that no reader
 * waits while a writer hashes.
 */
export function commitsOf(store: NodeStore, name: string): SerialQueue {
  return queueOf(commits, store, name);
}
