/** The fused top of a tree: all its last levels in one workgroup. */
import { DIGEST_BYTES } from '../../bytes.js';
import type { Kernel } from './kernel.js';
import type { Range, Recorder } from './recorder.js';

/** Folds the nodes of `nodes` `levels` times; `output` gets all levels, lowest first. */
export async function recordTop(
  recorder: Recorder,
  kernel: Kernel,
  nodes: Range,
  output: Range,
  levels: number,
): Promise<void> {
  const parents = nodes.size / DIGEST_BYTES / 2;
  const hashes = output.size / DIGEST_BYTES;
  await recorder.dispatch({
    kernel,
    storage: [nodes, output],
    params: [parents, levels],
    groups: 1,
    hashes,
    cost: hashes,
  });
}
