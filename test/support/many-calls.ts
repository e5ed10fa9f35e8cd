/** A process of its own: many small jobs on the GPU, then none; prints its memory on the way, and its idle CPU time. */
import { createHasher } from '../../src/hasher.ts';

const CALLS = 2000;
const SAMPLES = 10;
const IDLE_MS = 3000;

const hasher = await createHasher('sha256', { backend: 'gpu', threads: 1 });
const nodes = new Uint8Array(64 * 200).fill(1);
const leaves = nodes.subarray(0, 32 * 77);
const messages = { messages: nodes.subarray(0, 1000), lengths: new Uint32Array(10).fill(100) };
const jobs = [
  () => hasher.hashPairs(nodes),
  () => hasher.hashTree(leaves),
  () => hasher.hashTree(leaves, { keepFrom: 0 }),
  () => hasher.hashTree(messages),
];
const mebibytes: number[] = [];
for (let call = 1; call <= CALLS; call++) {
  await jobs[call % jobs.length]!();
  if (call % (CALLS / SAMPLES) === 0) mebibytes.push(process.memoryUsage.rss() / 2 ** 20);
}
const before = process.cpuUsage();
await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
const { user, system } = process.cpuUsage(before);
await hasher.close();
console.log(JSON.stringify({ mebibytes, idlePercent: (user + system) / 10 / IDLE_MS }));
