/** Devices: one per WebGPU entry point and process, shared by all hashers that use it. */
import { CambiumError } from '../../errors.js';
import { answered, describeAdapter, findAdapter } from './adapter.js';
import { LiveDevice } from './live-device.js';
import type { GpuAdapterLike, GpuDeviceLike, GpuLike } from './types.js';

/** A share of a device. */
export interface DeviceLease {
  readonly live: LiveDevice;
  /** Gives the share back; the last one destroys the device, unless it is the user's. */
  release(): void;
}

interface Shared {
  readonly live: Promise<LiveDevice>;
  users: number;
  forget(): void;
}

/** More than the default limits only where a user's own buffers are large; chunks fit the defaults. */
const WANTED_BYTES = 2 ** 30;

const shared = new Map<GpuLike, Shared>();
const given = new WeakMap<GpuDeviceLike, LiveDevice>();
/** Dawn crashes the process when an entry point is collected while one of its devices lives, so they are held. */
const entryPoints = new Set<GpuLike>();

/** Whether this is a device rather than an entry point. */
export function isDevice(gpu: GpuLike | GpuDeviceLike): gpu is GpuDeviceLike {
  return 'createBuffer' in gpu;
}

/**
 * A share of the device of `gpu`, opened if need be; a user's own device is taken as it is, and never replaced.
 *
 * @throws {CambiumError} `BACKEND_UNAVAILABLE` when there is no adapter or no device; `DEVICE_LOST` when the user's is lost.
 */
export async function acquireDevice(gpu: GpuLike | GpuDeviceLike): Promise<DeviceLease> {
  if (isDevice(gpu)) return { live: await userDevice(gpu), release() {} };
  const entry = shared.get(gpu) ?? shareDevice(gpu);
  entry.users++;
  const live = await entry.live;
  return {
    live,
    release() {
      if (--entry.users > 0) return;
      entry.forget();
      live.device.destroy();
    },
  };
}

/** Opens the device of an entry point; it is found by others until it is lost or given back. */
function shareDevice(gpu: GpuLike): Shared {
  const entry: Shared = {
    live: openDevice(gpu),
    users: 0,
    forget() {
      if (shared.get(gpu) === entry) shared.delete(gpu);
    },
  };
  shared.set(gpu, entry);
  entry.live.then((live) => live.device.lost.then(entry.forget), entry.forget);
  return entry;
}

async function userDevice(device: GpuDeviceLike): Promise<LiveDevice> {
  let live = given.get(device);
  if (!live) {
    live = new LiveDevice(device, describeAdapter(device.adapterInfo, false));
    given.set(device, live);
    // A device that was lost before it came here says so in a microtask.
    await Promise.race([device.lost, Promise.resolve()]);
  }
  if (live.lost) throw live.lost;
  return live;
}

async function openDevice(gpu: GpuLike): Promise<LiveDevice> {
  entryPoints.add(gpu);
  const adapter = await findAdapter(gpu);
  const request = async (): Promise<GpuDeviceLike> =>
    await adapter.requestDevice({ label: 'cambium', requiredLimits: limitsFor(adapter) });
  const device = await answered('requestDevice', request());
  if (!device) throw new CambiumError('BACKEND_UNAVAILABLE', 'requestDevice: the adapter gave no device');
  return new LiveDevice(device, describeAdapter(adapter.info, adapter.isFallbackAdapter === true));
}

function limitsFor(adapter: GpuAdapterLike): Record<string, number> {
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  return {
    maxBufferSize: Math.min(maxBufferSize, WANTED_BYTES),
    maxStorageBufferBindingSize: Math.min(maxStorageBufferBindingSize, WANTED_BYTES),
  };
}
