/**
 * Reads all that lies on some paths: one read of the store for each band that they reach, and one for leaves.
 */
import type { Digest } from '../../bytes.js';
import { CambiumError } from '../../errors.js';
import { readMany } from '../../store/read.js';
import type { NodeStore } from '../../store/types.js';
import { DIGEST_WORDS } from '../node-words.js';
import { type Band, heapIndex, meetingHeight, type Paths, pageKey, recordKey } from './layout.js';
import { type LoneLeaf, Page } from './page.js';
import { bareRecord, decodeRecord, type LeafRecord } from './record.js';

/** A tree of fixed depth in a store. */
export interface SmtAt {
  readonly store: NodeStore;
  readonly prefix: Uint8Array;
  readonly depth: number;
  readonly bands: readonly Band[];
  /** Empty nodes by height. */
  readonly zeros: readonly Digest[];
  /** Whether leaves have entries, and so a record each. */
  readonly hasEntries: boolean;
}

/** A leaf that is alone below its slot. */
export interface FoundLeaf extends LoneLeaf {
  /** A path that leads to its slot. */
  readonly path: number;
  readonly record: LeafRecord;
}

/** What lies on the paths. */
export interface Found {
  /** By band, as far as there are any, and path: the page, where there is one. */
  readonly pages: readonly (readonly (Page | undefined)[])[];
  /** Bands that have a page, by path. */
  readonly bandsRead: Uint8Array;
  readonly leaves: readonly FoundLeaf[];
  /** Number of the leaf alone in the path's slot, by path; -1 where the slot is empty. */
  readonly leafOf: Int32Array;
}

/** A leaf found and not read yet. */
interface Place extends LoneLeaf {
  readonly path: number;
  readonly band: number;
  readonly page: Page;
  readonly slot: number;
}

/**
 * Reads what lies on ascending, distinct paths.
 *
 * @param isEmpty whether the tree has no leaf.
 * @throws {CambiumError} `STORE_CORRUPT`; what the store throws.
 */
export async function readPaths(at: SmtAt, paths: Paths, isEmpty: boolean): Promise<Found> {
  const bandsRead = new Uint8Array(paths.count);
  const leafOf = new Int32Array(paths.count).fill(-1);
  const pages: (Page | undefined)[][] = [];
  const places: Place[] = [];
  let open = isEmpty ? [] : Array.from({ length: paths.count }, (_, i) => i);
  for (const [band, heights] of at.bands.entries()) {
    if (open.length === 0) break;
    const onBand = await readBand(at, paths, open, band);
    pages.push(onBand);
    const further: number[] = [];
    let last: Place | undefined;
    for (const path of open) {
      bandsRead[path] = band + 1;
      const page = onBand[path]!;
      const slot = heapIndex(paths.high[path]!, paths.low[path]!, heights.bottom, heights);
      if (!page.has(slot)) continue;
      const lone = page.loneLeaf(slot);
      if (!lone) further.push(path);
      else {
        if (last?.page !== page || last.slot !== slot) {
          last = { ...lone, path, band, page, slot };
          places.push(last);
        }
        leafOf[path] = places.length - 1;
      }
    }
    open = further;
  }
  if (open.length) throw new CambiumError('STORE_CORRUPT', 'a lowest page names a page below it');
  return { pages, bandsRead, leafOf, leaves: await readLeaves(at, places) };
}

/** The page of each path in a band. */
async function readBand(
  { store, prefix, bands }: SmtAt,
  { count, high, low }: Paths,
  open: readonly number[],
  band: number,
): Promise<(Page | undefined)[]> {
  const heights = bands[band]!;
  const pages = new Array<Page | undefined>(count);
  const keys: Digest[] = [];
  const firsts: number[] = [];
  let last = -1;
  for (const path of open) {
    const isNext = last < 0 || meetingHeight(high[last]!, low[last]!, high[path]!, low[path]!) > heights.top;
    last = path;
    if (!isNext) continue;
    keys.push(pageKey(prefix, band, heights, high[path]!, low[path]!));
    firsts.push(path);
  }
  const values = keys.length ? await readMany(store, keys) : [];
  let group = -1;
  let page: Page | undefined;
  for (const path of open) {
    if (firsts[group + 1] === path) {
      const value = values[++group];
      if (!value) throw new CambiumError('STORE_CORRUPT', `a page of band ${band} is missing`);
      page = new Page(band, heights, high[path]!, low[path]!, value);
    }
    pages[path] = page;
  }
  return pages;
}

async function readLeaves(
  { store, prefix, bands, hasEntries }: SmtAt,
  places: readonly Place[],
): Promise<FoundLeaf[]> {
  const isStored = ({ band }: Place): boolean => hasEntries || bands[band]!.bottom > 0;
  const keys = places.filter(isStored).map(({ high, low }) => recordKey(prefix, high, low));
  const values = keys.length ? await readMany(store, keys) : [];
  let next = 0;
  return places.map((place) => {
    const { high, low, path, band, page, slot } = place;
    if (isStored(place)) {
      return { high, low, path, record: decodeRecord(values[next++], bands[band]!.bottom + 1) };
    }
    const node = new Uint32Array(DIGEST_WORDS);
    page.read(slot, node, 0);
    return { high, low, path, record: bareRecord(node) };
  });
}
