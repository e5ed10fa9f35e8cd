/** BLAKE3's compression, with its chaining value and its message in memory. */
import { blakeWords32 } from '../../src/hash/blake.ts';
import { iv, schedule } from '../../src/hash/blake3.ts';
import { blakeRounds } from './blake-rounds.ts';
import type { FunctionBuilder } from './function.ts';
import { byKey, laneKeys } from './messages.ts';
import type { ModuleBuilder } from './module.ts';
import type { I32, Statement, Value } from './value.ts';
import { wordBytes } from './words.ts';
import type { Word32Type, Words32 } from './words32.ts';

/** Words of a chaining value, and of a digest. */
export const CHAINING_WORDS = 8;
export const MESSAGE_WORDS = 16;

export interface Compression<T extends Word32Type> {
  /** Address of the chaining values. */
  readonly chaining: number;
  /** Sets the chaining values to those before a chunk, and before a parent. */
  begin(): Statement;
  /** Folds the message at an address in. Lanes share counter and flags, but not the length of their blocks. */
  compress(message: I32, counter: I32, flags: I32, lengths: readonly I32[]): Statement;
  /** The chaining values. */
  read(): Value<T>[];
}

/** The state of a compression, behind its chaining value. */
export const lowerState = <T extends Word32Type>(
  w: Words32<T>,
  { counter, length, flags }: Readonly<Record<'counter' | 'length' | 'flags', Value<T>>>,
): Value<T>[] => [...iv.slice(0, 4).map(w.constant), counter, w.constant(0), length, flags];

/** What a compression leaves of its state. */
export const folded = <T extends Word32Type>(w: Words32<T>, v: readonly Value<T>[]): Value<T>[] =>
  iv.map((_, i) => w.xor(v[i]!, v[i + CHAINING_WORDS]!));

/** Adds the functions for the lanes of `w`. */
export function compression<T extends Word32Type>(module: ModuleBuilder, w: Words32<T>): Compression<T> {
  const bytes = wordBytes(w);
  const chaining = module.reserve(CHAINING_WORDS * bytes);
  const read = (): Value<T>[] => iv.map((_, i) => w.load(chaining, i * bytes));
  const write = (f: FunctionBuilder, words: readonly Value<T>[]): void =>
    f.run(...words.map((word, i) => w.store(chaining, word, i * bytes)));
  const begin = module.function(`begin_x${w.lanes}`, {}, (f) => write(f, iv.map(w.constant)));
  const lengthKeys = laneKeys(w.lanes, 'length');
  const parameters = {
    ...byKey(lengthKeys, () => 'i32' as const),
    message: 'i32' as const,
    counter: 'i32' as const,
    flags: 'i32' as const,
  };
  const compress = module.function(`compress_x${w.lanes}`, parameters, (f, locals) => {
    const { message, counter, flags, ...lengths } = locals;
    const everywhere = (value: I32): Value<T> => w.join(lengthKeys.map(() => value));
    const length = w.join(lengthKeys.map((key) => (lengths as Readonly<Record<string, I32>>)[key]!));
    const lower = lowerState(w, { counter: everywhere(counter), length, flags: everywhere(flags) });
    const v = [...read(), ...lower].map((word) => f.let(word));
    blakeRounds(f, w, blakeWords32, schedule, v, (i) => w.load(message, i * bytes));
    write(f, folded(w, v));
  });
  return {
    chaining,
    read,
    begin: () => begin({}),
    compress: (message, counter, flags, lengths) =>
      compress({ ...byKey(lengthKeys, (i) => lengths[i]!), message, counter, flags }),
  };
}
