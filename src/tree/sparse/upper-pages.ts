import { MOST_BYTES, PAGE_LEVELS } from './page.js';

/** Pages that begin above this depth are kept: 1 + 16 + 256 of them, 0.5 MB at most. */
const KEPT_DEPTH = 3 * PAGE_LEVELS;

const PLACES = 1 + 2 ** PAGE_LEVELS + 2 ** (2 * PAGE_LEVELS);

/**
 * The pages near the root that were read or written last, one for each prefix: a page never changes under its version, and most
 * reads of a path are of these.
 */
export class UpperPages {
  readonly #rooms = new Array<Uint8Array | undefined>(PLACES).fill(undefined);
  readonly #pages = new Array<Uint8Array | undefined>(PLACES).fill(undefined);
  readonly #versions = new Float64Array(PLACES);

  /** The page of this version on the path of the key at `keyAt`, when it is known; valid until the next {@link set}. */
  get(depth: number, key: Uint8Array, keyAt: number, version: number): Uint8Array | undefined {
    if (depth >= KEPT_DEPTH) return undefined;
    const place = placeOf(depth, key[keyAt]!);
    return this.#versions[place] === version ? this.#pages[place] : undefined;
  }

  /** Keeps a copy of a page that the store has. */
  set(depth: number, key: Uint8Array, keyAt: number, version: number, page: Uint8Array): void {
    if (depth >= KEPT_DEPTH) return;
    const place = placeOf(depth, key[keyAt]!);
    if (this.#versions[place] === version && this.#pages[place]) return;
    let room = this.#rooms[place];
    if (!room || room.length < page.length) {
      room = new Uint8Array(MOST_BYTES);
      this.#rooms[place] = room;
    }
    room.set(page);
    this.#pages[place] = room.subarray(0, page.length);
    this.#versions[place] = version;
  }
}

/** Places of one depth follow those of the depths above; the prefix is in the first byte of the key. */
function placeOf(depth: number, first: number): number {
  if (depth === 0) return 0;
  return depth === PAGE_LEVELS ? 1 + (first >> PAGE_LEVELS) : 1 + 2 ** PAGE_LEVELS + first;
}
