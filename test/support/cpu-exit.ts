/** A process of its own: hashes in worker threads, ends in the way its argument names, and has nothing left to do. */
import { openCpuBackend } from '../../src/backend/cpu/index.ts';
import { hashSpec } from '../../src/hash/registry.ts';

const way = process.argv[2];
const spec = hashSpec('sha256');
const { backend } = await openCpuBackend(spec, await spec.load(), { threads: 2 });
const nodes = new Uint8Array(64 << 16);
const work = backend.pairs({ nodes, out: new Uint8Array(32 << 16), samples: 0 });
if (way !== 'in flight') await work;
if (way === 'closed' || way === 'in flight') await backend.close();
if (way === 'process.exit') process.exit(0);
console.log('end of script');
