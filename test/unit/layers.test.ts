/** Imports run one way only: from what decides to what computes. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

const BASE = ['errors', 'bytes'];
const HASHER = [
  'hasher',
  'hasher-types',
  'scheduler',
  'tree-job',
  'chunk-parts',
  'leaf-source',
  'leaf-batches',
  'leaf-digests',
  'leaf-format',
  'leaf-matrix',
];

/** Part of `src/` to the parts that it may import from, beside itself. */
const ALLOWED: Record<string, readonly string[]> = {
  errors: [],
  bytes: ['errors'],
  platform: [],
  field: BASE,
  hash: [...BASE, 'field', 'generated'],
  backend: [...BASE, 'field', 'hash', 'platform', 'generated'],
  ...Object.fromEntries(HASHER.map((file) => [file, [...BASE, ...HASHER, 'hash', 'backend', 'platform']])),
  store: BASE,
  tree: [...BASE, ...HASHER, 'field', 'hash', 'store', 'backend'],
  ssz: [...BASE, ...HASHER, 'hash', 'tree', 'store', 'backend'],
  testing: [...BASE, ...HASHER, 'field', 'hash', 'store', 'tree'],
  cluster: [...BASE, ...HASHER, 'hash', 'tree', 'store'],
  report: [...BASE, ...HASHER, 'hash', 'backend', 'tree', 'ssz', 'store', 'platform'],
  index: [...BASE, ...HASHER, 'field', 'hash', 'backend', 'tree', 'store', 'platform'],
  node: [...BASE, 'platform'],
};

/** What only the type checker sees may come from a part that the code itself may not reach. */
const TYPES_OF_BACKEND = new Set(['tree', 'ssz', 'cluster']);

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !relative(src, file).startsWith('generated'));
}

const partOf = (path: string): string => path.split('/')[0]!.replace(/\.(js|ts)$/, '');

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const found: Import[] = [];
  for (const [statement, , target] of text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g)) {
    const to = target!.startsWith('.')
      ? partOf(relative(src, join(dirname(file), target!)))
      : target === '#platform'
        ? 'platform'
        : target!;
    const before = text.slice(0, text.indexOf(statement));
    const typeOnly = /\b(import|export) type [^;]*$/.test(before);
    found.push({ file: relative(src, file), from: partOf(relative(src, file)), to, typeOnly });
  }
  return found;
}

const imports = sourceFiles(src).flatMap(importsOf);
const external = (to: string): boolean => !(to in ALLOWED || to === 'cli' || to === 'generated');

describe('imports', () => {
  it('are found at all', () => {
    expect(imports.length).toBeGreaterThan(40);
    expect(imports.some(({ from, to }) => from === 'hasher' && to === 'backend')).toBe(true);
  });

  it('run along the arrows', () => {
    const wrong = imports.filter(({ from, to, typeOnly }) => {
      if (from === 'cli' || from === to || external(to)) return false;
      if (to === 'backend' && TYPES_OF_BACKEND.has(from)) return !typeOnly;
      return !ALLOWED[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it('of packages stand in the command line, in node and in the cluster only, stores apart', () => {
    const users = ['cli', 'node', 'store', 'cluster'];
    const wrong = imports.filter(({ from, to }) => external(to) && !users.includes(from));
    expect(wrong).toEqual([]);
  });

  it('of the page are public entry points', () => {
    const demo = fileURLToPath(new URL('../../demo/src', import.meta.url));
    const found = sourceFiles(demo).flatMap((file) => {
      const targets = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g);
      return [...targets].map(([, target]) => ({ target: target!, path: join(dirname(file), target!) }));
    });
    const entries = found.filter(({ target }) => !target.startsWith('.')).map(({ target }) => target);
    expect([...new Set(entries)].sort()).toEqual(['cambium', 'cambium/package.json', 'cambium/report']);
    const outside = found.filter(({ target, path }) => target.startsWith('.') && !path.startsWith(demo));
    expect(outside).toEqual([]);
  });

  it('of runtime dependencies stand in the command line only', () => {
    const { dependencies } = JSON.parse(readFileSync(join(src, '../package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const users = imports.filter(({ to }) => to in dependencies).map(({ from }) => from);
    expect([...new Set(users)]).toEqual(['cli']);
    expect(Object.keys(dependencies).sort()).toEqual(['cli-progress', 'commander']);
  });
});
