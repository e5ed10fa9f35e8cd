import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { toHex } from '../../src/bytes.ts';
import { shake256 } from '../../src/hash/keccak.ts';

it('makes the SHAKE256 of node:crypto, around every edge of a block', () => {
  for (const length of [0, 1, 17, 135, 136, 137, 271, 272, 300]) {
    const message = Uint8Array.from({ length }, (_, i) => 7 * i + 1);
    for (const outputLength of [1, 32, 136, 137, 1512]) {
      const expected = createHash('shake256', { outputLength }).update(message).digest();
      expect(toHex(shake256(message, outputLength))).toBe(toHex(expected));
    }
  }
});
