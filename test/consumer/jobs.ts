/** What a page, a worker or a Deno script is asked to do with the packed library. Answers survive a message. */
import { buildTree, createHasher, type HasherInfo, hashes, toHex } from 'cambium';
import { leavesOf, messagesOf } from './leaves.ts';

type HashId = Parameters<typeof createHasher>[0] & string;

export interface TreeArgs {
  readonly id: string;
  readonly backend: 'auto' | 'cpu' | 'gpu';
  readonly leaves: number;
  readonly threads?: number;
}

export interface TreeAnswer {
  readonly root: string;
  /** Siblings of the third leaf. */
  readonly siblings: readonly string[];
  /** Digests of messages of many lengths, behind each other; absent for a hash without a byte form. */
  readonly messages?: string;
  readonly info: HasherInfo;
}

/** Root and proof of a tree, and the digests of some messages. */
async function tree({ id, backend, leaves, threads }: TreeArgs): Promise<TreeAnswer> {
  const options = { backend, crossCheck: 'off', ...(threads !== undefined && { threads }) } as const;
  const hasher = await createHasher(id as HashId, options);
  try {
    const built = await buildTree(hasher, leavesOf(leaves));
    const siblings = built.prove(2).siblings.map(toHex);
    const { messages, lengths } = messagesOf(150);
    const hashed = await hasher.hashMessages(messages, lengths).catch((error) => {
      if (error instanceof TypeError) return undefined;
      throw error;
    });
    const { info } = hasher;
    return { root: toHex(built.root), siblings, ...(hashed && { messages: toHex(hashed) }), info };
  } finally {
    await hasher.close();
  }
}

/** Ids of all hashes of the packed library. */
async function ids(): Promise<string[]> {
  return [...hashes.keys()];
}

/** Whether memory can be shared here, and whether a worker starts from a blob. */
async function allowed(): Promise<{ sharedMemory: boolean; blobWorkers: boolean }> {
  const url = URL.createObjectURL(new Blob(['postMessage(0)'], { type: 'text/javascript' }));
  const worker = new Worker(url);
  const blobWorkers = await new Promise<boolean>((resolve) => {
    worker.onmessage = () => resolve(true);
    worker.onerror = () => resolve(false);
  });
  worker.terminate();
  URL.revokeObjectURL(url);
  return { sharedMemory: crossOriginIsolated, blobWorkers };
}

/** How WebGPU can fail to be there. */
const BROKEN_GPU: Readonly<Record<string, unknown>> = {
  absent: undefined,
  throwing: {
    requestAdapter() {
      throw new Error('blocked by the test');
    },
  },
  'returning null': { requestAdapter: async () => null },
  'never answering': { requestAdapter: () => new Promise(() => {}) },
};

export interface WithoutGpuAnswer {
  readonly auto: TreeAnswer;
  /** Code of the error that `backend: 'gpu'` ends with. */
  readonly gpu: string;
}

/** Both ways of asking for a GPU where `navigator.gpu` is broken. */
async function withoutGpu({ how, ...args }: TreeArgs & { readonly how: string }): Promise<WithoutGpuAnswer> {
  const prototype = Object.getPrototypeOf(navigator);
  const own = Object.getOwnPropertyDescriptor(prototype, 'gpu')!;
  Object.defineProperty(prototype, 'gpu', { value: BROKEN_GPU[how], configurable: true });
  try {
    const gpu = tree({ ...args, backend: 'gpu' }).then(
      () => 'no error',
      (error) => error.code,
    );
    return { auto: await tree({ ...args, backend: 'auto' }), gpu: await gpu };
  } finally {
    Object.defineProperty(prototype, 'gpu', own);
  }
}

export const jobs = { tree, ids, allowed, withoutGpu };
