/** GPU backends for tests: checked against node:crypto, on adapters that can be made worse than they are. */

import { type GpuOpenOptions, type OpenGpu, openGpuBackend } from '../../src/backend/gpu/index.ts';
import type { GpuAdapterLike, GpuDeviceLike, GpuLike, GpuLimitsLike } from '../../src/backend/gpu/types.ts';
import type { Padding } from '../../src/backend/types.ts';
import { hashSpec } from '../../src/hash/registry.ts';
import { messageBlocks } from '../../src/hash/sha256.ts';
import type { HashSpec } from '../../src/hash/types.ts';
import { platform } from '../../src/node/platform.ts';
import { sha256 } from './naive-tree.ts';

/** The CPU side of the self-tests: OpenSSL. */
export const engine: GpuOpenOptions['engine'] = {
  hashPairs(nodes, out) {
    for (let i = 0; i < out.length / 32; i++) out.set(sha256(nodes.slice(64 * i, 64 * i + 64)), 32 * i);
  },
  hashMessages(messages, lengths, out) {
    let at = 0;
    lengths.forEach((length, i) => {
      out.set(sha256(messages.slice(at, at + length)), 32 * i);
      at += length;
    });
  },
};

/** SHA-256 on the GPU; a test without an adapter fails here. */
export async function openSha256(gpu?: GpuLike | GpuDeviceLike, spec?: HashSpec): Promise<OpenGpu> {
  const opened = await tryOpen(gpu, spec);
  if ('refused' in opened) throw new Error(`no GPU for this test: ${opened.refused}`);
  return opened;
}

/** The same, with the refusal where there is one. */
export function tryOpen(
  gpu?: GpuLike | GpuDeviceLike,
  spec: HashSpec = hashSpec('sha256'),
): ReturnType<typeof openGpuBackend> {
  return openGpuBackend(spec, { engine, messageBlocks, gpu });
}

/** Dawn's entry point. */
export async function dawn(): Promise<GpuLike> {
  const found = await platform.openGpu();
  if ('missing' in found) throw new Error(found.missing);
  return found.gpu as GpuLike;
}

/** The object with some members replaced; everything else goes to the original. */
export function altered<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (key in members) return members[key as keyof T];
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Dawn, whose devices pass through `alter`; `limits` are what the adapter and its devices claim to offer. */
export async function alteredGpu(
  alter: (device: GpuDeviceLike) => GpuDeviceLike,
  limits: Partial<GpuLimitsLike> = {},
): Promise<GpuLike> {
  const gpu = await dawn();
  const claim = (real: GpuLimitsLike): GpuLimitsLike => altered(real, limits);
  return altered(gpu, {
    async requestAdapter(options) {
      const adapter = (await gpu.requestAdapter(options))!;
      return altered<GpuAdapterLike>(adapter, {
        limits: claim(adapter.limits),
        async requestDevice(descriptor) {
          const device = await adapter.requestDevice(descriptor);
          return alter(altered(device, { limits: claim(device.limits) }));
        },
      });
    },
  });
}

/** Bytes that follow from their number of them and a seed. */
export function noise(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 48271) + 11) >>> 0;
    return state >>> 23;
  });
}

/** All levels above `leaves`, by the rule of the padding. */
export function levelsByRule(leaves: Uint8Array, levels: number, padding: Padding): Uint8Array[] {
  const all = [leaves];
  let zero: Uint8Array = new Uint8Array(32);
  for (let k = 0; k < levels; k++) {
    const below = all[k]!;
    const count = below.length / 32;
    const above = new Uint8Array(Math.ceil(count / 2) * 32);
    for (let i = 0; i < count; i += 2) {
      const left = below.subarray(32 * i, 32 * i + 32);
      const right = below.subarray(32 * i + 32, 32 * i + 64);
      if (right.length) above.set(sha256(left, right), 16 * i);
      else above.set(padding === 'promote' ? left : sha256(left, padding === 'zero' ? zero : left), 16 * i);
    }
    all.push(above);
    zero = sha256(zero, zero);
  }
  return all;
}

/** Zero digests of levels 0 to `levels`. */
export function zeroDigests(levels: number): Uint8Array<ArrayBuffer>[] {
  const zeros = [new Uint8Array(32)];
  while (zeros.length <= levels) zeros.push(sha256(zeros.at(-1)!, zeros.at(-1)!));
  return zeros;
}
