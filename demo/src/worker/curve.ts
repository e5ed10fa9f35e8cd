/** Roots of ever larger trees on each backend, one point after the other. */
import { createHasher, type Hasher, type HashId, merkleRoot, toHex } from 'cambium';
import { madeLeaves } from '../leaves.ts';
import type { CurvePoint, Lane } from '../tasks.ts';
import type { TaskContext } from './main.ts';

/** Sizes are powers of two with these exponents. */
const FIRST = 6;
const LAST = 21;
/** A lane whose next size would take longer has reached its end. */
const MOST_SECONDS = 2.5;
/** A size is repeated until it has taken this long, and at least so often. */
const POINT_MS = 120;
const LEAST_ROUNDS = 3;

interface Runner {
  readonly lane: Lane;
  readonly hasher: Hasher;
  /** Of the last size. */
  seconds: number;
}

/** Measures until every lane has become slow. Each size is hashed once before it is timed, and the roots compared. */
export async function measureCurve(
  { hash, lanes }: { readonly hash: HashId; readonly lanes: readonly Lane[] },
  { signal, tell }: TaskContext<CurvePoint>,
): Promise<undefined> {
  const runners: Runner[] = [];
  try {
    for (const lane of lanes) {
      signal.throwIfAborted();
      const hasher = await createHasher(hash, { backend: lane, crossCheck: 'off' });
      runners.push({ lane, hasher, seconds: 0 });
    }
    for (let power = FIRST; power <= LAST; power++) {
      const able = runners.filter(({ seconds }) => 2 * seconds < MOST_SECONDS);
      if (able.length === 0) break;
      await measureSize(madeLeaves(2 ** power), able, signal, tell);
    }
  } finally {
    await Promise.all(runners.map(({ hasher }) => hasher.close()));
  }
}

async function measureSize(
  leaves: Uint8Array,
  runners: readonly Runner[],
  signal: AbortSignal,
  tell: (point: CurvePoint) => void,
): Promise<void> {
  const roots = new Set<string>();
  for (const { hasher } of runners) roots.add(toHex(await merkleRoot(hasher, leaves, { signal })));
  if (roots.size > 1) throw new Error(`CPU and GPU disagree on the root of ${leaves.length / 32} leaves`);
  for (const runner of runners) {
    const times: number[] = [];
    const start = performance.now();
    while (times.length < LEAST_ROUNDS || performance.now() - start < POINT_MS) {
      const before = performance.now();
      await merkleRoot(runner.hasher, leaves, { signal });
      times.push((performance.now() - before) / 1000);
      if (performance.now() - start > 1000 * MOST_SECONDS) break;
    }
    runner.seconds = median(times);
    const { lane, seconds } = runner;
    tell({ lane, leaves: leaves.length / 32, seconds, rounds: times.length });
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
