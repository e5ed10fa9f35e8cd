/** BLAKE2s and BLAKE2b on the CPU: pairs, and messages of any length. */
import type { Blake2 } from '../../src/hash/blake2.ts';
import { blakeRounds } from './blake-rounds.ts';
import type { FunctionBuilder } from './function.ts';
import type { KernelSource } from './kernel.ts';
import { type Blocks, byKey, exportMessages, type LaneSteps, laneKeys } from './messages.ts';
import { ModuleBuilder } from './module.ts';
import { exportPairs, PAIR_BYTES, type PairGroup, pairGroup, type Stage } from './pairs.ts';
import { i32 } from './scalar.ts';
import type { I32, Statement, Value } from './value.ts';
import { placesAt, type Words, type WordType, wordBytes } from './words.ts';

/** No padding; an empty message takes one block. */
const blocksOf = ({ blockBytes }: Blake2): Blocks => ({
  bytes: blockBytes,
  tail: 1,
  count: (length) => i32.select(length, i32.shrU(i32.add(length, blockBytes - 1), Math.log2(blockBytes)), 1),
  pad: () => [],
});

/** The chaining value after one block, of which the words behind `words` are zero. */
function compress<T extends WordType>(
  f: FunctionBuilder,
  w: Words<T>,
  { words: shape, schedule, iv }: Blake2,
  chaining: readonly Value<T>[],
  words: readonly Value<T>[],
  { end, last }: { readonly end: Value<T>; readonly last: Value<T> },
): Value<T>[] {
  const v = [...chaining, ...iv.map(w.constant)].map((word) => f.let(word));
  f.set(v[12]!, w.xor(v[12]!, end));
  f.set(v[14]!, w.xor(v[14]!, last));
  blakeRounds(f, w, shape, schedule, v, (i) => words[i]);
  return chaining.map((word, i) => w.xor(word, v[i]!, v[i + 8]!));
}

function laneSteps<T extends WordType>(module: ModuleBuilder, w: Words<T>, family: Blake2): LaneSteps {
  const bytes = wordBytes(w);
  const state = module.reserve(8 * bytes);
  const read = (count = 8): Value<T>[] => Array.from({ length: count }, (_, i) => w.load(state, i * bytes));
  const write = (f: FunctionBuilder, words: readonly Value<T>[]): void =>
    f.run(...words.map((word, i) => w.store(state, word, i * bytes)));
  const lanes = laneKeys(w.lanes, 'lane');
  const ends = laneKeys(w.lanes, 'end');
  const places = byKey(lanes, () => 'i32' as const);
  /** What the finalization flag is: a zero word, then a word of ones. */
  const flags = module.table(BigInt64Array.of(0n, -1n));
  const NOT_LAST = i32.const(0);
  const LAST = i32.const(8);

  const reset = module.function(`reset_x${w.lanes}`, {}, (f) => write(f, family.start.map(w.constant)));
  const parameters = { ...places, ...byKey(ends, () => 'i32' as const), flag: 'i32' as const };
  const fold = module.function(`block_x${w.lanes}`, parameters, (f, locals) => {
    const at = (keys: readonly string[]): I32[] => keys.map((key) => (locals as Record<string, I32>)[key]!);
    const words = w.readLittleEndian(f, placesAt(at(lanes)), 16);
    const end = w.join(at(ends));
    write(f, compress(f, w, family, read(), words, { end, last: w.fromTable(locals.flag, flags) }));
  });
  const digest = module.function(`digest_x${w.lanes}`, places, (f, locals) =>
    w.writeLittleEndian(f, placesAt(lanes.map((key) => locals[key]!)), read(256 / w.bits)),
  );
  const call = (addresses: readonly I32[], end: (lane: number) => I32, flag: I32): Statement =>
    fold({ ...byKey(lanes, (i) => addresses[i]!), ...byKey(ends, end), flag });
  return {
    lanes: w.lanes,
    reset: () => reset({}),
    block: (addresses, at) => call(addresses, () => i32.add(at, family.blockBytes), NOT_LAST),
    last: (addresses, _, lengths) => call(addresses, (lane) => lengths[lane]!, LAST),
    digest: (addresses) => digest(byKey(lanes, (i) => addresses[i]!)),
  };
}

/** Pairs in one piece: everything but their words is constant. */
function pairsBy<T extends WordType>(module: ModuleBuilder, w: Words<T>, family: Blake2): PairGroup {
  return pairGroup(module, w.lanes, (f, pairs, digests) => {
    const words = w.readLittleEndian(f, placesAt(pairs), (8 * PAIR_BYTES) / w.bits);
    const position = { end: w.constant(PAIR_BYTES), last: w.constant(-1) };
    const digest = compress(f, w, family, family.start.map(w.constant), words, position);
    w.writeLittleEndian(f, placesAt(digests), digest.slice(0, 256 / w.bits));
  });
}

function build<S extends WordType>(family: Blake2, single: Words<S>, many?: Words<'v128'>): string {
  const module = new ModuleBuilder();
  const stages: Stage[] = [{ least: 1, group: pairsBy(module, single, family) }];
  if (many) stages.unshift({ least: 2, group: pairsBy(module, many, family) });
  exportPairs(module, stages);
  const steps = many && laneSteps(module, many, family);
  exportMessages(module, blocksOf(family), laneSteps(module, single, family), steps);
  return module.toText();
}

/** All builds of a member of the family, by the words that it computes with. */
export function blake2Builds<S extends WordType>(
  family: Blake2,
  single: Words<S>,
  many: Words<'v128'>,
): KernelSource['builds'] {
  return [
    { feature: 'simd', text: build(family, single, many), passes: [] },
    { feature: 'scalar', text: build(family, single), passes: [] },
  ];
}
