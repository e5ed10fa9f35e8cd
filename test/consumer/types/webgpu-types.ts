/** Where the WebGPU types come from `@webgpu/types`, as for Dawn in Node. */
import { createHasher, type Digest, merkleRoot } from 'cambium';

export async function onDevice(gpu: GPU, device: GPUDevice, leaves: GPUBuffer): Promise<Digest> {
  await createHasher('sha256', { gpu });
  const hasher = await createHasher('sha256', { gpu: device, backend: 'gpu' });
  return await merkleRoot(hasher, leaves);
}
