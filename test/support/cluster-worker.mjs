/**
 * A worker of a cluster as a process of its own, over the built package. Argument: JSON
 * `{ redis, prefix, name, files?, http?, concurrency? }`; prints `ready`. It has two generators: `counting`, whose leaf i
 * holds i, and `slow`, the same bytes with a pause before each piece.
 */
import { startClusterWorker } from '../../dist/cluster/index.js';
import { counting, slow } from './leaf-generators.mjs';

const { files = [], http = [], ...options } = JSON.parse(process.argv[2]);
const worker = await startClusterWorker({
  backend: 'cpu',
  threads: 0,
  ...options,
  sources: { files, http, generators: { counting, slow } },
});
process.once('SIGTERM', () => worker.close());
console.log('ready');
