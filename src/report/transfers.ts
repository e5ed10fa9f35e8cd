/** Upload and readback by themselves: so many bytes to the device, or from it, and nothing else. */
import { BufferUsage, type GpuBufferLike, type GpuDeviceLike, MAP_READ } from '../backend/gpu/types.js';
import type { Timed } from './timing.js';

/** The library moves no more at once either. */
const PIECE_BYTES = 2 ** 25;

/** Transfers of a size, and the buffers that they use. */
export interface Transfers {
  readonly upload: Timed;
  readonly readback: Timed;
  close(): void;
}

/** @param bytesUp @param bytesDown multiples of 4. */
export function openTransfers(device: GpuDeviceLike, bytesUp: number, bytesDown: number): Transfers {
  const make = (bytes: number, usage: number): GpuBufferLike =>
    device.createBuffer({
      label: 'cambium transfer',
      size: Math.max(4, Math.min(bytes, PIECE_BYTES)),
      usage,
    });
  const target = make(bytesUp, BufferUsage.STORAGE | BufferUsage.COPY_DST);
  const source = make(bytesDown, BufferUsage.STORAGE | BufferUsage.COPY_SRC);
  const mapped = make(bytesDown, BufferUsage.MAP_READ | BufferUsage.COPY_DST);
  const host = new Uint8Array(target.size);
  return {
    upload: {
      async run() {
        for (let left = bytesUp; left > 0; left -= PIECE_BYTES) {
          device.queue.writeBuffer(target, 0, host, 0, Math.min(left, target.size));
          device.queue.submit([]);
        }
        await device.queue.onSubmittedWorkDone();
      },
    },
    readback: {
      async run() {
        for (let left = bytesDown; left > 0; left -= PIECE_BYTES) {
          const size = Math.min(left, mapped.size);
          const encoder = device.createCommandEncoder({ label: 'cambium transfer' });
          encoder.copyBufferToBuffer(source, 0, mapped, 0, size);
          device.queue.submit([encoder.finish()]);
          await mapped.mapAsync(MAP_READ, 0, size);
          mapped.getMappedRange(0, size).slice(0);
          mapped.unmap();
        }
      },
    },
    close() {
      for (const buffer of [target, source, mapped]) buffer.destroy();
    },
  };
}
