/**
 * The leaves that a change hashes, and the pages and records that it writes.
 */
import type { Digest } from '../../bytes.js';
import type { StoreOp } from '../../store/types.js';
import { copyDigest, DIGEST_WORDS, wordsOf } from '../node-words.js';
import { meetingHeight, type Paths, pageKey, recordKey } from './layout.js';
import { Page } from './page.js';
import type { Found, SmtAt } from './read.js';
import { type LeafRecord, NO_ENTRIES, RecordRoom } from './record.js';

/** What becomes of the leaves on the paths. */
export interface LeafEdit {
  /** 1 for each path whose leaf changes. */
  readonly changed: Uint8Array;
  /** The leaves' nodes, by path; zeros where a leaf becomes empty. */
  readonly nodes: Digest;
  /** 1 for each leaf that is empty afterwards, by path. */
  readonly empty: Uint8Array;
  /** The entries of each leaf afterwards, by path; absent where leaves are values. */
  readonly entries?: readonly Digest[];
}

/**
 * Leaves in ascending order: those that change, and those that stood alone in a slot where another one comes. The
 * latter are not hashed again: their records hold all their nodes below the place where they meet.
 */
export class Draft implements Paths {
  readonly count: number;
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** The height at which a leaf meets the one before it; 65 for the first. */
  readonly meets: Uint8Array;
  /** Nodes of a leaf that stays as it is, else undefined. */
  readonly kept: readonly (LeafRecord | undefined)[];
  readonly empty: Uint8Array;
  /** By band and leaf: the page that the change writes; undefined for a band where it writes none. */
  readonly pages: readonly ((Page | undefined)[] | undefined)[];
  /** Height of the last node that a leaf has for itself, the slot that holds it. */
  readonly tops: Int8Array;
  readonly records: RecordRoom;
  readonly #at: SmtAt;
  readonly #edit: LeafEdit;
  readonly #sources: Int32Array;
  /** Whether the store has a record of the leaf. */
  readonly #stored: Uint8Array;

  constructor(at: SmtAt, paths: Paths, found: Found, edit: LeafEdit) {
    const items = draftItems(paths, found, edit);
    const count = items.length;
    this.#at = at;
    this.#edit = edit;
    this.count = count;
    this.high = new Uint32Array(count);
    this.low = new Uint32Array(count);
    this.meets = new Uint8Array(count);
    this.empty = new Uint8Array(count);
    this.#sources = new Int32Array(count);
    this.#stored = new Uint8Array(count);
    const kept: (LeafRecord | undefined)[] = [];
    for (const [i, { path, high, low, record, isKept }] of items.entries()) {
      this.high[i] = high;
      this.low[i] = low;
      this.meets[i] = i ? meetingHeight(this.high[i - 1]!, this.low[i - 1]!, high, low) : 65;
      this.#sources[i] = path;
      this.#stored[i] = record?.stored ? 1 : 0;
      this.empty[i] = isKept ? 0 : edit.empty[path]!;
      kept.push(isKept ? record : undefined);
    }
    this.kept = kept;
    this.tops = new Int8Array(count);
    this.pages = this.#placePages(found);
    this.records = this.#makeRecords();
  }

  /** Copies the nodes of the leaves to `nodes`. */
  fill(nodes: Uint32Array): void {
    const changed = wordsOf(this.#edit.nodes);
    for (let i = 0; i < this.count; i++) {
      const kept = this.kept[i];
      copyDigest(
        kept ? kept.chain : changed,
        kept ? 0 : this.#sources[i]! * DIGEST_WORDS,
        nodes,
        i * DIGEST_WORDS,
      );
    }
  }

  /** All that the change writes, once its nodes are in pages and records. */
  ops(): StoreOp[] {
    const { prefix, bands } = this.#at;
    const ops: StoreOp[] = [];
    for (let i = 0; i < this.count; i++) {
      const hasRecord = this.#hasRecord(i);
      if (!hasRecord && !this.#stored[i]) continue;
      const key = recordKey(prefix, this.high[i]!, this.low[i]!);
      ops.push(hasRecord ? { put: key, value: this.records.value(i) } : { del: key });
    }
    for (const [band, pages] of this.pages.entries()) {
      let last: Page | undefined;
      for (const page of pages ?? []) {
        if (!page || page === last) continue;
        last = page;
        const key = pageKey(prefix, band, bands[band]!, page.high, page.low);
        if (!page.isEmpty) ops.push({ put: key, value: page.encode() });
        else if (page.stored) ops.push({ del: key });
      }
    }
    return ops;
  }

  #hasRecord(leaf: number): boolean {
    return !this.empty[leaf] && (this.#at.hasEntries || this.tops[leaf]! > 0);
  }

  /** Pages that are there, and those that leaves need which meet below the ones that are there. */
  #placePages({ pages, bandsRead }: Found): ((Page | undefined)[] | undefined)[] {
    const { bands } = this.#at;
    const placed = new Array<(Page | undefined)[] | undefined>(bands.length);
    for (let i = 0; i < this.count; i++) {
      const next = i + 1 < this.count ? this.meets[i + 1]! : 65;
      const nearest = Math.min(this.meets[i]!, next);
      const path = this.#sources[i]!;
      for (let band = 0; band < bands.length; band++) {
        const heights = bands[band]!;
        const { top, bottom } = heights;
        if (band > 0 && band >= bandsRead[path]! && nearest > top) break;
        const own = placed[band] ?? new Array<Page | undefined>(this.count).fill(undefined);
        placed[band] = own;
        if (this.meets[i]! <= top) own[i] = own[i - 1];
        else own[i] = pages[band]?.[path] ?? new Page(band, heights, this.high[i]!, this.low[i]!);
        this.tops[i] = bottom;
      }
    }
    return placed;
  }

  #makeRecords(): RecordRoom {
    const tops = this.tops.map((top, i) => (this.#hasRecord(i) ? top : -1));
    const entries = (leaf: number): Digest =>
      this.kept[leaf]?.entries ?? this.#edit.entries?.[this.#sources[leaf]!] ?? NO_ENTRIES;
    const room = new RecordRoom(tops, entries);
    for (let i = 0; i < this.count; i++) {
      const kept = this.kept[i];
      if (kept && tops[i]! >= 0) {
        room.words.set(kept.chain.subarray(0, (tops[i]! + 1) * DIGEST_WORDS), room.node(i, 0));
      }
    }
    return room;
  }
}

interface Item {
  readonly path: number;
  readonly high: number;
  readonly low: number;
  readonly record: LeafRecord | undefined;
  readonly isKept: boolean;
}

/** Paths that change, and unchanged leaves alone in their slots, in order. */
function draftItems(paths: Paths, { leaves, leafOf }: Found, { changed }: LeafEdit): Item[] {
  const isTaken = (leaf: number, path: number): boolean =>
    leaves[leaf]!.high === paths.high[path] && leaves[leaf]!.low === paths.low[path];
  const items: Item[] = [];
  const keep = new Set<number>();
  for (let path = 0; path < paths.count; path++) {
    if (!changed[path]) continue;
    const leaf = leafOf[path]!;
    const isOwn = leaf >= 0 && isTaken(leaf, path);
    if (leaf >= 0) keep.add(leaf);
    const record = isOwn ? leaves[leaf]!.record : undefined;
    items.push({ path, high: paths.high[path]!, low: paths.low[path]!, record, isKept: false });
  }
  const own = new Set(items.filter(({ record }) => record).map(({ path }) => leafOf[path]!));
  const guests = [...keep].filter((leaf) => !own.has(leaf));
  if (guests.length === 0) return items;
  for (const leaf of guests) {
    const { path, high, low, record } = leaves[leaf]!;
    items.push({ path, high, low, record, isKept: true });
  }
  return items.sort((a, b) => a.high - b.high || a.low - b.low);
}
