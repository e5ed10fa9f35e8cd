/** BLAKE3 over messages of any length, one per lane: chunks, and the tree over them. */
import { CHUNK_BYTES, flags } from '../../src/hash/blake3.ts';
import { CHAINING_WORDS, type Compression, compression, MESSAGE_WORDS } from './blake3-compress.ts';
import type { FunctionBuilder } from './function.ts';
import { type Blocks, byKey, type LaneSteps, laneKeys } from './messages.ts';
import type { ModuleBuilder } from './module.ts';
import { i32, memory } from './scalar.ts';
import type { I32, Statement } from './value.ts';
import { placesAt, wordBytes } from './words.ts';
import type { Word32Type, Words32 } from './words32.ts';

const BLOCK_BYTES = 64;
const CHUNK_BITS = Math.log2(CHUNK_BYTES);
/** A message has at most 2^22 chunks; one entry more, because a left half and its right one lie side by side. */
const STACK_ENTRIES = 24;

/** No padding; an empty message takes one block. */
export const blocks: Blocks = {
  bytes: BLOCK_BYTES,
  tail: 1,
  count: (length) => i32.select(length, i32.shrU(i32.add(length, BLOCK_BYTES - 1), 6), 1),
  pad: () => [],
};

const flagIf = (condition: I32, flag: number): I32 => i32.select(condition, flag, 0);
const isChunkBorder = (at: I32): I32 => i32.eqz(i32.and(at, CHUNK_BYTES - 1));
const chunksBefore = (at: I32): I32 => i32.shrU(at, CHUNK_BITS);

/** Full subtrees to the left of what is hashed now: as many as their number of chunks has ones. */
interface Stack {
  /** Makes the chaining value an entry, and joins it with those that it completes a full subtree with. */
  push(chunks: I32): Statement;
  /** Joins the chaining value with all entries, from right to left: it becomes the root's. */
  join(chunks: I32): Statement;
}

function chunkStack<T extends Word32Type>(
  module: ModuleBuilder,
  w: Words32<T>,
  { chaining, begin, compress }: Compression<T>,
): Stack {
  const entryBytes = CHAINING_WORDS * wordBytes(w);
  const stack = module.reserve(STACK_ENTRIES * entryBytes);
  const entry = (depth: I32): I32 => i32.add(i32.mul(depth, entryBytes), stack);
  const full = Array.from({ length: w.lanes }, () => i32.const(BLOCK_BYTES));
  const keep = (place: I32): Statement => memory.copy(place, chaining, entryBytes);
  /** Of the entry at `place` and the one behind it. */
  const parent = (place: I32, extra: I32): readonly Statement[] => [
    begin(),
    compress(place, i32.const(0), i32.or(extra, flags.parent), full),
  ];
  const chunks = { chunks: 'i32' } as const;
  const push = module.function(`push_x${w.lanes}`, chunks, (f, { chunks }) => {
    const place = f.let(entry(i32.popcnt(i32.sub(chunks, 1))));
    f.run(keep(place));
    f.while(i32.eqz(i32.and(chunks, 1)), () => {
      f.set(place, i32.sub(place, entryBytes));
      f.run(...parent(place, i32.const(0)), keep(place));
      f.set(chunks, i32.shrU(chunks, 1));
    });
  });
  const join = module.function(`join_x${w.lanes}`, chunks, (f, { chunks }) => {
    const place = f.let(entry(i32.popcnt(chunks)));
    f.while(i32.gtU(place, stack), () => {
      f.run(keep(place));
      f.set(place, i32.sub(place, entryBytes));
      f.run(...parent(place, flagIf(i32.eq(place, stack), flags.root)));
    });
  });
  return { push: (chunks) => push({ chunks }), join: (chunks) => join({ chunks }) };
}

/** Adds the steps for the lanes of `w`. */
export function blake3Steps<T extends Word32Type>(module: ModuleBuilder, w: Words32<T>): LaneSteps {
  const own = compression(module, w);
  const stack = chunkStack(module, w, own);
  const message = module.reserve(MESSAGE_WORDS * wordBytes(w));
  const lanes = laneKeys(w.lanes, 'lane');
  const lengths = laneKeys(w.lanes, 'length');
  const places = byKey(lanes, () => 'i32' as const);
  const read = (f: FunctionBuilder, addresses: readonly I32[]): void => {
    const words = w.readLittleEndian(f, placesAt(addresses), MESSAGE_WORDS);
    f.run(...words.map((word, i) => w.store(message, word, i * wordBytes(w))));
  };
  const parameters = { ...places, ...byKey(lengths, () => 'i32' as const), at: 'i32', last: 'i32' } as const;
  const fold = module.function(`block_x${w.lanes}`, parameters, (f, locals) => {
    const of = (keys: readonly string[]): I32[] =>
      keys.map((key) => (locals as Readonly<Record<string, I32>>)[key]!);
    const { at, last } = locals;
    const chunk = f.let(chunksBefore(at), 'chunk');
    const ends = f.let(i32.or(last, isChunkBorder(i32.add(at, BLOCK_BYTES))), 'ends');
    const kind = f.let(flagIf(ends, flags.chunkEnd), 'kind');
    f.if(isChunkBorder(at), () => {
      f.run(own.begin());
      f.set(kind, i32.or(kind, flags.chunkStart));
    });
    f.if(i32.and(last, i32.eqz(chunk)), () => f.set(kind, i32.or(kind, flags.root)));
    read(f, of(lanes));
    f.run(own.compress(i32.const(message), chunk, kind, of(lengths)));
    f.if(
      last,
      () => f.run(stack.join(chunk)),
      () => f.if(ends, () => f.run(stack.push(i32.add(chunk, 1)))),
    );
  });
  const digest = module.function(`digest_x${w.lanes}`, places, (f, locals) =>
    w.writeLittleEndian(f, placesAt(lanes.map((key) => locals[key]!)), own.read()),
  );
  const call = (addresses: readonly I32[], length: (lane: number) => I32, at: I32, last: 0 | 1): Statement =>
    fold({ ...byKey(lanes, (i) => addresses[i]!), ...byKey(lengths, length), at, last: i32.const(last) });
  return {
    lanes: w.lanes,
    reset: () => own.begin(),
    block: (addresses, at) => call(addresses, () => i32.const(BLOCK_BYTES), at, 0),
    last: (addresses, at, ends) => call(addresses, (lane) => i32.sub(ends[lane]!, at), at, 1),
    digest: (addresses) => digest(byKey(lanes, (i) => addresses[i]!)),
  };
}
