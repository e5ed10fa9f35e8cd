/** What the pool and its workers say to each other. */
import type { Recipe } from './recipe.js';
import type { Request } from './request.js';

export type ToWorker =
  /** First message. With `ring`, work comes through shared memory, else by `work` messages. */
  | {
      readonly type: 'start';
      readonly worker: number;
      readonly workers: number;
      readonly ring?: { readonly slots: number; readonly buffer: SharedArrayBuffer };
      /** Whether to post a message when a slot of the ring is done: a window cannot wait otherwise. */
      readonly report: boolean;
      /** Announcements so far, this message not counted. */
      readonly announced: number;
    }
  | { readonly type: 'engine'; readonly key: number; readonly recipe: Recipe }
  | { readonly type: 'drop'; readonly key: number }
  | {
      readonly type: 'work';
      readonly slot: number;
      readonly request: Request;
      readonly input: ArrayBuffer;
    };

export type FromWorker =
  | { readonly type: 'started' }
  | { readonly type: 'finished' }
  /** Without `output`, the work failed. */
  | { readonly type: 'done'; readonly slot: number; readonly output?: ArrayBuffer };
