/** How the commands over trees tell what they did. */
import { toHex } from '../bytes.js';
import type { HasherInfo } from '../hasher.js';
import { describeCpu, describeGpu } from '../report/describe.js';
import { formatByteRate, formatBytes, formatRate, formatSeconds } from './output.js';
import type { GrownTree } from './session.js';

/** The object of `--json`. */
export function treeJson({ tree, hasher, seconds }: GrownTree): object {
  return {
    root: toHex(tree.root),
    leaves: tree.size,
    depth: tree.depth,
    padding: tree.padding,
    hash: hasher.spec.id,
    backend: usedBackend(hasher.info),
    seconds,
  };
}

/** The same for people. */
export function treePairs({ tree, hasher, input, seconds }: GrownTree): [string, string | number][] {
  return [
    ['root', toHex(tree.root)],
    ['leaves', tree.size],
    ['depth', `${tree.depth}, padding ${tree.padding}, ${hasher.spec.id}`],
    ['backend', explainBackend(hasher.info)],
    [
      'time',
      `${formatSeconds(seconds)} for ${formatBytes(input.read)}: ${formatByteRate(input.read, seconds)}, ${formatRate(tree.size, seconds, 'leaves')}`,
    ],
  ];
}

function usedBackend({ backend, counters }: HasherInfo): 'cpu' | 'gpu' {
  return backend === 'gpu' || counters.hashesGpu > 0 ? 'gpu' : 'cpu';
}

/** What did the work, and why that. */
function explainBackend(info: HasherInfo): string {
  const asked = info.backend === 'auto' ? '' : ', as asked';
  if (usedBackend(info) === 'gpu') return `gpu: ${describeGpu(info)}${asked}`;
  const why = info.backend === 'cpu' ? asked : `; ${info.gpuRefused ?? 'too few hashes for the GPU'}`;
  return `cpu: ${describeCpu(info)}${why}`;
}
