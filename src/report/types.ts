/** The report as it is kept and exchanged: plain JSON. Times are in seconds. */
import type { GpuAdapterInfo } from '../backend/gpu/adapter.js';

/** Name and version of the JSON form. */
export const REPORT_FORMAT = 'cambium-report/1';

/** What was measured: one thread, all threads, the GPU. */
export type LaneId = 'cpu-1' | 'cpu-all' | 'gpu';

/** What figures depend on besides the library. */
export interface ReportMachine {
  /** For example `AMD EPYC 9754`; in a browser its user agent. */
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB?: number;
  readonly os?: string;
  /** For example `Node v24.1.0`. */
  readonly runtime: string;
}

/** The adapter of the lane `gpu`. */
export interface ReportAdapter extends GpuAdapterInfo {
  /** The kernel driver, where the host knows it. */
  readonly driver?: string;
  /** Whether the device offers timestamp queries. */
  readonly timestamps: boolean;
}

/** Times of several rounds. */
export interface Spread {
  readonly median: number;
  /** Median absolute deviation from the median. */
  readonly mad: number;
  readonly rounds: number;
}

/** Where the time of a GPU run goes. */
export interface Phases {
  /** Time in kernels by the device's own clock; absent where it gave none that can be believed. */
  readonly kernel?: Spread;
  /** Why `kernel` is absent. */
  readonly kernelRefused?: string;
  /** The same number of bytes written to the device, nothing else. */
  readonly upload: Spread;
  /** The same number of bytes read back, nothing else. */
  readonly readback: Spread;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

/** One size on one lane. */
export interface ReportPoint {
  /** `layer`: pairs of digests to digests. `tree`: leaves to their root. */
  readonly work: 'layer' | 'tree';
  readonly lane: LaneId;
  /** Digests that go in. */
  readonly leaves: number;
  /** Hashes of one run. */
  readonly hashes: number;
  /** Bytes that go in. */
  readonly bytes: number;
  /** From the call until its result is in memory. */
  readonly total: Spread;
  /** GPU only. */
  readonly phases?: Phases;
}

/**
 * From which size the GPU wins, against the faster of the CPU lanes, total against total.
 *
 * - `at`: it loses with `above` leaves and wins with `leaves`, both measured, and with all larger ones measured
 * - `always`: it wins at every size measured, `leaves` is the least; `never`: it loses at the largest, `leaves`
 */
export type Crossover =
  | { readonly kind: 'at'; readonly leaves: number; readonly above: number }
  | { readonly kind: 'always' | 'never'; readonly leaves: number };

/** Something that could not be measured, and why. */
export interface ReportFailure {
  readonly lane: LaneId;
  readonly reason: string;
}

/** One hash. */
export interface HashReport {
  readonly hash: string;
  /** Engines by lane, for example `wasm simd, 8 threads`. */
  readonly lanes: readonly { readonly lane: LaneId; readonly engine: string }[];
  /** Compilation of each pipeline, from text to something that runs. */
  readonly compile: readonly { readonly kernel: string; readonly seconds: number }[];
  readonly points: readonly ReportPoint[];
  /** Absent where the GPU or the CPU was not measured. */
  readonly crossover?: { readonly layer?: Crossover; readonly tree?: Crossover };
  readonly failures: readonly ReportFailure[];
}

/** A batch of work on one of the trees that keep their nodes. */
export interface TreePoint {
  /** For example `append-only tree, sha256: 4096 leaves`. */
  readonly name: string;
  readonly hash: string;
  readonly lane: LaneId;
  /** Leaves, values or objects of one batch. */
  readonly items: number;
  readonly total: Spread;
}

/** A library measured beside ours, in one process and by turns. */
export interface PeerPoint {
  readonly case: string;
  readonly contender: string;
  readonly peer: string;
  readonly unit: string;
  /** Seconds a unit. */
  readonly median: number;
  readonly mad: number;
  /** The peer's median over the contender's. */
  readonly ratio: number;
}

/** What a GPU compiler makes of a kernel, without running it. */
export interface KernelFigure {
  readonly kernel: string;
  readonly unit: string;
  /** By GPU family. */
  readonly cycles: Readonly<Record<string, number>>;
}

/** A report. */
export interface Report {
  readonly format: typeof REPORT_FORMAT;
  /** ISO 8601. */
  readonly date: string;
  /** Of this library. */
  readonly version?: string;
  readonly commit?: string;
  readonly machine: ReportMachine;
  /** Absent without a GPU; then `gpuRefused` says why. */
  readonly adapter?: ReportAdapter;
  readonly gpuRefused?: string;
  /** How long it took, and how long it was allowed to take. */
  readonly seconds: number;
  readonly budgetSeconds: number;
  readonly hashes: readonly HashReport[];
  readonly trees: readonly TreePoint[];
  readonly peers?: readonly PeerPoint[];
  readonly kernels?: readonly KernelFigure[];
}

/** How far a report is. */
export interface ReportProgress {
  /** Hashes and tree cases that are measured. */
  readonly done: number;
  readonly total: number;
  /** What is being measured, in words. */
  readonly now: string;
}

/** What {@link measureReport} measures; every field is optional. */
export interface ReportOptions {
  /** Ids of hashes; default all of the registry. */
  readonly hashes?: readonly string[];
  /** Digests of a layer, leaves of a tree, ascending powers of two; default 2^10, 2^12, ... 2^22. */
  readonly sizes?: readonly number[];
  /** What to measure on; default all. */
  readonly lanes?: readonly LaneId[];
  /** Whether to measure trees that keep their nodes; default true. */
  readonly trees?: boolean;
  /** Seconds after which no further size is begun; default 120. Every hash gets an equal share of what is left. */
  readonly budgetSeconds?: number;
  /** The WebGPU entry point; default the host's own. */
  readonly gpu?: object;
  /** Named in the report; default: what the runtime tells. */
  readonly machine?: ReportMachine;
  readonly version?: string;
  readonly commit?: string;
  /** The GPU's driver. */
  readonly driver?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ReportProgress) => void;
  /** Told of each point of a hash as it is measured, for charts that grow. */
  readonly onPoint?: (hash: string, point: ReportPoint) => void;
}
