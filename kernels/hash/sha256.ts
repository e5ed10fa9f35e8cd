/**
 * SHA-256 on the CPU: pairs, and messages of any length; one hash in 32-bit integers, or four in the lanes of vectors.
 */
import type { FunctionBuilder } from '../lib/function.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { type Blocks, byKey, exportMessages, type LaneSteps, laneKeys } from '../lib/messages.ts';
import { ModuleBuilder } from '../lib/module.ts';
import { exportPairs, type PairGroup, pairGroup } from '../lib/pairs.ts';
import { i32 } from '../lib/scalar.ts';
import {
  copyOf,
  type Eight,
  initial,
  paddingRounds,
  rounds,
  sum,
  type Tables,
  tables,
} from '../lib/sha256-rounds.ts';
import type { I32, Statement, Value } from '../lib/value.ts';
import type { Place } from '../lib/words.ts';
import { scalarWords, swapBytes, vectorWords, type Word32Type, type Words32 } from '../lib/words32.ts';

/** What becomes of the state before it is written as the digest. */
export type Finish = <T extends Word32Type>(w: Words32<T>, state: Eight<Value<T>>) => Eight<Value<T>>;

const BLOCK_BYTES = 64;

/** A message, one 0x80, zeros, eight bytes of bit length. */
const blocks: Blocks = {
  bytes: BLOCK_BYTES,
  tail: 2,
  count: (length) => i32.shrU(i32.add(length, 9 + BLOCK_BYTES - 1), 6),
  pad: ({ padding, end, length }) => [
    i32.store8(padding, i32.const(0x80)),
    i32.store(i32.sub(end, 8), swapBytes(i32.shrU(length, 29))),
    i32.store(i32.sub(end, 4), swapBytes(i32.shl(length, 3))),
  ],
};

interface Sha256Steps extends LaneSteps {
  reset(): Statement;
  /** Folds the padding block of 64-byte messages into the state. */
  padding(): Statement;
}

function laneSteps<T extends Word32Type>(
  module: ModuleBuilder,
  w: Words32<T>,
  table: Tables,
  finish: Finish,
): Sha256Steps {
  const bytes = 4 * w.lanes;
  const state = module.reserve(8 * bytes);
  const read = () =>
    Array.from({ length: 8 }, (_, i) => w.load(state, i * bytes)) as unknown as Eight<Value<T>>;
  const write = (f: FunctionBuilder, words: Eight<Value<T>>) =>
    f.run(...words.map((word, i) => w.store(state, word, i * bytes)));
  const keys = laneKeys(w.lanes, 'lane');
  const parameters = byKey(keys, () => 'i32' as const);
  const each = (lanes: Readonly<Record<string, I32>>): Place[] =>
    keys.map((key) => ({ address: lanes[key]!, offset: 0 }));

  const reset = module.function(`reset_x${w.lanes}`, {}, (f) => write(f, initial(w)));
  const fold = module.function(`block_x${w.lanes}`, parameters, (f, lanes) => {
    const words = w.readBigEndian(f, each(lanes), 16);
    const working = copyOf(f, read());
    rounds(f, w, working, words, table);
    write(f, sum(w, working, read()));
  });
  const padding = module.function(`padding_x${w.lanes}`, {}, (f) => {
    const working = copyOf(f, read());
    paddingRounds(f, w, working, table);
    write(f, sum(w, working, read()));
  });
  const digest = module.function(`digest_x${w.lanes}`, parameters, (f, lanes) =>
    w.writeBigEndian(f, each(lanes), finish(w, copyOf(f, read()))),
  );
  const block = (addresses: readonly I32[]): Statement => fold(byKey(keys, (i) => addresses[i]!));
  return {
    lanes: w.lanes,
    reset: () => reset({}),
    block,
    last: block,
    padding: () => padding({}),
    digest: (addresses) => digest(byKey(keys, (i) => addresses[i]!)),
  };
}

const pairsBy = (module: ModuleBuilder, steps: Sha256Steps): PairGroup =>
  pairGroup(module, steps.lanes, (f, pairs, digests) =>
    f.run(steps.reset(), steps.block(pairs, i32.const(0)), steps.padding(), steps.digest(digests)),
  );

function scalarModule(finish: Finish): string {
  const module = new ModuleBuilder();
  const single = laneSteps(module, scalarWords, tables(module), finish);
  exportPairs(module, [{ least: 1, group: pairsBy(module, single) }]);
  exportMessages(module, blocks, single);
  return module.toText();
}

function simdModule(finish: Finish): string {
  const module = new ModuleBuilder();
  const table = tables(module);
  const four = laneSteps(module, vectorWords, table, finish);
  const single = laneSteps(module, scalarWords, table, finish);
  exportPairs(module, [
    { least: 2, group: pairsBy(module, four) },
    { least: 1, group: pairsBy(module, single) },
  ]);
  exportMessages(module, blocks, single, four);
  return module.toText();
}

/** All builds, with what is done to the state before it becomes the digest. */
export function sha256Builds(finish: Finish): KernelSource['builds'] {
  return [
    { feature: 'simd', text: simdModule(finish), passes: ['local-cse', 'simplify-locals'] },
    { feature: 'scalar', text: scalarModule(finish), passes: [] },
  ];
}

export const kernels: KernelSource = { builds: sha256Builds((_, state) => state), native: 'hashtree' };
