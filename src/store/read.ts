import type { Digest } from '../bytes.js';
import type { NodeStore } from './types.js';

/**
 * Values of a few keys, by the fastest way that the store has: at once where it can, else all in one call.
 *
 * @throws {CambiumError} what the store throws.
 */
export function readMany(
  store: NodeStore,
  keys: readonly Uint8Array[],
): (Digest | undefined)[] | Promise<(Digest | undefined)[]> {
  if (store.getSync) return keys.map((key) => store.getSync!(key));
  return store.getMany(keys);
}
