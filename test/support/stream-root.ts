/** A process of its own: the root of a file of raw leaves, streamed; prints what that took. */
import { createReadStream, statSync } from 'node:fs';
import { createHasher } from '../../src/hasher.ts';
import { merkleRoot } from '../../src/tree/merkle.ts';

const [path, backend, readBytes] = process.argv.slice(2) as [string, 'cpu' | 'gpu', string];
let read = 0;
let done = 0;
let ahead = 0;

/** The file, and how far reading is ahead of hashing whenever a piece arrives. */
async function* pieces(): AsyncGenerator<Uint8Array> {
  for await (const piece of createReadStream(path, { highWaterMark: Number(readBytes) })) {
    read += piece.length;
    ahead = Math.max(ahead, read - 32 * done);
    yield piece;
  }
}

const hasher = await createHasher('sha256', { backend });
const began = performance.now();
const root = await merkleRoot(hasher, pieces(), {
  onProgress(progress) {
    done = progress.done;
  },
});
const seconds = (performance.now() - began) / 1000;
const { counters } = hasher.info;
await hasher.close();
const mebibytes = process.resourceUsage().maxRSS / 1024;
console.log(
  JSON.stringify({
    root: Buffer.from(root).toString('hex'),
    bytes: statSync(path).size,
    ahead,
    mebibytes,
    seconds,
    counters,
  }),
);
