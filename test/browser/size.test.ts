/** What an application that wants SHA-256 roots makes a browser load. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashes } from '../../src/index.ts';
import { openSite, type Site } from '../support/site.ts';

let site: Site;
let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  site = await openSite();
  files = await site.loadedBy('size');
});
afterAll(() => site?.close());

/** Texts of a hash that stand for its constants: its WASM builds, and the longest line of its shader. */
async function marksOf(id: 'sha256'): Promise<string[]> {
  const spec = hashes.get(id)!;
  const builds = (await spec.cpu?.())?.builds ?? [];
  const lines = (await spec.gpu!()).pairs.split('\n').sort((a, b) => b.length - a.length);
  return [...builds.map(({ bytes }) => Buffer.from(bytes()).toString('base64')), lines[0]!];
}

describe('[browser] an application with SHA-256 roots', () => {
  it('loads less than 60 KiB', () => {
    const sizes = [...files].map(([name, text]) => [name, gzipSync(text).length] as const);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    expect(total, JSON.stringify(sizes)).toBeLessThan(60 * 1024);
  });

  it('loads what SHA-256 needs, and no other hash', async () => {
    const text = [...files.values()].join('\n');
    const own = await marksOf('sha256');
    expect(own.some((mark) => text.includes(mark))).toBe(true);
    for (const id of hashes.keys()) {
      if (id === 'sha256') continue;
      const marks = await marksOf(id as 'sha256');
      for (const mark of marks) if (!own.includes(mark)) expect(text.includes(mark), id).toBe(false);
    }
  });
});
