/** The sponge without padding that Plonky2 and Plonky3 share: each block overwrites the front of the rate. */
import { canonicalElement } from '../field/goldilocks.js';
import { type Permutation, WORD } from './word.js';

/**
 * Absorbs the elements and squeezes `outputs` of them. A short last block leaves the rest of the rate as it was, so inputs
 * of different lengths collide: fit for lengths that are known beforehand. No elements: zeros.
 *
 * @throws {CambiumError} `NOT_CANONICAL` with the index of an element out of range.
 */
export function overwriteSponge(
  { permute, width, rate }: { permute: Permutation; width: number; rate: number },
  elements: readonly bigint[],
  outputs: number = WORD,
): bigint[] {
  let state = new Array<bigint>(width).fill(0n);
  const input = elements.map(canonicalElement);
  for (let at = 0; at < input.length; at += rate) {
    const block = input.slice(at, at + rate);
    state = permute([...block, ...state.slice(block.length)]);
  }
  const squeezed = state.slice(0, rate);
  while (squeezed.length < outputs) {
    state = permute(state);
    squeezed.push(...state.slice(0, rate));
  }
  return squeezed.slice(0, outputs);
}
