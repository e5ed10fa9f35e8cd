/** A process of its own: hashes on a backend, and ends in the way that its arguments name. */
import { createHasher } from '../../src/hasher.ts';

const [backend, way] = process.argv.slice(2) as ['cpu' | 'gpu', string];
const hasher = await createHasher('sha256', { backend, threads: 2, crossCheck: 'off' });
// Wide enough for worker threads.
const work = hasher.hashPairs(new Uint8Array(64 * (backend === 'cpu' ? 2 ** 16 : 100)));
if (!way.includes('in flight')) await work;
if (way.includes('closed')) await hasher.close();
console.log('end of script');
if (way === 'process.exit') process.exit(0);
if (way === 'uncaught error') throw new Error('nobody catches this');
if (way === 'unhandled rejection') void Promise.reject(new Error('nobody handles this'));
if (way === 'never settles') await new Promise(() => {});
