/** The Keccak sponge of rate 136 on the CPU: pairs, and messages of any length. */
import { RATE_BYTES } from '../../src/hash/keccak.ts';
import type { FunctionBuilder } from './function.ts';
import { constantTable, keccakRounds } from './keccak-rounds.ts';
import type { KernelSource } from './kernel.ts';
import { type Blocks, byKey, exportMessages, type LaneSteps, laneKeys } from './messages.ts';
import { ModuleBuilder } from './module.ts';
import { exportPairs, PAIR_BYTES, type PairGroup, pairGroup } from './pairs.ts';
import { i32, memory } from './scalar.ts';
import type { I32, Statement, Value } from './value.ts';
import { placesAt, type Words, type WordType, wordBytes } from './words.ts';
import { scalarWords64, vectorWords64 } from './words64.ts';

const LANES = 25;
const RATE_LANES = RATE_BYTES / 8;
const PAIR_LANES = PAIR_BYTES / 8;
const DIGEST_LANES = 4;

/** A message, the suffix, zeros, and one bit at the end of the last block, which may be the byte of the suffix. */
const blocksOf = (suffix: number): Blocks => ({
  bytes: RATE_BYTES,
  tail: 1,
  count: (length) => i32.add(i32.divU(length, RATE_BYTES), 1),
  pad: ({ padding, end }) => {
    const last = i32.sub(end, 1);
    return [i32.store8(padding, i32.const(suffix)), i32.store8(last, i32.or(i32.load8U(last), 0x80))];
  },
});

/** The state of some hashes, in memory, and what is done to it. */
interface Sponge<T extends WordType> {
  readonly state: number;
  read(i: number): Value<T>;
  write(i: number, lane: Value<T>): Statement;
  permute(): Statement;
  squeeze(f: FunctionBuilder, digests: readonly I32[]): void;
}

function sponge<T extends WordType>(module: ModuleBuilder, w: Words<T>, constants: number): Sponge<T> {
  const bytes = wordBytes(w);
  const state = module.reserve(LANES * bytes);
  const read = (i: number): Value<T> => w.load(state, i * bytes);
  const write = (i: number, lane: Value<T>): Statement => w.store(state, lane, i * bytes);
  const permute = module.function(`permute_x${w.lanes}`, {}, (f) => {
    const lanes = Array.from({ length: LANES }, (_, i) => f.let(read(i)));
    keccakRounds(f, w, lanes, constants);
    f.run(...lanes.map((lane, i) => write(i, lane)));
  });
  return {
    state,
    read,
    write,
    permute: () => permute({}),
    squeeze: (f, digests) =>
      w.writeLittleEndian(
        f,
        placesAt(digests),
        Array.from({ length: DIGEST_LANES }, (_, i) => read(i)),
      ),
  };
}

function laneSteps<T extends WordType>(module: ModuleBuilder, w: Words<T>, own: Sponge<T>): LaneSteps {
  const keys = laneKeys(w.lanes, 'lane');
  const parameters = byKey(keys, () => 'i32' as const);
  const absorb = module.function(`block_x${w.lanes}`, parameters, (f, lanes) => {
    const words = w.readLittleEndian(f, placesAt(keys.map((key) => lanes[key]!)), RATE_LANES);
    f.run(...words.map((word, i) => own.write(i, w.xor(own.read(i), word))), own.permute());
  });
  const digest = module.function(`digest_x${w.lanes}`, parameters, (f, lanes) =>
    own.squeeze(
      f,
      keys.map((key) => lanes[key]!),
    ),
  );
  const block = (addresses: readonly I32[]): Statement => absorb(byKey(keys, (i) => addresses[i]!));
  return {
    lanes: w.lanes,
    reset: () => memory.fill(own.state, 0, LANES * wordBytes(w)),
    block,
    last: block,
    digest: (addresses) => digest(byKey(keys, (i) => addresses[i]!)),
  };
}

function pairsBy<T extends WordType>(
  module: ModuleBuilder,
  w: Words<T>,
  own: Sponge<T>,
  suffix: number,
): PairGroup {
  return pairGroup(module, w.lanes, (f, pairs, digests) => {
    const words: Value<T>[] = w.readLittleEndian(f, placesAt(pairs), PAIR_LANES);
    words.push(w.constant(suffix));
    words[RATE_LANES - 1] = w.constant(1n << 63n);
    const lanes = Array.from({ length: LANES }, (_, i) => own.write(i, words[i] ?? w.constant(0)));
    f.run(...lanes, own.permute());
    own.squeeze(f, digests);
  });
}

function build(suffix: number, simd: boolean): string {
  const module = new ModuleBuilder();
  const constants = constantTable(module);
  const blocks = blocksOf(suffix);
  const one = sponge(module, scalarWords64, constants);
  const single = laneSteps(module, scalarWords64, one);
  const pair = { least: 1, group: pairsBy(module, scalarWords64, one, suffix) };
  if (simd) {
    const two = sponge(module, vectorWords64, constants);
    exportPairs(module, [{ least: 2, group: pairsBy(module, vectorWords64, two, suffix) }, pair]);
    exportMessages(module, blocks, single, laneSteps(module, vectorWords64, two));
  } else {
    exportPairs(module, [pair]);
    exportMessages(module, blocks, single);
  }
  return module.toText();
}

/** All builds of the sponge with this suffix. */
export function keccakBuilds(suffix: number): KernelSource['builds'] {
  return [
    { feature: 'simd', text: build(suffix, true), passes: [] },
    { feature: 'scalar', text: build(suffix, false), passes: [] },
  ];
}
