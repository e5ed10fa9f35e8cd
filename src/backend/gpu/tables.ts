/** Tables of hashes on a device: each is there once, whatever kernels and hashers read it, as long as the device is. */
import type { BuiltTable, GpuKernels } from '../../hash/types.js';
import { type TakeBuffer, Usage } from './buffer-pool.js';
import { compileKernel, type KernelTable } from './kernel.js';
import type { LiveDevice } from './live-device.js';
import { once } from './once.js';
import { GROUP } from './plan.js';
import { Recorder, uncounted } from './recorder.js';
import type { GpuBufferLike } from './types.js';

const known = new WeakMap<LiveDevice, WeakMap<object, Promise<GpuBufferLike>>>();

/** The buffer of a table, made when it is first asked for. */
function sharedTable(
  live: LiveDevice,
  table: object,
  make: () => Promise<GpuBufferLike>,
): Promise<GpuBufferLike> {
  const cache = known.get(live) ?? new WeakMap<object, Promise<GpuBufferLike>>();
  known.set(live, cache);
  return once(cache, table, make);
}

/**
 * The tables of a kernel, in the order of their bindings: those that the hash ships, and behind them one that the device
 * makes. Each is uploaded or made when it is asked for.
 */
export function deviceTables(
  live: LiveDevice,
  kernels: GpuKernels,
  shipped: readonly Uint8Array[],
  built: BuiltTable | undefined,
): KernelTable[] {
  const uploaded = shipped.map((table) => () => sharedTable(live, table, () => uploadTable(live, table)));
  if (!built) return uploaded;
  return [...uploaded, () => sharedTable(live, built, () => buildTable(live, kernels, built))];
}

async function createTable(live: LiveDevice, bytes: number): Promise<GpuBufferLike> {
  return await live.guard(`table of ${bytes} bytes`, () =>
    live.device.createBuffer({ label: 'cambium table', size: bytes, usage: Usage.input }),
  );
}

async function uploadTable(live: LiveDevice, table: Uint8Array): Promise<GpuBufferLike> {
  const buffer = await createTable(live, table.length);
  await live.guard(`table of ${table.length} bytes`, () => {
    live.device.queue.writeBuffer(buffer, 0, new Uint8Array(table));
    live.device.queue.submit([]);
  });
  return buffer;
}

/** Runs `build` on a seed, which is not kept. */
async function buildTable(live: LiveDevice, kernels: GpuKernels, table: BuiltTable): Promise<GpuBufferLike> {
  const { bytes, items } = table;
  const seed = await table.seed();
  const buffer = await createTable(live, bytes);
  try {
    const kernel = await compileKernel(live, 'build', kernels, []);
    await live.pool.borrow(async (take: TakeBuffer) => {
      const recorder = await Recorder.open(live, take, uncounted());
      const source = { buffer: await take('seed', Usage.nodes, seed.length), offset: 0, size: seed.length };
      recorder.upload(source.buffer, 0, seed);
      await recorder.dispatch({
        kernel,
        storage: [source, { buffer, offset: 0, size: bytes }],
        params: [items],
        groups: Math.ceil(items / GROUP),
        hashes: 0,
        cost: 0,
      });
      await recorder.flush();
      await live.settled('submit', live.device.queue.onSubmittedWorkDone());
    });
  } catch (error) {
    buffer.destroy();
    throw error;
  }
  return buffer;
}
