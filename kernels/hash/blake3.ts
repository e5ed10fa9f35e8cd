/** BLAKE3 on the CPU: one hash in 32-bit integers, four in the lanes of vectors, pairs also eight in two such groups. */
import { blakeWords32 } from '../../src/hash/blake.ts';
import { flags, iv, schedule } from '../../src/hash/blake3.ts';
import { type BlakeGroup, blakeRounds } from '../lib/blake-rounds.ts';
import { folded, lowerState, MESSAGE_WORDS } from '../lib/blake3-compress.ts';
import { blake3Steps, blocks } from '../lib/blake3-steps.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { exportMessages } from '../lib/messages.ts';
import { ModuleBuilder } from '../lib/module.ts';
import { exportPairs, PAIR_BYTES, type PairGroup, pairGroup } from '../lib/pairs.ts';
import { placesAt, wordBytes } from '../lib/words.ts';
import { scalarWords, vectorWords, type Word32Type, type Words32 } from '../lib/words32.ts';

const KIND = flags.chunkStart | flags.chunkEnd | flags.root;

/** Pairs in one piece, by `groups` times the lanes of `w`. Their words lie in memory: registers are for the states. */
function pairsBy<T extends Word32Type>(module: ModuleBuilder, w: Words32<T>, groups: number): PairGroup {
  const bytes = wordBytes(w);
  const messages = module.reserve(groups * MESSAGE_WORDS * bytes);
  return pairGroup(module, groups * w.lanes, (f, pairs, digests) => {
    const own = (group: number) => placesAt(pairs.slice(group * w.lanes, (group + 1) * w.lanes));
    const states = Array.from({ length: groups }, (_, group): BlakeGroup<T> => {
      const message = messages + group * MESSAGE_WORDS * bytes;
      const words = w.readLittleEndian(f, own(group), MESSAGE_WORDS);
      f.run(...words.map((word, i) => w.store(message, word, i * bytes)));
      const position = {
        counter: w.constant(0),
        length: w.constant(PAIR_BYTES),
        flags: w.constant(KIND),
      };
      const v = [...iv.map(w.constant), ...lowerState(w, position)].map((word) => f.let(word));
      return { v, word: (i) => w.load(message, i * bytes) };
    });
    blakeRounds(f, w, blakeWords32, schedule, states);
    states.forEach(({ v }, group) => {
      const places = placesAt(digests.slice(group * w.lanes, (group + 1) * w.lanes));
      w.writeLittleEndian(f, places, folded(w, v));
    });
  });
}

function scalarModule(): string {
  const module = new ModuleBuilder();
  exportPairs(module, [{ least: 1, group: pairsBy(module, scalarWords, 1) }]);
  exportMessages(module, blocks, blake3Steps(module, scalarWords));
  return module.toText();
}

function simdModule(): string {
  const module = new ModuleBuilder();
  exportPairs(module, [
    { least: 5, group: pairsBy(module, vectorWords, 2) },
    { least: 2, group: pairsBy(module, vectorWords, 1) },
    { least: 1, group: pairsBy(module, scalarWords, 1) },
  ]);
  exportMessages(module, blocks, blake3Steps(module, scalarWords), blake3Steps(module, vectorWords));
  return module.toText();
}

export const kernels: KernelSource = {
  builds: [
    { feature: 'simd', text: simdModule(), passes: [] },
    { feature: 'scalar', text: scalarModule(), passes: [] },
  ],
};
