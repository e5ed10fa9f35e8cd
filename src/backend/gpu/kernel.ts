/** Compute pipelines: compiled once per device and text, without blocking. */
import type { GpuKernels, HashInput } from '../../hash/types.js';
import type { SyncEngine } from '../types.js';
import type { LiveDevice } from './live-device.js';
import { once } from './once.js';
import { GROUP } from './plan.js';
import { COMPUTE_STAGE, type GpuBufferLike, type GpuHandle } from './types.js';

/** Kernels by their entry point; what each binds in `@group(0)`, in order. */
const BINDINGS = {
  pairs: ['read-only-storage', 'storage', 'uniform'],
  top: ['read-only-storage', 'storage', 'uniform'],
  check: ['read-only-storage', 'storage', 'uniform'],
  build: ['read-only-storage', 'storage', 'uniform'],
  rows: ['read-only-storage', 'storage', 'uniform'],
  messages: ['read-only-storage', 'storage', 'uniform', 'read-only-storage', 'storage'],
} as const;

export type KernelName = keyof typeof BINDINGS;

/** Where every kernel has its parameters: a slot of a buffer, chosen by a dynamic offset. */
export const PARAMS_BINDING = 2;
/** Distance of the slots: the largest alignment that a device may ask for. */
export const PARAMS_STRIDE = 256;

/** A hash's kernels and the CPU code that they are checked against. */
export interface HashOnGpu {
  readonly id: string;
  readonly input: HashInput;
  readonly kernels: GpuKernels;
  readonly engine: Pick<SyncEngine, 'hashPairs' | 'hashMessages' | 'hashRows'>;
  readonly messageBlocks: ((length: number) => number) | undefined;
}

/** A compiled kernel. */
export interface Kernel {
  readonly name: KernelName;
  /** Items that a workgroup works on. */
  readonly perGroup: number;
  readonly pipeline: GpuHandle;
  /** Layout of `@group(0)`. */
  readonly layout: GpuHandle;
  /** `@group(1)`: the hash's tables, where it has any. */
  readonly tables: GpuHandle | undefined;
}

/** Brings a table to the device, or finds it there. */
export type KernelTable = () => Promise<GpuBufferLike>;

/** What the same text compiles to, whatever tables it then reads. */
interface Program {
  readonly pipeline: GpuHandle;
  readonly layout: GpuHandle;
  readonly tablesLayout: GpuHandle;
}

const programs = new WeakMap<LiveDevice, Map<string, Promise<Program>>>();

/**
 * A kernel with its tables. Its text is compiled once per device.
 *
 * @param tables what it reads in `@group(1)`.
 * @throws {CambiumError} `KERNEL_COMPILE` with the compiler's words; `OUT_OF_DEVICE_MEMORY`; `DEVICE_LOST`.
 */
export async function compileKernel(
  live: LiveDevice,
  name: KernelName,
  kernels: GpuKernels,
  tables: readonly KernelTable[],
): Promise<Kernel> {
  const cache = programs.get(live) ?? new Map<string, Promise<Program>>();
  programs.set(live, cache);
  const code = kernels[name]!;
  const { pipeline, layout, tablesLayout } = await once(cache, `${name} ${tables.length} ${code}`, () =>
    compileProgram(live, name, code, tables.length),
  );
  return {
    name,
    perGroup: (name === 'pairs' && kernels.pairsPerGroup) || GROUP,
    pipeline,
    layout,
    tables: tables.length ? await bindTables(live, name, tablesLayout, tables) : undefined,
  };
}

async function compileProgram(
  live: LiveDevice,
  name: KernelName,
  code: string,
  tables: number,
): Promise<Program> {
  const { device } = live;
  const label = `cambium ${name}`;
  const compute = { visibility: COMPUTE_STAGE };
  const { pipeline, ...layouts } = await live.guard(
    `kernel ${name}`,
    () => {
      const layout = device.createBindGroupLayout({
        label,
        entries: BINDINGS[name].map((type, binding) => ({
          ...compute,
          binding,
          buffer: { type, hasDynamicOffset: type === 'uniform' },
        })),
      });
      const tablesLayout = device.createBindGroupLayout({
        label: `${label} tables`,
        entries: Array.from({ length: tables }, (_, binding) => ({
          ...compute,
          binding,
          buffer: { type: 'read-only-storage' as const },
        })),
      });
      const module = device.createShaderModule({ label, code });
      const pipeline = device.createComputePipelineAsync({
        label,
        layout: device.createPipelineLayout({
          label,
          bindGroupLayouts: tables ? [layout, tablesLayout] : [layout],
        }),
        compute: { module, entryPoint: name },
      });
      // Its failure is reported below; the guard may throw first.
      pipeline.catch(() => {});
      return { layout, tablesLayout, pipeline };
    },
    'KERNEL_COMPILE',
  );
  return { ...layouts, pipeline: await live.settled(`kernel ${name}`, pipeline, 'KERNEL_COMPILE') };
}

async function bindTables(
  live: LiveDevice,
  name: KernelName,
  layout: GpuHandle,
  tables: readonly KernelTable[],
): Promise<GpuHandle> {
  const buffers = await Promise.all(tables.map((table) => table()));
  return await live.guard(`tables of kernel ${name}`, () =>
    live.device.createBindGroup({
      label: `cambium ${name} tables`,
      layout,
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    }),
  );
}
