/** What the page asks of its worker: names, arguments, answers. All of it survives a message. */
import type { GpuAdapterInfo, HashId } from 'cambium';
import type { Report, ReportPoint, ReportProgress } from 'cambium/report';

/** Where a tree is hashed. */
export type Lane = 'cpu' | 'gpu';

/** What this browser offers. */
export interface Machine {
  /** Absent without an adapter; then `gpuRefused` says why. */
  readonly gpu?: GpuAdapterInfo;
  readonly gpuRefused?: string;
  readonly engine: string;
  readonly threads: number;
  /** Whether threads share memory. */
  readonly isolated: boolean;
}

/** Leaves that are made up, or those of a file. `format` is as for `cambium root --leaves`. */
export type LeavesArgs = { readonly count: number } | { readonly file: File; readonly format: string };

export interface GrowArgs {
  readonly hash: HashId;
  readonly lane: Lane;
  readonly leaves: LeavesArgs;
}

/** Steps of one tree, in order. */
export const PHASES = ['open', 'kernels', 'leaves', 'tree'] as const;
export type Phase = (typeof PHASES)[number];

/** `part` from 0 to 1; absent where nobody knows how long it takes. */
export interface GrowProgress {
  readonly phase: Phase;
  readonly part?: number;
}

/** One layer of a tree, as much of it as can be looked at. */
export interface LayerView {
  readonly nodes: number;
  /** `0x` and 64 digits. */
  readonly first: string;
  /** Two bytes of up to 512 nodes that stand at even distances. */
  readonly samples: Uint8Array<ArrayBuffer>;
}

export interface Grown {
  readonly root: string;
  readonly size: number;
  readonly depth: number;
  readonly seconds: Readonly<Record<Phase, number>>;
  /** What hashed, in words. */
  readonly engine: string;
  readonly hashes: number;
  readonly dispatches: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
  /** Leaves first. */
  readonly layers: readonly LayerView[];
}

/** A proof as the page holds it: every digest as `0x` and 64 digits. */
export interface ProofView {
  readonly index: number;
  readonly leaf: string;
  readonly siblings: readonly string[];
}

/** The tree that the page believes in: from the tree itself, never from a proof. */
export interface TrustedTree {
  readonly hash: HashId;
  readonly root: string;
  readonly depth: number;
  readonly size: number;
}

export interface Verdict {
  readonly valid: boolean;
  /** The nodes that the proof leads through, leaf first; absent where a digest is no element of the hash's field. */
  readonly path?: readonly string[];
  /** Why there is no path. */
  readonly refused?: string;
}

/** What to measure, and for about how long. */
export interface ReportArgs {
  readonly hashes: readonly HashId[];
  /** Default: those of the library. */
  readonly sizes?: readonly number[];
  /** Whether to measure trees that keep their nodes, too. */
  readonly trees: boolean;
  readonly budgetSeconds: number;
}

/** What a report tells while it is measured. */
export type ReportNews =
  | { readonly progress: ReportProgress }
  | { readonly hash: string; readonly point: ReportPoint };

/** Every task with its arguments, its answer, and what it tells meanwhile. */
export interface Tasks {
  machine: { args: undefined; answer: Machine; progress: never };
  grow: { args: GrowArgs; answer: Grown; progress: GrowProgress };
  prove: { args: { readonly index: number }; answer: ProofView; progress: never };
  verify: {
    args: { readonly tree: TrustedTree; readonly proof: ProofView };
    answer: Verdict;
    progress: never;
  };
  /** The proof as `cambium-proof/1`. */
  proofJson: {
    args: { readonly tree: TrustedTree; readonly proof: ProofView };
    answer: string;
    progress: never;
  };
  report: { args: ReportArgs; answer: Report; progress: ReportNews };
}

/** From the page: a task, or the end of one. */
export type Request = { readonly id: number; readonly name: keyof Tasks; readonly args: unknown };
export type Cancel = { readonly cancel: number };

/** From the worker, for the task `id`. */
export type Reply = { readonly id: number } & (
  | { readonly answer: unknown }
  | { readonly progress: unknown }
  | { readonly error: { readonly message: string; readonly code?: string } }
);
