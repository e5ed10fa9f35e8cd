/** One hash on one device: its kernels, checked, and how fast they are. */
import { CambiumError, hasCode } from '../../errors.js';
import type { BuiltTable, GpuKernels } from '../../hash/types.js';
import type { Backend } from '../types.js';
import type { CanonicalCheck } from './check.js';
import { compileKernel, type HashOnGpu, type Kernel, type KernelName } from './kernel.js';
import type { LiveDevice } from './live-device.js';
import { once } from './once.js';
import { chunkLeavesFor } from './plan.js';
import type { RecorderOptions } from './recorder.js';
import { measureRate, testCheck, testMessages, testPairs, testRows, testTop } from './self-test.js';
import { deviceTables } from './tables.js';

/** GPU time that one submit may take: far below every watchdog, far above what a submit costs. */
const SUBMIT_SECONDS = 0.1;
/** Fewer hashes are never worth a submit. */
const LEAST_PER_SUBMIT = 64;

export interface Session {
  readonly live: LiveDevice;
  readonly hash: HashOnGpu;
  readonly pairs: Kernel;
  /** Absent for hashes of bytes. */
  readonly check: CanonicalCheck | undefined;
  readonly hashesPerSubmit: number;
  readonly chunkLeaves: number;
}

/** Options for the recorder of a job. */
export function jobOptions(
  session: Session,
  counters: Backend['counters'],
  signal: AbortSignal | undefined,
): RecorderOptions {
  return { hashesPerSubmit: session.hashesPerSubmit, counters, signal };
}

const sessions = new WeakMap<LiveDevice, WeakMap<GpuKernels, Promise<Session>>>();
const topKernels = new WeakMap<Session, Promise<Kernel | undefined>>();
const messageKernels = new WeakMap<Session, Promise<Kernel>>();
/** By the tables that depend on the length of a row: that length itself, or the table that the device makes. */
const rowKernels = new WeakMap<Session, Map<unknown, Promise<Kernel>>>();

/** Tables that a kernel reads: what its hash ships for it, and one that the device makes. */
interface KernelTables {
  readonly shipped: readonly Uint8Array[];
  readonly built?: BuiltTable | undefined;
}

const tablesOf = ({ tables = [], built }: GpuKernels): KernelTables => ({
  shipped: tables,
  built: built?.pairs(),
});

/** Compiles a kernel and has it pass its test. */
async function checkedKernel(
  live: LiveDevice,
  hash: HashOnGpu,
  name: KernelName,
  test: (live: LiveDevice, hash: HashOnGpu, kernel: Kernel) => Promise<boolean>,
  { shipped, built }: KernelTables = tablesOf(hash.kernels),
): Promise<Kernel> {
  const tables = deviceTables(live, hash.kernels, shipped, built);
  const kernel = await compileKernel(live, name, hash.kernels, tables);
  if (await test(live, hash, kernel)) return kernel;
  throw new CambiumError(
    'KERNEL_SELF_TEST',
    `${hash.id}: kernel ${name} computes wrong digests on this device`,
  );
}

/**
 * Opens a hash on a device; kernels and figures are shared by all who ask, and so is a kernel's failure.
 *
 * @throws {CambiumError} `KERNEL_COMPILE`, `KERNEL_SELF_TEST`, `OUT_OF_DEVICE_MEMORY`, `DEVICE_LOST`.
 */
export function openSession(live: LiveDevice, hash: HashOnGpu): Promise<Session> {
  const cache = sessions.get(live) ?? new WeakMap<GpuKernels, Promise<Session>>();
  sessions.set(live, cache);
  return once(cache, hash.kernels, async () => {
    const pairs = await checkedKernel(live, hash, 'pairs', testPairs);
    const { input } = hash;
    const check =
      input === 'bytes' || !hash.kernels.check
        ? undefined
        : { kernel: await checkedKernel(live, hash, 'check', testCheck, { shipped: [] }), input };
    const rate = await measureRate(live, pairs);
    return {
      live,
      hash,
      pairs,
      check,
      hashesPerSubmit: Math.max(LEAST_PER_SUBMIT, Math.floor(rate * SUBMIT_SECONDS)),
      chunkLeaves: chunkLeavesFor(live.limits),
    };
  });
}

/** The fused top, compiled when the first tree asks for it; absent where this device refuses it, or gets its barriers wrong. */
export async function topKernel(session: Session): Promise<Kernel | undefined> {
  const { live, hash } = session;
  if (hash.kernels.top === undefined) return undefined;
  return await once(topKernels, session, async () => {
    try {
      return await checkedKernel(live, hash, 'top', testTop);
    } catch (error) {
      if (hasCode(error, 'KERNEL_SELF_TEST') || hasCode(error, 'KERNEL_COMPILE')) return undefined;
      throw error;
    }
  });
}

/**
 * The kernel for messages, compiled when the first job asks for it.
 *
 * @throws {TypeError} when the hash takes no bytes. @throws {CambiumError} as {@link openSession}.
 */
export async function messagesKernel(session: Session): Promise<Kernel> {
  const { live, hash } = session;
  if (hash.kernels.messages === undefined || !hash.engine.hashMessages) {
    throw new TypeError(`messages: ${hash.id} has no form for bytes on the GPU`);
  }
  return await once(messageKernels, session, () => checkedKernel(live, hash, 'messages', testMessages));
}

/**
 * The kernel for rows of so many elements, compiled when the first job asks for it.
 *
 * @throws {TypeError} when the hash takes no rows. @throws {CambiumError} as {@link openSession}.
 */
export async function rowsKernel(session: Session, rowElements: number): Promise<Kernel> {
  const { live, hash } = session;
  const { rows, rowTables, tables = [], built } = hash.kernels;
  if (rows === undefined || !hash.engine.hashRows) {
    throw new TypeError(`leaves: ${hash.id} hashes no rows of elements on the GPU`);
  }
  const cache = rowKernels.get(session) ?? new Map<unknown, Promise<Kernel>>();
  rowKernels.set(session, cache);
  const table = built?.rows(rowElements);
  return await once(cache, table ?? (rowTables ? rowElements : 0), () => {
    if (!rowTables && !table) return checkedKernel(live, hash, 'rows', testRows);
    const shipped = [...tables, ...(rowTables?.(rowElements) ?? [])];
    return checkedKernel(live, hash, 'rows', (...test) => testRows(...test, rowElements), {
      shipped,
      built: table,
    });
  });
}
