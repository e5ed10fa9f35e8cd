/** A program of Node: buffers are bytes, streams are leaves, and no type of a browser is known. */
import { createReadStream } from 'node:fs';
import { createHasher, type Digest, merkleRoot } from 'cambium';
import { root } from './use.ts';

export async function ofFile(path: string): Promise<Digest> {
  await root({ threads: 1 });
  const hasher = await createHasher('sha256');
  await hasher.hashPairs(Buffer.alloc(64));
  return await merkleRoot(hasher, createReadStream(path));
}

// @ts-expect-error: lib `DOM` is not there
export const page = document;
