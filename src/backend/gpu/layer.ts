/** A layer of pairs, or a piece of one that fits a chunk. */
import { DIGEST_BYTES, type Digest } from '../../bytes.js';
import type { Backend, PairsJob, Sample } from '../types.js';
import { Usage } from './buffer-pool.js';
import { behind, CHECK_BYTES, checkRange } from './check.js';
import { Readback } from './readback.js';
import { type Range, Recorder } from './recorder.js';
import { jobOptions, type Session } from './session.js';

/** What became of a run of pairs; samples say which nodes were read and what they became. */
export interface HashedPairs {
  readonly parents: Digest;
  readonly samples: readonly Sample[];
}

/** Hashes the pairs of `job.nodes` from `first` to `end`. */
export async function runPairs(
  session: Session,
  job: PairsJob,
  first: number,
  end: number,
  counters: Backend['counters'],
): Promise<HashedPairs> {
  const count = end - first;
  const size = count * DIGEST_BYTES;
  return await session.live.pool.borrow(async (take) => {
    const recorder = await Recorder.open(session.live, take, jobOptions(session, counters, job.signal));
    const nodes: Range = { buffer: await take('nodes', Usage.nodes, 2 * size), offset: 0, size: 2 * size };
    const parents: Range = { buffer: await take('parents', Usage.nodes, size), offset: 0, size };
    const sampled = Math.min(job.samples, count);
    const readback = await Readback.open(recorder, take, size + sampled * 3 * DIGEST_BYTES + CHECK_BYTES);
    recorder.upload(nodes.buffer, 0, job.nodes.subarray(2 * first * DIGEST_BYTES, 2 * end * DIGEST_BYTES));
    const { check } = session;
    const refuse =
      check && (await checkRange({ recorder, take, readback }, check, nodes, behind(2 * first, check)));
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
    refuse?.();
    return { parents: layer(), samples: samples.map((sample) => sample()) };
  });
}
