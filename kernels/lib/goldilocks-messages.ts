/** Messages of bytes in Miden's sponge: seven bytes to an element, a one behind the last of them. */
import { ELEMENT_BYTES } from '../../src/field/goldilocks.ts';
import type { Ranged } from '../field/goldilocks.ts';
import type { SpongeSteps } from './goldilocks-sponge.ts';
import { type Blocks, byKey, exportMessages, type LaneSteps, laneKeys } from './messages.ts';
import { i32, i64 } from './scalar.ts';
import type { I32, Statement } from './value.ts';

const CHUNK_BYTES = 7;
const RATE = 8;
const BLOCK_BYTES = CHUNK_BYTES * RATE;
const CHUNK_MASK = i64.const(2n ** 56n - 1n);

/** The marker goes behind the last chunk's data, where a full block has no room for it: it is added to its element. */
const blocks: Blocks = {
  bytes: BLOCK_BYTES,
  tail: 1,
  count: (length) => i32.divU(i32.add(length, BLOCK_BYTES - 1), BLOCK_BYTES),
  pad: () => [],
};

const chunksOf = (length: I32): I32 => i32.divU(i32.add(length, CHUNK_BYTES - 1), CHUNK_BYTES);

/** One message per state. */
function laneSteps<E, N extends Ranged>(steps: SpongeSteps<E, N>): LaneSteps {
  const { lanes, state } = steps;
  const { module } = state;
  const rowBytes = ELEMENT_BYTES * RATE;
  const rows = module.reserve(rowBytes * lanes);
  const row = (lane: number): number => rows + rowBytes * lane;
  const keys = laneKeys(lanes, 'lane');
  const restKeys = laneKeys(lanes, 'rest');
  const one = byKey(keys, () => 'i32' as const);
  const each = (values: Readonly<Record<string, I32>>, names = keys): I32[] =>
    names.map((key) => values[key]!);

  const reset = module.function(`reset_x${lanes}`, one, (f, values) =>
    // Bytes and elements never collide: their capacities differ.
    steps.reset(
      f,
      each(values).map((length) => i32.add(i32.and(chunksOf(length), RATE - 1), RATE)),
    ),
  );
  const unpack = module.function(`unpack_x${lanes}`, one, (f, values) => {
    each(values).forEach((address, lane) => {
      for (let i = 0; i < RATE; i++) {
        const chunk = i64.and(i64.load(address, CHUNK_BYTES * i), CHUNK_MASK);
        f.run(i64.store(row(lane), chunk, ELEMENT_BYTES * i));
      }
    });
  });
  const fold = module.function(`fold_x${lanes}`, {}, (f) => {
    for (let i = 0; i < RATE; i++) {
      steps.absorb(
        f,
        steps.slot(i),
        keys.map((_, lane) => i32.const(row(lane) + ELEMENT_BYTES * i)),
      );
    }
    f.run(steps.permute());
  });
  const block = module.function(`block_x${lanes}`, one, (f, values) => f.run(unpack(values), fold({})));
  const last = module.function(
    `last_x${lanes}`,
    { ...one, ...byKey(restKeys, () => 'i32' as const) },
    (f, values) => {
      const rests = each(values, restKeys);
      // Neighbours have the same number of blocks: either all are empty, or none is.
      f.if(rests[0]!, () => {
        f.run(unpack(values));
        rests.forEach((rest, lane) => {
          const before = f.let(i32.sub(rest, 1));
          // Elements are a byte longer than chunks.
          const at = i32.add(row(lane), rest, i32.divU(before, CHUNK_BYTES));
          f.run(i32.store8(at, i32.const(1)));
        });
        f.run(fold({}));
      });
    },
  );
  const digest = module.function(`digest_x${lanes}`, one, (f, values) => steps.digest(f, each(values)));
  return {
    lanes,
    reset: (lengths) => reset(byKey(keys, (i) => lengths[i]!)),
    block: (addresses) => block(byKey(keys, (i) => addresses[i]!)),
    last: (addresses, at, lengths) =>
      last({
        ...byKey(keys, (i) => addresses[i]!),
        ...byKey(restKeys, (i) => i32.sub(lengths[i]!, at)),
      }),
    digest: (addresses) => digest(byKey(keys, (i) => addresses[i]!)),
  };
}

/** A single message in all lanes. */
function alone(steps: LaneSteps): LaneSteps {
  const all = ([value]: readonly I32[]): I32[] => new Array<I32>(steps.lanes).fill(value!);
  return {
    lanes: 1,
    reset: (lengths): Statement => steps.reset(all(lengths)),
    block: (addresses, at) => steps.block(all(addresses), at),
    last: (addresses, at, lengths) => steps.last(all(addresses), at, all(lengths)),
    digest: (addresses) => steps.digest(all(addresses)),
  };
}

/** Exports `messages`. */
export function exportMidenMessages<E, N extends Ranged>(steps: SpongeSteps<E, N>): void {
  const all = laneSteps(steps);
  if (all.lanes === 1) exportMessages(steps.state.module, blocks, all);
  else exportMessages(steps.state.module, blocks, alone(all), all);
}
