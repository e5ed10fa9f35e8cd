/** The exported `messages`: byte messages of any length, neighbours of equal block count in the lanes of vectors. */
import type { FunctionBuilder } from './function.ts';
import type { Locals, ModuleBuilder } from './module.ts';
import { i32, i64, memory } from './scalar.ts';
import type { I32, Statement } from './value.ts';

/** One row of the table: address, length, address of the digest. */
const ROW = { address: 0, length: 4, digest: 8, bytes: 12 } as const;

/** The end of a message in scratch space, before its padding: bytes, then zeros. */
export interface Tail {
  /** The first byte behind the message. */
  readonly padding: I32;
  /** The first byte behind the last block. */
  readonly end: I32;
  /** Bytes of the whole message. */
  readonly length: I32;
}

/** How a hash cuts a message into blocks. */
export interface Blocks {
  readonly bytes: number;
  /** How many blocks at the end, at most, hold padding or less than a full block. */
  readonly tail: 1 | 2;
  /** Blocks of a message with its padding. */
  count(length: I32): I32;
  /** Writes what follows the message. */
  pad(tail: Tail): readonly Statement[];
}

/** One hash per lane, step by step. The state lies in memory between the steps. */
export interface LaneSteps {
  readonly lanes: number;
  /** Starts messages of these lengths. */
  reset(lengths: readonly I32[]): Statement;
  /** Folds the block at each lane's address into the state; `at` bytes of each message lie before it, and more follow. */
  block(addresses: readonly I32[], at: I32): Statement;
  /** Folds the last block of messages of these lengths. */
  last(addresses: readonly I32[], at: I32, lengths: readonly I32[]): Statement;
  /** Writes the digest to each lane's address. */
  digest(addresses: readonly I32[]): Statement;
}

/** Names of one `i32` parameter per lane. */
export const laneKeys = (lanes: number, name: string): string[] =>
  Array.from({ length: lanes }, (_, i) => `${name}${i}`);

/** A record with one entry per key. */
export const byKey = <V>(keys: readonly string[], value: (i: number) => V): Record<string, V> =>
  Object.fromEntries(keys.map((key, i) => [key, value(i)]));

/** Written out: for so few bytes the call behind `memory.fill` takes longer. */
const zeros = (address: number, bytes: number): Statement[] =>
  Array.from({ length: bytes / 8 }, (_, i) => i64.store(address, i64.const(0n), 8 * i));

/** The last blocks of one lane, completed in scratch space. */
function writeTail(
  f: FunctionBuilder,
  blocks: Blocks,
  place: { readonly tail: number; readonly bytes: I32; readonly from: I32; readonly length: I32 },
  done: I32,
): void {
  const { tail, bytes, from, length } = place;
  const rest = f.let(i32.sub(length, done), 'rest');
  f.run(
    ...zeros(tail, blocks.tail * blocks.bytes),
    memory.copy(tail, i32.add(from, done), rest),
    ...blocks.pad({ padding: i32.add(tail, rest), end: i32.add(tail, bytes), length }),
  );
}

/**
 * One message per lane, all of the same block count, from the table row at `row` on. All but the last blocks are read
 * where they lie.
 */
function messageGroup(module: ModuleBuilder, blocks: Blocks, steps: LaneSteps) {
  const tailBytes = blocks.tail * blocks.bytes;
  const scratch = module.reserve(tailBytes * steps.lanes);
  return module.function(`messages_x${steps.lanes}`, { row: 'i32' }, (f, { row }) => {
    const lanes = Array.from({ length: steps.lanes }, (_, i) => i);
    const field = (lane: number, name: 'address' | 'length' | 'digest'): I32 =>
      i32.load(row, ROW.bytes * lane + ROW[name]);
    const lengths = lanes.map((lane) => f.let(field(lane, 'length'), 'length'));
    const addresses = lanes.map((lane) => f.let(field(lane, 'address'), 'address'));

    const count = f.let(blocks.count(lengths[0]!), 'blocks');
    const whole = f.let(i32.select(i32.gtU(count, blocks.tail), i32.sub(count, blocks.tail), 0), 'whole');
    const done = f.let(i32.mul(whole, blocks.bytes), 'done');
    const bytes = f.let(i32.mul(i32.sub(count, whole), blocks.bytes), 'tailBytes');
    const at = f.local('i32', 'at');

    f.run(steps.reset(lengths));
    f.while(i32.ltU(at, done), () => {
      f.run(
        steps.block(
          addresses.map((address) => i32.add(address, at)),
          at,
        ),
      );
      f.set(at, i32.add(at, blocks.bytes));
    });
    const tails = lanes.map((lane) => scratch + tailBytes * lane);
    for (const lane of lanes) {
      const place = { tail: tails[lane]!, bytes, from: addresses[lane]!, length: lengths[lane]! };
      writeTail(f, blocks, place, done);
    }
    if (blocks.tail === 2) {
      f.if(i32.gtU(bytes, blocks.bytes), () => {
        f.run(steps.block(tails.map(i32.const), at));
        f.set(at, i32.add(at, blocks.bytes));
      });
    }
    f.run(
      steps.last(
        tails.map((tail) => i32.add(tail, i32.sub(at, done))),
        at,
        lengths,
      ),
      steps.digest(lanes.map((lane) => field(lane, 'digest'))),
    );
  });
}

/** Exports `messages`: neighbours of equal block count go together where there are lanes for them. */
export function exportMessages(
  module: ModuleBuilder,
  blocks: Blocks,
  single: LaneSteps,
  lanes?: LaneSteps,
): void {
  const one = messageGroup(module, blocks, single);
  const many = lanes && messageGroup(module, blocks, lanes);
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
      const of = (i: number): I32 => blocks.count(i32.load(table, ROW.bytes * i + ROW.length));
      const differences = Array.from({ length: width - 1 }, (_, i) => i32.xor(of(0), of(i + 1)));
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
