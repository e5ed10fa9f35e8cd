/**
 * The layouts by name.
 */
import { CELESTIA, JMT } from './hash-levels.js';
import { HashShelf } from './hash-shelf.js';
import type { MessageLayers } from './message-layer.js';
import { PageShelf } from './page-shelf.js';
import type { Shelf } from './shelf.js';

/**
 * How a sparse tree hashes and keeps its nodes.
 *
 * - `canonical`: nodes as Monotree hashes them, the root a function of the entries alone, also after removals (default)
 * - `monotree`: byte-compatible with Monotree 0.4: nodes under their hash, a removal leaves one-child nodes in place
 * - `celestia`: celestia's sparse Merkle tree; keys and values of any length, hashed
 * - `jmt`: the Jellyfish Merkle tree; keys and values of any length, hashed
 */
export type SparseLayout = 'canonical' | 'monotree' | 'celestia' | 'jmt';

export const LAYOUTS: readonly SparseLayout[] = ['canonical', 'monotree', 'celestia', 'jmt'];

/** The format of a layout that hashes every level of a path; undefined for those that hash nodes as Monotree does. */
export function levelsOf(layout: SparseLayout): typeof CELESTIA | undefined {
  return layout === 'celestia' ? CELESTIA : layout === 'jmt' ? JMT : undefined;
}

/** @throws {RangeError} for another name. */
export function checkLayout(layout: unknown): SparseLayout {
  const known = LAYOUTS.find((name) => name === layout);
  if (known) return known;
  throw new RangeError(`layout: expected one of ${LAYOUTS.join(', ')}, got ${String(layout)}`);
}

/** How a tree of this layout and name keeps its nodes. */
export function shelfOf(
  layout: SparseLayout,
  prefix: Uint8Array,
  name: string,
  layers: MessageLayers,
): Shelf {
  if (layout === 'monotree') return new HashShelf(prefix, name, layers);
  return new PageShelf(prefix, layers, levelsOf(layout));
}
