/** A page: the global WebGPU types of lib `DOM` fit the library's own. */
import { createHasher, type Digest, merkleRoot } from 'cambium';
import { root } from './use.ts';

export async function onDevice(device: GPUDevice, leaves: GPUBuffer): Promise<Digest> {
  await root({ gpu: navigator.gpu });
  const hasher = await createHasher('sha256', { gpu: device, backend: 'gpu' });
  return await merkleRoot(hasher, leaves);
}
