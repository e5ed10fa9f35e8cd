import type { Digest } from '../bytes.js';
import type { CheckedRange } from './check.js';
import type { KeyRange } from './types.js';

/** Entries read at once: enough to spread the cost of finding a place, few enough to hold. */
const PAGE_ENTRIES = 256;

/**
 * Walks a range page by page, each found again by the last key seen, so that nothing in the database is held open
 * between two pages, however slow the reader is.
 */
export async function* pagedEntries(
  range: CheckedRange,
  readPage: (range: KeyRange & { readonly reverse: boolean; readonly limit: number }) => [Digest, Digest][],
): AsyncGenerator<[Digest, Digest]> {
  const { reverse } = range;
  const far: KeyRange = reverse
    ? { ...(range.gte && { gte: range.gte }), ...(range.gt && { gt: range.gt }) }
    : { ...(range.lte && { lte: range.lte }), ...(range.lt && { lt: range.lt }) };
  let left = range.limit ?? Number.POSITIVE_INFINITY;
  let rest: KeyRange = range;
  while (left > 0) {
    const limit = Math.min(left, PAGE_ENTRIES);
    const page = readPage({ ...rest, reverse, limit });
    left -= page.length;
    const last = page.at(-1)?.[0].slice();
    yield* page;
    if (!last || page.length < limit) return;
    rest = { ...far, ...(reverse ? { lt: last } : { gt: last }) };
  }
}
