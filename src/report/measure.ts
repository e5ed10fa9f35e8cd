/** The whole report: every hash, every size, every lane, within a time budget. */

import { platform } from '#platform';
import { describeAdapter } from '../backend/gpu/adapter.js';
import type { GpuLike } from '../backend/gpu/types.js';
import { CambiumError, throwIfAborted } from '../errors.js';
import { type HashId, hashes, hashSpec } from '../hash/registry.js';
import { describeGpu } from './describe.js';
import { GpuClock } from './gpu-clock.js';
import { isDeviceFailure, LANES } from './lanes.js';
import { type MeasureContext, measureHash } from './measure-hash.js';
import { measureTreeCase } from './measure-trees.js';
import { type TreeCase, treeCases } from './tree-cases.js';
import {
  type HashReport,
  REPORT_FORMAT,
  type Report,
  type ReportAdapter,
  type ReportMachine,
  type ReportOptions,
  type TreePoint,
} from './types.js';

const SIZES: readonly number[] = [10, 12, 14, 16, 18, 20, 22].map((power) => 2 ** power);
const BUDGET_SECONDS = 120;
/** Part of the budget that is kept for the trees. */
const TREE_SHARE = 0.15;

/**
 * Measures layers, whole trees and trees that keep their nodes, on one CPU thread, on all of them, and on the GPU.
 *
 * Lanes run by turns, and their outputs are compared before anything is timed. Runs in Node, Deno, and in the pages and
 * workers of browsers. Give it a machine that does nothing else.
 *
 * @throws {TypeError} or {RangeError} for an unknown hash, and sizes or a budget that are none.
 * @throws {CambiumError} `ABORTED`; `CROSS_CHECK_MISMATCH` where two lanes disagree, which is a bug or a broken GPU.
 * @example
 * ```ts
 * const report = await measureReport({ hashes: ['sha256'], budgetSeconds: 20, onProgress: ({ now }) => console.log(now) });
 * download(JSON.stringify(report));
 * ```
 */
export async function measureReport(options: ReportOptions = {}): Promise<Report> {
  const wanted = checkOptions(options);
  const { signal, onProgress, budgetSeconds = BUDGET_SECONDS } = options;
  const began = performance.now();
  const { clock, adapter, gpuRefused } = await openClock(options);
  try {
    const context: MeasureContext = {
      wanted: options.lanes ?? LANES,
      sizes: options.sizes ?? SIZES,
      clock,
      adapter: describeGpu(adapter ? { gpu: adapter } : {}) ?? '',
      signal,
      onPoint: options.onPoint,
    };
    const cases = options.trees === false ? [] : treeCases();
    const total = wanted.length + cases.length;
    const left = (): number => budgetSeconds - (performance.now() - began) / 1000;
    const forTrees = cases.length ? TREE_SHARE * budgetSeconds : 0;
    const hashReports: HashReport[] = [];
    for (const [done, hash] of wanted.entries()) {
      throwIfAborted(signal);
      onProgress?.({ done, total, now: hash });
      const share = (left() - forTrees) / (wanted.length - done);
      // The first is measured in any case: an empty report helps nobody.
      hashReports.push(done > 0 && share <= 0 ? notMeasured(hash) : await measureHash(hash, context, share));
    }
    const trees: TreePoint[] = [];
    for (const [i, one] of cases.entries()) {
      if (left() <= 0) break;
      onProgress?.({ done: wanted.length + i, total, now: `${one.name}, ${one.hash}` });
      trees.push(...(await measureWithOrWithoutGpu(one, context)));
    }
    onProgress?.({ done: total, total, now: 'done' });
    return {
      format: REPORT_FORMAT,
      date: new Date().toISOString(),
      ...(options.version !== undefined && { version: options.version }),
      ...(options.commit !== undefined && { commit: options.commit }),
      machine: options.machine ?? thisMachine(),
      ...(adapter && { adapter }),
      ...(gpuRefused !== undefined && { gpuRefused }),
      seconds: (performance.now() - began) / 1000,
      budgetSeconds,
      hashes: hashReports,
      trees,
    };
  } finally {
    clock?.close();
  }
}

/** A GPU that fails at a tree must not cost what the CPU makes of it. */
async function measureWithOrWithoutGpu(one: TreeCase, context: MeasureContext): Promise<TreePoint[]> {
  try {
    return await measureTreeCase(one, context);
  } catch (error) {
    if (!isDeviceFailure(error) || !context.clock) throw error;
    return await measureTreeCase(one, { ...context, wanted: context.wanted.filter((id) => id !== 'gpu') });
  }
}

const notMeasured = (hash: HashId): HashReport => ({
  hash,
  lanes: [],
  compile: [],
  points: [],
  failures: LANES.map((lane) => ({ lane, reason: 'the time was up' })),
});

function checkOptions({ hashes: ids, sizes, lanes, budgetSeconds }: ReportOptions): readonly HashId[] {
  for (const id of ids ?? []) hashSpec(id);
  for (const lane of lanes ?? []) {
    if (!LANES.includes(lane)) throw new RangeError(`lanes: expected ${LANES.join(', ')}, got ${lane}`);
  }
  if (budgetSeconds !== undefined && !(budgetSeconds > 0)) {
    throw new RangeError(`budgetSeconds: expected a number above 0, got ${budgetSeconds}`);
  }
  if (sizes) {
    if (sizes.length === 0) throw new RangeError('sizes: expected at least one, got none');
    sizes.forEach((size, i) => {
      const power = Number.isSafeInteger(size) && size >= 2 && Number.isInteger(Math.log2(size));
      if (!power || (i > 0 && size <= sizes[i - 1]!)) {
        throw new RangeError(`sizes: expected ascending powers of two from 2 on, got ${sizes.join(', ')}`);
      }
    });
  }
  return (ids as readonly HashId[] | undefined) ?? [...hashes.keys()];
}

interface OpenedClock {
  readonly clock?: GpuClock;
  readonly adapter?: ReportAdapter;
  readonly gpuRefused?: string;
}

/** The GPU, where one is wanted and there. */
async function openClock({ lanes, gpu, driver }: ReportOptions): Promise<OpenedClock> {
  if (lanes && !lanes.includes('gpu')) return { gpuRefused: 'not asked for' };
  const found = gpu ? { gpu } : await platform.openGpu();
  if ('missing' in found) return { gpuRefused: found.missing };
  if (!('requestAdapter' in found.gpu)) {
    if (gpu) throw new TypeError('gpu: expected a WebGPU entry point');
    return { gpuRefused: 'this host has no requestAdapter' };
  }
  try {
    const clock = await GpuClock.open(found.gpu as GpuLike);
    const adapter: ReportAdapter = {
      ...describeAdapter(clock.device.adapterInfo, false),
      ...(driver !== undefined && { driver }),
      timestamps: clock.timestamps,
    };
    return { clock, adapter };
  } catch (error) {
    if (!(error instanceof CambiumError)) throw error;
    return { gpuRefused: `${error.code}: ${error.message}` };
  }
}

declare const navigator: { readonly userAgent?: string } | undefined;

/** What any runtime tells of itself. */
function thisMachine(): ReportMachine {
  const agent = (typeof navigator === 'object' && navigator.userAgent) || 'unknown';
  return { cpu: 'unknown', cores: platform.cores, runtime: agent };
}
