/**
 * What a caller asks to insert, checked.
 */
import { assertLength, assertMultiple, DIGEST_BYTES, type Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { assertCanonical } from '../../hash/canonical.js';
import { compareKeys, isZero, turnKey } from './keys.js';
import type { LeafForm } from './leaf-form.js';

/** One value of a batch. */
export interface Entry {
  /** Where it stands in the batch. */
  readonly position: number;
  readonly key: Digest;
  /** In an updatable tree alone. */
  readonly data: Digest | undefined;
  /** Padding: the value zero. */
  readonly isEmpty: boolean;
}

/** Bytes of one value: in an updatable tree the data stand behind it. */
export function entryBytes({ updatable }: LeafForm): number {
  return updatable ? 2 * DIGEST_BYTES : DIGEST_BYTES;
}

/**
 * Checks values and copies them.
 *
 * @throws {TypeError} when they are no bytes. @throws {RangeError} for a wrong length, or for data in slot zero.
 * @throws {CambiumError} `NOT_CANONICAL` with the position of the element.
 */
export function readEntries(values: Uint8Array, form: LeafForm): Entry[] {
  const each = entryBytes(form);
  assertMultiple(values, each, 'values');
  assertCanonical(values, form.input);
  return Array.from({ length: values.length / each }, (_, position) => {
    const entry = values.subarray(position * each, (position + 1) * each);
    const key = turnKey(entry.subarray(0, DIGEST_BYTES), form.input);
    const data = form.updatable ? new Uint8Array(entry.subarray(DIGEST_BYTES)) : undefined;
    const isEmpty = isZero(key);
    // A write to slot zero would pass for padding in a batch, where it could not be told from one that changes nothing.
    if (isEmpty && data && !isZero(data)) {
      throw new RangeError(`values: entry ${position} has data in slot 0, which is padding`);
    }
    return { position, key, data, isEmpty };
  });
}

/** The key of one value that a caller asks for. */
export function readKey(value: Uint8Array, { input }: LeafForm): Digest {
  assertLength(value, DIGEST_BYTES, 'value');
  assertCanonical(value, input);
  return turnKey(value, input);
}

/**
 * The entries from the greatest to the least, padding last in its own order.
 *
 * @throws {CambiumError} `KEY_EXISTS` when a value other than zero is there twice.
 */
export function descending(entries: readonly Entry[]): Entry[] {
  const sorted = [...entries].sort((a, b) => compareKeys(b.key, a.key));
  for (let i = 1; i < sorted.length && !sorted[i]!.isEmpty; i++) {
    const [before, entry] = [sorted[i - 1]!, sorted[i]!];
    if (compareKeys(before.key, entry.key) === 0) {
      throw new CambiumError(
        'KEY_EXISTS',
        `values: entries ${before.position} and ${entry.position} are the same`,
      );
    }
  }
  return sorted;
}
