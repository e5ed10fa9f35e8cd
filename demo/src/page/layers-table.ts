import type { Grown } from '../tasks.ts';
import { byId, make, within } from './dom.ts';
import { formatBytes, formatCount } from './format.ts';

/** Lists the layers of a tree, its root on top; without one, says so. */
export function showLayers(grown: Grown | undefined): void {
  const body = within(byId('layers', HTMLTableElement), 'tbody', HTMLTableSectionElement);
  if (!grown) {
    body.replaceChildren(
      make('tr', {}, make('td', { colspan: 4, class: 'empty' }, 'Build a tree to see its layers.')),
    );
    return;
  }
  const rows = grown.layers.map(({ nodes, first }, level) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, nameOf(level, grown.depth)),
      make('td', {}, formatCount(nodes)),
      make('td', {}, formatBytes(32 * nodes)),
      make('td', {}, make('code', {}, first)),
    ),
  );
  body.replaceChildren(...rows.reverse());
}

function nameOf(level: number, depth: number): string {
  if (level === depth) return `${level} · root`;
  return level === 0 ? '0 · leaves' : String(level);
}
