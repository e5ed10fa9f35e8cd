/** A layer of pairs of any width, in pieces of which each fits a chunk. */
import { DIGEST_BYTES } from '../../bytes.js';
import type { Backend, PairsJob, Sample } from '../types.js';
import { Usage } from './buffer-pool.js';
import { Readback } from './readback.js';
import { type Range, Recorder } from './recorder.js';
import { jobOptions, type Session } from './session.js';

/** Hashes pairs `first` to `end` of a layer; samples say which nodes were read and what they became. */
export async function runPairs(
  session: Session,
  job: PairsJob,
  [first, end]: readonly [first: number, end: number],
  counters: Backend['counters'],
): Promise<Sample[]> {
  const count = end - first;
  const size = count * DIGEST_BYTES;
  return await session.live.pool.borrow(async (take) => {
    const recorder = await Recorder.open(session.live, take, jobOptions(session, counters, job.signal));
    const nodes: Range = { buffer: await take('nodes', Usage.nodes, 2 * size), offset: 0, size: 2 * size };
    const parents: Range = { buffer: await take('parents', Usage.nodes, size), offset: 0, size };
    const sampled = Math.min(job.samples, count);
    const readback = await Readback.open(recorder, take, size + sampled * 3 * DIGEST_BYTES);
    recorder.upload(nodes.buffer, 0, job.nodes.subarray(2 * first * DIGEST_BYTES, 2 * end * DIGEST_BYTES));
    await recorder.pairs(session.pairs, nodes, parents, count);
    const layer = readback.take(parents);
    const samples = Array.from({ length: sampled }, () => {
      const index = Math.floor(Math.random() * count);
      const at = (range: Range, nodes: number): Range => ({
        buffer: range.buffer,
        offset: index * nodes * DIGEST_BYTES,
        size: nodes * DIGEST_BYTES,
      });
      const [children, parent] = [readback.take(at(nodes, 2)), readback.take(at(parents, 1))];
      return (): Sample => ({ kind: 'pair', level: 0, children: children(), parent: parent() });
    });
    await readback.arrive(counters);
    job.out.set(layer(), first * DIGEST_BYTES);
    return samples.map((sample) => sample());
  });
}
