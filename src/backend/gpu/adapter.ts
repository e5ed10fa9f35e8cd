/** Finding an adapter, and telling hardware from software. */
import { CambiumError } from '../../errors.js';
import type { GpuAdapterInfoLike, GpuAdapterLike, GpuLike } from './types.js';

/** What is known of an adapter; browsers leave texts empty. */
export interface GpuAdapterInfo {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** Whether it is a CPU in disguise. */
  readonly software: boolean;
}

/** SwiftShader, Mesa's llvmpipe, and Windows' WARP. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render driver|\bwarp\b/i;

/** Some drivers never answer; everyone who does answers far faster. */
const ANSWER_MS = 8_000;

/** Turns what an adapter says of itself into plain text. */
export function describeAdapter(info: GpuAdapterInfoLike | undefined, fallback: boolean): GpuAdapterInfo {
  const { vendor = '', architecture = '', device = '', description = '' } = info ?? {};
  const software =
    fallback ||
    info?.isFallbackAdapter === true ||
    SOFTWARE.test([vendor, architecture, device, description].join(' '));
  return { vendor, architecture, device, description, software };
}

/**
 * The value of `pending`, unless it takes too long.
 *
 * @throws {CambiumError} `BACKEND_UNAVAILABLE` when it rejects or does not settle within some seconds.
 */
export async function answered<T>(
  what: string,
  pending: Promise<T>,
  milliseconds: number = ANSWER_MS,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([pending, late]);
  } catch (cause) {
    throw new CambiumError('BACKEND_UNAVAILABLE', `${what}: ${(cause as Error)?.message}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The adapter of a WebGPU entry point, the fast one where there is a choice.
 *
 * @throws {CambiumError} `BACKEND_UNAVAILABLE` when there is none, or the host throws, or never answers.
 */
export async function findAdapter(gpu: GpuLike): Promise<GpuAdapterLike> {
  const request = async (): Promise<GpuAdapterLike | null> =>
    await gpu.requestAdapter({ powerPreference: 'high-performance' });
  const adapter = await answered('requestAdapter', request());
  if (!adapter) throw new CambiumError('BACKEND_UNAVAILABLE', 'requestAdapter: this host has no adapter');
  return adapter;
}
