/** Miden's sponge: twelve elements, rate 8, capacity 4, digests of 4; the input overwrites the rate. */
import { assertBytes, assertLength, DIGEST_BYTES, type Digest } from '../bytes.js';
import { canonicalElement, elementsFromBytes, elementsToBytes, gl } from '../field/goldilocks.js';
import type { HashModule } from './types.js';
import { type Permutation, pairElements, WORD } from './word.js';

const WIDTH = 12;
const RATE = 8;
/** Message bytes in one element: the most that stay below the modulus with a marker behind them. */
const CHUNK_BYTES = 7;

/** Where the capacity stands: behind the rate (miden-crypto from v0.21 on) or before it (until v0.20). */
export type Layout = 'rate-first' | 'capacity-first';

/** Reference code of a hash of Miden's kind. `NOT_CANONICAL` is thrown for elements out of range, with their index. */
export interface MidenModule extends Omit<Required<HashModule>, 'maxElements'> {
  /** {@link HashModule.hashElements} separated by a domain in the second capacity element; domain 0 changes nothing. */
  hashInDomain(elements: readonly bigint[], domain: bigint): Digest;
  /** {@link HashModule.hashPair} separated in the same way. */
  mergeInDomain(left: Uint8Array, right: Uint8Array, domain: bigint): Digest;
  /** A digest and a 64-bit integer to a digest (miden-crypto until v0.23); the integer takes a second element from p on. */
  mergeWithInt(seed: Uint8Array, value: bigint): Digest;
}

/** Absorbs `elements`, the last block filled up with `padding`, behind a capacity of `[first, second, 0, 0]`. */
export function midenSponge(
  permute: Permutation,
  layout: Layout,
  elements: readonly bigint[],
  { first = 0n, second = 0n, padding = [] }: { first?: bigint; second?: bigint; padding?: readonly bigint[] },
): Digest {
  const [rate, capacity] = layout === 'rate-first' ? [0, RATE] : [WIDTH - RATE, 0];
  const input = elements.length % RATE ? [...elements, ...padding] : elements;
  let state = new Array<bigint>(WIDTH).fill(0n);
  state[capacity] = first;
  state[capacity + 1] = second;
  for (let at = 0; at < input.length; at += RATE) {
    for (let i = 0; i < RATE; i++) state[rate + i] = input[at + i] ?? 0n;
    state = permute(state);
  }
  return elementsToBytes(state.slice(rate, rate + WORD));
}

/** The elements of a message: seven bytes each, the last with a byte 1 behind its data. */
function messageElements(message: Uint8Array): bigint[] {
  return Array.from({ length: Math.ceil(message.length / CHUNK_BYTES) }, (_, i) => {
    const chunk = message.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
    const last = (i + 1) * CHUNK_BYTES >= message.length;
    return chunk.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), last ? 1n : 0n);
  });
}

/** Reference code of Miden's sponge over a permutation. */
export function midenModule(id: string, permute: Permutation, layout: Layout): MidenModule {
  const sponge = (elements: readonly bigint[], first: number, second: bigint): Digest =>
    midenSponge(permute, layout, elements, { first: BigInt(first), second });
  const hashInDomain = (elements: readonly bigint[], domain: bigint): Digest =>
    sponge(elements.map(canonicalElement), elements.length % RATE, canonicalElement(domain, 0));
  const mergeInDomain = (left: Uint8Array, right: Uint8Array, domain: bigint): Digest =>
    sponge(pairElements(left, right), 0, canonicalElement(domain, 0));
  return {
    id,
    rate: RATE,
    hashElements: (elements) => hashInDomain(elements, 0n),
    hashInDomain,
    hashPair: (left, right) => mergeInDomain(left, right, 0n),
    mergeInDomain,
    mergeWithInt(seed, value) {
      assertLength(seed, DIGEST_BYTES, 'seed');
      if (BigInt.asUintN(64, value) !== value)
        throw new RangeError(`value: expected 64 bits, not negative, got ${value}`);
      const overflow = value < gl.modulus ? [] : [value / gl.modulus];
      return hashInDomain([...elementsFromBytes(seed), gl.reduce(value), ...overflow], 0n);
    },
    hash(message) {
      assertBytes(message, 'message');
      const elements = messageElements(message);
      // Bytes and elements never collide: their capacities differ.
      return sponge(elements, RATE + (elements.length % RATE), 0n);
    },
    messageBlocks: (length) => Math.ceil(length / (CHUNK_BYTES * RATE)),
  };
}
