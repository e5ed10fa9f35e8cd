/** Plonky3's wrappers of a permutation: a sponge without padding, and a pair as the front of the state. */
import { elementsToBytes } from '../field/goldilocks.js';
import { overwriteSponge } from './overwrite-sponge.js';
import { poseidon2Permutation } from './poseidon2-goldilocks.js';
import type { HashModule } from './types.js';
import { pairElements, WORD } from './word.js';

/** Reference code of `PaddingFreeSponge` and `TruncatedPermutation` over Poseidon2 of this width. */
export function plonky3Module(id: string, width: 8 | 12): HashModule {
  const sponge = { permute: poseidon2Permutation, width, rate: width - WORD };
  return {
    id,
    rate: sponge.rate,
    hashElements: (elements) => elementsToBytes(overwriteSponge(sponge, elements)),
    hashPair(left, right) {
      const state = [...pairElements(left, right), ...Array<bigint>(width - 2 * WORD).fill(0n)];
      return elementsToBytes(poseidon2Permutation(state).slice(0, WORD));
    },
  };
}
