/**
 * SHA-256 on the CPU: pairs, and messages of any length; one hash in 32-bit integers, or four in the lanes of vectors.
 */
import type { FunctionBuilder } from '../lib/function.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { type Locals, ModuleBuilder } from '../lib/module.ts';
import { i32, memory } from '../lib/scalar.ts';
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
import {
  type Place,
  scalarWords,
  swapBytes,
  vectorWords,
  type Words,
  type WordType,
} from '../lib/words32.ts';

/** What becomes of the state before it is written as the digest. */
export type Finish = <T extends WordType>(w: Words<T>, state: Eight<Value<T>>) => Eight<Value<T>>;

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
/** One row of the `messages` table: address, length, address of the digest. */
const ROW = { address: 0, length: 4, digest: 8, bytes: 12 } as const;

/** One hash per lane, step by step. The state lies in memory between the steps. */
interface LaneSteps {
  readonly lanes: number;
  reset(): Statement;
  /** Folds the block at each lane's address into the state. */
  block(addresses: readonly I32[]): Statement;
  /** Folds the padding block of 64-byte messages into the state. */
  padding(): Statement;
  /** Writes the digest to each lane's address. */
  digest(addresses: readonly I32[]): Statement;
}

function laneSteps<T extends WordType>(
  module: ModuleBuilder,
  w: Words<T>,
  table: Tables,
  finish: Finish,
): LaneSteps {
  const bytes = 4 * w.lanes;
  const state = module.reserve(8 * bytes);
  const read = () =>
    Array.from({ length: 8 }, (_, i) => w.load(state, i * bytes)) as unknown as Eight<Value<T>>;
  const write = (f: FunctionBuilder, words: Eight<Value<T>>) =>
    f.run(...words.map((word, i) => w.store(state, word, i * bytes)));
  const keys = Array.from({ length: w.lanes }, (_, i) => `lane${i}`);
  const parameters = Object.fromEntries(keys.map((key) => [key, 'i32' as const]));
  const byKey = (addresses: readonly I32[]) => Object.fromEntries(keys.map((key, i) => [key, addresses[i]!]));
  const each = (lanes: Readonly<Record<string, I32>>): Place[] =>
    keys.map((key) => ({ address: lanes[key]!, offset: 0 }));

  const reset = module.function(`reset_x${w.lanes}`, {}, (f) => write(f, initial(w)));
  const block = module.function(`block_x${w.lanes}`, parameters, (f, lanes) => {
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
  return {
    lanes: w.lanes,
    reset: () => reset({}),
    block: (addresses) => block(byKey(addresses)),
    padding: () => padding({}),
    digest: (addresses) => digest(byKey(addresses)),
  };
}

/** At most one pair per lane. Lanes beyond `count` repeat the last pair and write its digest again. */
function pairGroup(module: ModuleBuilder, steps: LaneSteps) {
  const parameters = { input: 'i32', output: 'i32', count: 'i32' } as const;
  return module.function(`pairs_x${steps.lanes}`, parameters, (f, { input, output, count }) => {
    const last = f.let(i32.sub(count, 1));
    const lanes = Array.from({ length: steps.lanes }, (_, i) => f.let(i32.select(i32.ltU(i, last), i, last)));
    const at = (base: I32, stride: number) => lanes.map((lane) => i32.add(base, i32.mul(lane, stride)));
    f.run(
      steps.reset(),
      steps.block(at(input, BLOCK_BYTES)),
      steps.padding(),
      steps.digest(at(output, DIGEST_BYTES)),
    );
  });
}

/** Blocks of a message with its padding: the bytes, one 0x80, eight bytes of bit length. */
const blocksOf = (length: I32): I32 => i32.shrU(i32.add(length, 9 + BLOCK_BYTES - 1), 6);

/**
 * One message per lane, all of the same block count, from the table row at `row` on. All but the last two blocks are
 * read where they lie; those two are completed in scratch space.
 */
function messageGroup(module: ModuleBuilder, steps: LaneSteps) {
  const tail = module.reserve(2 * BLOCK_BYTES * steps.lanes);
  return module.function(`messages_x${steps.lanes}`, { row: 'i32' }, (f, { row }) => {
    const lanes = Array.from({ length: steps.lanes }, (_, i) => i);
    const field = (lane: number, name: 'address' | 'length' | 'digest'): I32 =>
      i32.load(row, ROW.bytes * lane + ROW[name]);
    const tailOf = (lane: number): number => tail + 2 * BLOCK_BYTES * lane;

    const blocks = f.let(blocksOf(field(0, 'length')), 'blocks');
    const whole = f.let(i32.select(i32.gtU(blocks, 2), i32.sub(blocks, 2), 0), 'whole');
    const wholeBytes = f.let(i32.mul(whole, BLOCK_BYTES), 'wholeBytes');
    const tailBytes = f.let(i32.mul(i32.sub(blocks, whole), BLOCK_BYTES), 'tailBytes');
    const at = f.local('i32', 'at');

    f.run(steps.reset());
    f.while(i32.ltU(at, wholeBytes), () => {
      f.run(steps.block(lanes.map((lane) => i32.add(field(lane, 'address'), at))));
      f.set(at, i32.add(at, BLOCK_BYTES));
    });
    for (const lane of lanes) {
      const length = f.let(field(lane, 'length'), 'length');
      const rest = f.let(i32.sub(length, wholeBytes), 'rest');
      const end = f.let(i32.add(tailOf(lane), tailBytes), 'end');
      f.run(
        memory.fill(tailOf(lane), 0, 2 * BLOCK_BYTES),
        memory.copy(tailOf(lane), i32.add(field(lane, 'address'), wholeBytes), rest),
        i32.store8(i32.add(tailOf(lane), rest), i32.const(0x80)),
        i32.store(i32.sub(end, 8), swapBytes(i32.shrU(length, 29))),
        i32.store(i32.sub(end, 4), swapBytes(i32.shl(length, 3))),
      );
    }
    f.set(at, i32.const(0));
    f.while(i32.ltU(at, tailBytes), () => {
      f.run(steps.block(lanes.map((lane) => i32.add(tailOf(lane), at))));
      f.set(at, i32.add(at, BLOCK_BYTES));
    });
    f.run(steps.digest(lanes.map((lane) => field(lane, 'digest'))));
  });
}

/** How the exported `pairs` takes its work: `most` pairs at once while `least` are left. */
interface Stage {
  readonly least: number;
  readonly most: number;
  run(input: I32, output: I32, count: I32): Statement;
}

function exportPairs(module: ModuleBuilder, stages: readonly Stage[]): void {
  const parameters = { input: 'i32', output: 'i32', count: 'i32' } as const;
  const body = (f: FunctionBuilder, { input, output, count }: Locals<typeof parameters>): void => {
    for (const { least, most, run } of stages) {
      f.while(i32.geU(count, least), () => {
        const taken = f.let(i32.select(i32.ltU(count, most), count, most), 'taken');
        f.run(run(input, output, taken));
        f.set(input, i32.add(input, i32.mul(taken, BLOCK_BYTES)));
        f.set(output, i32.add(output, i32.mul(taken, DIGEST_BYTES)));
        f.set(count, i32.sub(count, taken));
      });
    }
  };
  module.function('pairs', parameters, body, { export: true });
}

/** The exported `messages`: with lanes, neighbours of equal block count go together. */
function exportMessages(module: ModuleBuilder, single: LaneSteps, lanes?: LaneSteps): void {
  const one = messageGroup(module, single);
  const many = lanes && messageGroup(module, lanes);
  const parameters = { table: 'i32', count: 'i32' } as const;
  const body = (f: FunctionBuilder, { table, count }: Locals<typeof parameters>): void => {
    const advance = (by: number): void => {
      f.set(table, i32.add(table, by * ROW.bytes));
      f.set(count, i32.sub(count, by));
    };
    const runOne = (): void => {
      f.run(one({ row: table }));
      advance(1);
    };
    const equalBlocks = (width: number): I32 => {
      const blocks = (i: number) => blocksOf(i32.load(table, ROW.bytes * i + ROW.length));
      const differences = Array.from({ length: width - 1 }, (_, i) => i32.xor(blocks(0), blocks(i + 1)));
      return i32.eqz(i32.or(...(differences as [I32, ...I32[]])));
    };
    if (lanes && many) {
      f.while(i32.geU(count, lanes.lanes), () => {
        f.if(
          equalBlocks(lanes.lanes),
          () => {
            f.run(many({ row: table }));
            advance(lanes.lanes);
          },
          runOne,
        );
      });
    }
    f.while(i32.ne(count, 0), runOne);
  };
  module.function('messages', parameters, body, { export: true });
}

function scalarModule(finish: Finish): string {
  const module = new ModuleBuilder();
  const table = tables(module);
  const single = laneSteps(module, scalarWords, table, finish);
  const pair = pairGroup(module, single);
  exportPairs(module, [{ least: 1, most: 1, run: (input, output, count) => pair({ input, output, count }) }]);
  exportMessages(module, single);
  return module.toText();
}

function simdModule(finish: Finish): string {
  const module = new ModuleBuilder();
  const table = tables(module);
  const four = laneSteps(module, vectorWords, table, finish);
  const single = laneSteps(module, scalarWords, table, finish);
  const pairs = pairGroup(module, four);
  const pair = pairGroup(module, single);
  exportPairs(module, [
    { least: 2, most: 4, run: (input, output, count) => pairs({ input, output, count }) },
    { least: 1, most: 1, run: (input, output, count) => pair({ input, output, count }) },
  ]);
  exportMessages(module, single, four);
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
