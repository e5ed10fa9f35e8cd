import { concatBytes, toHex } from '../bytes.js';
import { CambiumError } from '../errors.js';
import { elementToBytes } from '../field/bn254.js';
import { sha256 } from './sha256.js';

/**
 * Compares derived constants with the SHA-256 of their 32-byte big-endian forms, so that a derivation that went
 * wrong never hashes anything.
 *
 * @throws {CambiumError} `KERNEL_SELF_TEST` when they differ.
 */
export function checkConstants(name: string, elements: readonly bigint[], expected: string): void {
  const digest = toHex(sha256(concatBytes(...elements.map(elementToBytes))));
  if (digest === expected) return;
  throw new CambiumError(
    'KERNEL_SELF_TEST',
    `${name}: derived constants have digest ${digest}, not ${expected}`,
  );
}
