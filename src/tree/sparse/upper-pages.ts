import { PAGE_LEVELS } from './page.js';

/** Pages that begin above this depth are kept: 1 + 16 + 256 of them, 0.5 MB at most. */
const KEPT_DEPTH = 3 * PAGE_LEVELS;

const PLACES = 1 + 2 ** PAGE_LEVELS + 2 ** (2 * PAGE_LEVELS);

/**
 * The pages near the root that were read last, one for each prefix: a page never changes under its version, and most
 * reads of a path are of these.
 */
export class UpperPages {
  readonly #pages = new Array<Uint8Array | undefined>(PLACES).fill(undefined);
  readonly #versions = new Float64Array(PLACES);

  /** The page of this version on the path of the key at `keyAt`, when it is known. */
  get(depth: number, key: Uint8Array, keyAt: number, version: number): Uint8Array | undefined {
    if (depth >= KEPT_DEPTH) return undefined;
    const place = placeOf(depth, key[keyAt]!);
    return this.#versions[place] === version ? this.#pages[place] : undefined;
  }

  /** Keeps a page that was read. */
  set(depth: number, key: Uint8Array, keyAt: number, version: number, page: Uint8Array): void {
    if (depth >= KEPT_DEPTH) return;
    const place = placeOf(depth, key[keyAt]!);
    this.#pages[place] = page;
    this.#versions[place] = version;
  }
}

/** Places of one depth follow those of the depths above; the prefix is in the first byte of the key. */
function placeOf(depth: number, first: number): number {
  if (depth === 0) return 0;
  return depth === PAGE_LEVELS ? 1 + (first >> PAGE_LEVELS) : 1 + 2 ** PAGE_LEVELS + first;
}
