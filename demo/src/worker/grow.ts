/** One tree on one backend: its phases, its progress, and what the page shows of it. */
import { buildTree, createHasher, type Digest, type Hasher, type MerkleTree, toHex } from 'cambium';
import { madeLeaves } from '../leaves.ts';
import type { GrowArgs, Grown, GrowProgress, LayerView, Phase } from '../tasks.ts';
import { fileLeaves } from './file-leaves.ts';
import type { TaskContext } from './main.ts';
import { keepTree } from './proofs.ts';

/** Leaves of the tree that has the kernels compiled and checked: enough for threads and for every kernel. */
const FIRST_LEAVES = 1024;
/** How often progress is told. */
const TELL_MS = 60;
/** Nodes of a layer that the page draws at most. */
const MOST_SAMPLES = 512;

type Context = TaskContext<GrowProgress>;

/** Builds the tree, and keeps it for proofs in place of the last one. */
export async function grow(args: GrowArgs, context: Context): Promise<Grown> {
  const { hash, lane, leaves: from } = args;
  const seconds: Record<Phase, number> = { open: 0, kernels: 0, leaves: 0, tree: 0 };
  const timed = async <T>(phase: Phase, work: () => Promise<T>): Promise<T> => {
    context.signal.throwIfAborted();
    context.tell({ phase });
    const start = performance.now();
    const result = await work();
    seconds[phase] = (performance.now() - start) / 1000;
    return result;
  };

  const hasher = await timed('open', () => createHasher(hash, { backend: lane }));
  try {
    await timed('kernels', () => buildTree(hasher, madeLeaves(FIRST_LEAVES), { signal: context.signal }));
    const before = hasher.info.counters;
    const leaves = await timed('leaves', () => readLeaves(from, hasher, context));
    const tree = await timed('tree', () => growTree(hasher, leaves, context));
    const { counters } = hasher.info;
    keepTree(tree);
    return {
      root: toHex(tree.root),
      size: tree.size,
      depth: tree.depth,
      seconds,
      engine: describeEngine(hasher),
      hashes: Math.max(0, tree.size - 1),
      dispatches: counters.dispatches - before.dispatches,
      bytesUp: counters.bytesUp - before.bytesUp,
      bytesDown: counters.bytesDown - before.bytesDown,
      layers: Array.from({ length: tree.depth + 1 }, (_, level) => viewLayer(tree.layer(level))),
    };
  } finally {
    await hasher.close();
  }
}

async function readLeaves(from: GrowArgs['leaves'], hasher: Hasher, context: Context): Promise<Digest> {
  if ('count' in from) return madeLeaves(from.count);
  const { file, format } = from;
  const tell = (bytes: number): void => context.tell({ phase: 'leaves', part: bytes / file.size });
  return await fileLeaves(file, format, hasher, context.signal, tell);
}

/** Builds the tree with all its layers, and tells how far it is: by the hashes that the hasher has counted. */
async function growTree(hasher: Hasher, leaves: Digest, { signal, tell }: Context): Promise<MerkleTree> {
  const total = leaves.length / 32;
  const counted = (): number => hasher.info.counters.hashesCpu + hasher.info.counters.hashesGpu;
  const before = counted();
  let part = 0;
  const report = (done: number): void => {
    part = Math.min(1, Math.max(part, done / total));
    if (part > 0) tell({ phase: 'tree', part });
  };
  const timer = setInterval(() => report(counted() - before), TELL_MS);
  try {
    return await buildTree(hasher, leaves, { signal, onProgress: ({ done }) => report(done) });
  } finally {
    clearInterval(timer);
  }
}

function viewLayer(layer: Digest): LayerView {
  const nodes = layer.length / 32;
  const count = Math.min(nodes, MOST_SAMPLES);
  const samples = new Uint8Array(2 * count);
  for (let i = 0; i < count; i++) {
    // The middle of a digest: first and last bytes of field elements are small.
    const at = 32 * Math.floor((i * nodes) / count) + 17;
    samples[2 * i] = layer[at]!;
    samples[2 * i + 1] = layer[at + 1]!;
  }
  return { nodes, first: nodes > 0 ? toHex(layer.subarray(0, 32)) : '', samples };
}

function describeEngine({ info }: Hasher): string {
  const { cpu, gpu, backend } = info;
  if (backend === 'cpu')
    return `${cpu.engine}, ${cpu.threads > 0 ? `${cpu.threads + 1} threads` : '1 thread'}`;
  const name = [gpu!.vendor, gpu!.architecture, gpu!.description || gpu!.device].filter(Boolean).join(' ');
  return gpu!.software ? `${name}, software` : name;
}
