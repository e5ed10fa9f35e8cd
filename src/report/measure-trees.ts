/** The tree cases on all lanes. */
import { equalBytes } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { openLanes } from './lanes.js';
import type { MeasureContext } from './measure-hash.js';
import { timeByTurns } from './timing.js';
import type { TreeCase } from './tree-cases.js';
import type { TreePoint } from './types.js';

/** For the rounds of one lane. */
const LANE_SECONDS = 0.3;

/**
 * Measures one case.
 *
 * @throws {CambiumError} `ABORTED`; `CROSS_CHECK_MISMATCH` where two lanes disagree on a root.
 */
export async function measureTreeCase(
  { name, hash, items, prepare }: TreeCase,
  { wanted, clock, signal }: MeasureContext,
): Promise<TreePoint[]> {
  const { lanes, close } = await openLanes(hash, wanted, clock);
  try {
    let expected: Uint8Array | undefined;
    const timed = [];
    for (const { id, hasher } of lanes) {
      const root = await (await prepare(hasher))();
      if (expected && !equalBytes(expected, root)) {
        throw new CambiumError(
          'CROSS_CHECK_MISMATCH',
          `${id} and ${lanes[0]!.id} disagree on a root: ${name}`,
        );
      }
      expected = root;
      let batch: () => Promise<Uint8Array>;
      timed.push({
        async prepare() {
          batch = await prepare(hasher);
        },
        run: () => batch(),
      });
    }
    const spreads = await timeByTurns(timed, { seconds: LANE_SECONDS, signal });
    return lanes.map(({ id }, i) => ({ name, hash, lane: id, items, total: spreads[i]! }));
  } finally {
    await close();
  }
}
