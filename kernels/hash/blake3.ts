/** BLAKE3 on the CPU: one hash in 32-bit integers, or four in the lanes of vectors. */
import { blakeWords32 } from '../../src/hash/blake.ts';
import { flags, iv, schedule } from '../../src/hash/blake3.ts';
import { blakeRounds } from '../lib/blake-rounds.ts';
import { folded, lowerState, MESSAGE_WORDS } from '../lib/blake3-compress.ts';
import { blake3Steps, blocks } from '../lib/blake3-steps.ts';
import type { KernelSource } from '../lib/kernel.ts';
import { exportMessages } from '../lib/messages.ts';
import { ModuleBuilder } from '../lib/module.ts';
import { exportPairs, PAIR_BYTES, type PairGroup, pairGroup } from '../lib/pairs.ts';
import { placesAt } from '../lib/words.ts';
import { scalarWords, vectorWords, type Word32Type, type Words32 } from '../lib/words32.ts';

const PAIR_FLAGS = flags.chunkStart | flags.chunkEnd | flags.root;

/** Pairs in one piece: everything but their words is constant. */
function pairsBy<T extends Word32Type>(module: ModuleBuilder, w: Words32<T>): PairGroup {
  return pairGroup(module, w.lanes, (f, pairs, digests) => {
    const words = w.readLittleEndian(f, placesAt(pairs), MESSAGE_WORDS);
    const lower = lowerState(w, {
      counter: w.constant(0),
      length: w.constant(PAIR_BYTES),
      flags: w.constant(PAIR_FLAGS),
    });
    const v = [...iv.map(w.constant), ...lower].map((word) => f.let(word));
    blakeRounds(f, w, blakeWords32, schedule, v, (i) => words[i]);
    w.writeLittleEndian(f, placesAt(digests), folded(w, v));
  });
}

function scalarModule(): string {
  const module = new ModuleBuilder();
  exportPairs(module, [{ least: 1, group: pairsBy(module, scalarWords) }]);
  exportMessages(module, blocks, blake3Steps(module, scalarWords));
  return module.toText();
}

function simdModule(): string {
  const module = new ModuleBuilder();
  exportPairs(module, [
    { least: 2, group: pairsBy(module, vectorWords) },
    { least: 1, group: pairsBy(module, scalarWords) },
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
