/** Opening the GPU side of a hash. */
import { platform } from '#platform';
import type { Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import type { HashSpec } from '../../hash/types.js';
import type { Backend, SyncEngine } from '../types.js';
import type { GpuAdapterInfo } from './adapter.js';
import { GpuBackend } from './backend.js';
import type { GpuDeviceLike, GpuLike } from './types.js';

export type { GpuAdapterInfo };

export interface GpuOpenOptions {
  /** The CPU code that self-tests compare with. */
  readonly engine: Pick<SyncEngine, 'hashPairs' | 'hashMessages' | 'hashRows'>;
  /** Compressions that a message of `length` bytes costs; absent for hashes without a byte form. */
  readonly messageBlocks?: ((length: number) => number) | undefined;
  /** Default: the host's own WebGPU. */
  readonly gpu?: GpuLike | GpuDeviceLike | undefined;
}

/** A hash opened on a GPU. */
export interface OpenGpu {
  readonly backend: Backend;
  readonly info: GpuAdapterInfo;
  readonly software: boolean;
  /** Names the adapter, for figures that depend on it. */
  readonly adapterKey: string;
  /** Bytes of a buffer on the user's device. */
  read(buffer: object, byteOffset: number, byteLength: number): Promise<Digest>;
}

/**
 * Opens a hash on a GPU, or says why that is not possible; software adapters are opened too, and marked.
 *
 * @returns `refused` with the reason, and the error behind it, where there is no GPU, or it fails its self-test.
 * @throws {TypeError} when `gpu` is neither a WebGPU entry point nor a device.
 */
export async function openGpuBackend(
  spec: HashSpec,
  options: GpuOpenOptions,
): Promise<OpenGpu | { readonly refused: string; readonly error: CambiumError }> {
  try {
    const gpu = options.gpu ?? (await hostGpu());
    if (!spec.gpu) throw unavailable(`${spec.id} has no GPU kernels`);
    if (!('requestAdapter' in gpu || 'createBuffer' in gpu)) {
      if (options.gpu) throw new TypeError('gpu: expected a WebGPU entry point or a device');
      throw unavailable('this host has no requestAdapter');
    }
    const { engine, messageBlocks } = options;
    const hash = { id: spec.id, input: spec.input, kernels: await spec.gpu(), engine, messageBlocks };
    const { backend, session } = await GpuBackend.open(gpu, hash);
    const { info } = session.live;
    return {
      backend,
      info,
      software: info.software,
      adapterKey: [info.vendor, info.architecture, info.device, info.description].join(' '),
      read: (buffer, byteOffset, byteLength) => backend.read(buffer, byteOffset, byteLength),
    };
  } catch (error) {
    if (!(error instanceof CambiumError)) throw error;
    return { refused: `${error.code}: ${error.message}`, error };
  }
}

const unavailable = (why: string): CambiumError => new CambiumError('BACKEND_UNAVAILABLE', why);

async function hostGpu(): Promise<GpuLike> {
  const found = await platform.openGpu();
  if ('missing' in found) throw unavailable(found.missing);
  return found.gpu as GpuLike;
}
