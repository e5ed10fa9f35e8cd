/** One dispatch of one kernel, for tests of the arithmetic underneath the hashes. */
import { Usage } from '../../src/backend/gpu/buffer-pool.ts';
import { MAP_READ } from '../../src/backend/gpu/types.ts';
import { dawn } from './gpu.ts';

/** A device of the test's own; the caller destroys it. */
export async function openDevice(): Promise<GPUDevice> {
  const adapter = await ((await dawn()) as GPU).requestAdapter();
  if (!adapter) throw new Error('no GPU for this test');
  return await adapter.requestDevice();
}

export interface ShaderRun {
  /** One entry point, in workgroups of 64. `@group(0)` binds the inputs and then the output. */
  readonly wgsl: string;
  readonly inputs: readonly Uint32Array<ArrayBuffer>[];
  readonly outputWords: number;
  readonly invocations: number;
  /** Storage of `@group(1)`. */
  readonly tables?: readonly Uint8Array[];
}

/** Compiles and runs a kernel; gives its output back. Rejects with what the compiler or the validation says. */
export async function runShader(device: GPUDevice, run: ShaderRun): Promise<Uint32Array> {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: run.wgsl });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module } });
  const upload = (data: Uint8Array | Uint32Array): GPUBuffer => {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
    const buffer = device.createBuffer({ size: bytes.length, usage: Usage.nodes });
    device.queue.writeBuffer(buffer, 0, bytes);
    return buffer;
  };
  const bind = (group: number, buffers: readonly GPUBuffer[]): GPUBindGroup =>
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(group),
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  const size = 4 * run.outputWords;
  const output = device.createBuffer({ size, usage: Usage.nodes });
  const readable = device.createBuffer({ size, usage: Usage.readback });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bind(0, [...run.inputs.map(upload), output]));
  if (run.tables) pass.setBindGroup(1, bind(1, run.tables.map(upload)));
  pass.dispatchWorkgroups(Math.ceil(run.invocations / 64));
  pass.end();
  encoder.copyBufferToBuffer(output, 0, readable, 0, size);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await readable.mapAsync(MAP_READ);
  return new Uint32Array(readable.getMappedRange().slice(0));
}
