/** A process of its own: hashes on the GPU in the way its argument names, and then has nothing left to do. */
import { noise, openSha256 } from './gpu.ts';

const way = process.argv[2];
const { backend } = await openSha256();
const out = new Uint8Array(32 * 100);
const work = backend.pairs({ nodes: noise(64 * 100), out, samples: 0 });
if (way !== 'in flight') await work;
if (way === 'closed' || way === 'in flight') await backend.close();
if (way === 'process.exit') process.exit(0);
console.log('end of script');
