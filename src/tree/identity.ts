/**
 * What a stored tree is: written once, in the commit that creates the tree, and compared whenever it is opened.
 */
import type { Digest } from '../bytes.js';
import { CambiumError } from '../errors.js';
import type { NodeStore } from '../store/types.js';
import { keyPrefix, singleKey } from './keys.js';

/** Kind of tree, version of its format, and every option that shapes its nodes. */
export interface TreeIdentity {
  readonly tree: string;
  readonly format: number;
  readonly [option: string]: string | number | boolean;
}

/**
 * What the tree of this name is; undefined where the store has none.
 *
 * @throws {RangeError} for a name that no tree can have. @throws {CambiumError} `STORE_CORRUPT`, `STORE_FAILED`.
 */
export async function readIdentity(store: NodeStore, name: string): Promise<TreeIdentity | undefined> {
  // Not `readMany`: the database may still be opening.
  const [stored] = await store.getMany([identityKey(keyPrefix(name))]);
  return stored && decodeIdentity(stored, name);
}

/** Where a tree keeps its identity. */
export function identityKey(prefix: Uint8Array): Digest {
  return singleKey(prefix, 'i');
}

export function encodeIdentity(identity: TreeIdentity): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(identity));
}

/**
 * Checks that a stored tree is what the caller opens it as.
 *
 * @throws {RangeError} naming the first option that differs, what the tree has and what was asked for.
 * @throws {CambiumError} `VERSION_MISMATCH` for another version of the format, `STORE_CORRUPT` for bytes that are no
 *   identity.
 */
export function assertIdentity(stored: Uint8Array | undefined, wanted: TreeIdentity, name: string): void {
  const found = decodeIdentity(stored, name);
  if (found.tree === wanted.tree && found.format !== wanted.format) {
    throw new CambiumError(
      'VERSION_MISMATCH',
      `the tree ${JSON.stringify(name)} is in format ${found.format} of ${wanted.tree}, this library reads ${wanted.format}`,
    );
  }
  for (const option of Object.keys(wanted)) {
    if (found[option] === wanted[option]) continue;
    throw new RangeError(
      `${option}: the tree ${JSON.stringify(name)} in this store has ${found[option]}, got ${wanted[option]}`,
    );
  }
}

function decodeIdentity(stored: Uint8Array | undefined, name: string): TreeIdentity {
  try {
    const found: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(stored));
    if (typeof found === 'object' && found !== null && 'tree' in found) return found as TreeIdentity;
  } catch {
    // Reported below, with the name of the tree.
  }
  throw new CambiumError('STORE_CORRUPT', `the tree ${JSON.stringify(name)} has no readable identity`);
}
