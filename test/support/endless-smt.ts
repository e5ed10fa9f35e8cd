/** The changes that processes make to an Smt, step by step without end. */
import { concatBytes, type Digest } from '../../src/bytes.ts';
import { hashToWord } from './word-hasher.ts';

const text = (value: string): Digest => hashToWord(new TextEncoder().encode(value));

/** Keys that all steps change: some share a leaf, some a long part of their paths. */
export const endlessKeys: readonly Digest[] = Array.from({ length: 200 }, (_, i) => {
  const key = text(`key ${i}`);
  if (i % 4) key.set(text(`leaf ${i >> 3}`).subarray(i % 4 === 1 ? 24 : 28), i % 4 === 1 ? 24 : 28);
  return key;
});

/** The entries of one step: new ones, others overwritten and removed. */
export function endlessEntries(step: number): Digest {
  return concatBytes(
    ...Array.from({ length: 20 }, (_, i) => {
      const key = endlessKeys[(step * 13 + i * 7) % endlessKeys.length]!;
      return concatBytes(key, (step + i) % 3 ? text(`value ${step} ${i}`) : new Uint8Array(32));
    }),
  );
}
