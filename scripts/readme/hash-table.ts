/** The table of hashes and backends, from the registry. */
import { hashes } from '../../src/hash/registry.ts';
import type { HashSpec } from '../../src/hash/types.ts';
import { markdownTable } from '../../src/report/markdown.ts';

const FIELDS: Readonly<Record<number, string>> = { 8: 'Goldilocks elements', 32: 'BN254 elements' };

const FEATURES: Readonly<Record<string, string>> = {
  'relaxed-simd': 'WASM relaxed SIMD',
  simd: 'WASM SIMD',
  scalar: 'WASM',
};

/** What a hash takes, and what it runs on. */
async function traits(spec: HashSpec): Promise<readonly string[]> {
  const { input } = spec;
  const takesBytes = (await spec.load()).hash !== undefined;
  const leaves = input === 'bytes' ? 'bytes' : `${FIELDS[input.elementBytes]}${takesBytes ? ', bytes' : ''}`;
  const cpu = await spec.cpu?.();
  const builds = cpu?.builds.map(({ feature }) => FEATURES[feature]!) ?? [];
  if (cpu?.native) builds.push('native `@chainsafe/hashtree` when installed');
  const gpu = spec.gpu && (await spec.gpu());
  return [leaves, builds.join(', ') || 'reference', gpu ? 'WGSL' : 'none'];
}

/** One row for hashes that have all in common. */
export async function hashTable(): Promise<string> {
  const rows = new Map<string, { ids: string[]; cells: readonly string[] }>();
  for (const spec of hashes.values()) {
    const cells = await traits(spec);
    const row = rows.get(cells.join()) ?? { ids: [], cells };
    rows.set(cells.join(), row);
    row.ids.push(`\`${spec.id}\``);
  }
  const body = [...rows.values()].map(({ ids, cells }) => [ids.join(' '), ...cells]);
  return markdownTable({ rows: [['hash', 'leaves and nodes', 'CPU', 'GPU'], ...body], left: 4 });
}
